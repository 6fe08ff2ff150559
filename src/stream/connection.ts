import { connect, type NatsConnection } from '@nats-io/transport-node';
import { StreamUnavailable } from './unavailable.ts';

/** A connection that outlives nats-server's absences; the first one too, where it is waited for. */
export async function connectToServer(
  url: string,
  { clientName, isWaitedFor }: { clientName: string; isWaitedFor: boolean },
): Promise<NatsConnection> {
  const connection = await connect({
    ...serversAndLogin(url),
    name: clientName,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: isWaitedFor,
    pingInterval: 5_000,
    noAsyncTraces: true, // or every message makes a stack trace that nobody reads
    maxPingOut: 2,
  }).catch((error: unknown) => {
    throw new StreamUnavailable(
      'cannot reach nats-server; is it running, and are address and login in NATS_URL right?',
      {
        cause: error,
      },
    );
  });
  const version = connection.info?.version ?? '0';
  if (compareVersions(version, '2.10') < 0) {
    await connection.close();
    throw new StreamUnavailable(
      `nats-server ${version} loses acknowledged messages in a power cut; version 2.10 or newer is needed, with sync_interval: always.`,
    );
  }
  return connection;
}

function serversAndLogin(url: string): { servers: string[]; user?: string; pass?: string; tls?: object } {
  const urls = url.split(',').map((one) => new URL(one.trim()));
  const { username, password } = urls[0] ?? new URL('nats://localhost');
  return {
    servers: urls.map(({ host }) => host),
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  for (const at of [0, 1]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
