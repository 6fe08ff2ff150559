import { connect, type NatsConnection } from '@nats-io/transport-node';
import { UserError } from '../values/user_error.ts';
import { explainConnectError, type NatsAddress } from './server_errors.ts';

/**
 * Earlier versions of nats-server 2.10 can lose acknowledged messages when the process crashes. Roles accept them, so that
 * Tankwatch can be upgraded before nats-server. Versions before 2.10 are refused.
 */
export const SAFE_VERSION = '2.10.23';

/**
 * Opens a connection that reconnects by itself. Throws StreamUnavailableError if the first connection fails, and UserError for a
 * version before 2.10.
 */
export async function connectToServer(address: NatsAddress, clientName: string): Promise<NatsConnection> {
  const connection = await connect({
    ...serversAndLogin(address.url),
    name: clientName,
    // Each role has its own inbox, so that no role can read the responses to another: see deploy/nats.conf.
    inboxPrefix: `_INBOX.${clientName.split(' ').at(-1)}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // A server that hangs is detected after 6 s: two unanswered pings. A host that accepts but sends nothing is detected after 3 s.
    timeout: 3_000,
    pingInterval: 2_000,
    noAsyncTraces: true, // otherwise every message creates a stack trace that is not used
    maxPingOut: 2,
  }).catch((error: unknown) => {
    throw explainConnectError(error, address);
  });
  const version = connection.info?.version ?? '0';
  if (compareVersions(version, '2.10') < 0) {
    await connection.close();
    throw new UserError(
      `nats-server ${version} is too old: it loses acknowledged messages in a power failure. Upgrade to ${SAFE_VERSION} or newer and set sync_interval: always.`,
    );
  }
  return connection;
}

function serversAndLogin(url: string): { servers: string[]; user?: string; pass?: string; tls?: object } {
  const urls = url.split(',').map((server) => new URL(server.trim()));
  const { username, password } = urls[0] ?? new URL('nats://localhost');
  return {
    servers: urls.map(({ host }) => host),
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}

/** Returns a negative number if version `a` is older than `b`. A missing part is 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  for (const index of [0, 1, 2]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
