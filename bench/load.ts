import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectAsync } from 'mqtt';
import { runLoad } from './load_client/load.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report, round } from './report.ts';

const CONNECTIONS = 1_000;
const RATE = 10_000;

/** Measures the cost of the load client with a minimal broker, and compares it with the `mqtt` package. */
export async function benchLoad({ isQuick, log }: BenchOptions): Promise<Report> {
  const durationMs = isQuick ? 3_000 : 15_000;
  const broker = fork(fileURLToPath(new URL('bare_broker.ts', import.meta.url)));
  try {
    const [port] = await once(broker, 'message');
    const url = `mqtt://127.0.0.1:${port}`;
    const devices = Array.from({ length: CONNECTIONS }, (_, n) => ({
      organizationCode: 'a0bench',
      deviceId: `DEV${n}`,
      password: 'x'.repeat(43),
    }));

    log(`${CONNECTIONS} connections at ${RATE} publishes per second ...`);
    const paced = await measureCpu(() => runLoad({ url, devices, inFlight: 10, publishesPerSecond: RATE, durationMs }));
    log('without a limit ...');
    const unlimited = await measureCpu(() => runLoad({ url, devices, inFlight: 10, durationMs }));
    log('without a limit, with the mqtt package ...');
    const packaged = await measureCpu(() => loadWithPackage(url, durationMs));

    const perPublish = (cpuMs: number, publishes: number): number => (1_000 * cpuMs) / publishes;
    const ours = perPublish(unlimited.cpuMs, unlimited.result.acknowledged);
    const theirs = perPublish(packaged.cpuMs, packaged.result);
    return {
      name: 'load',
      checks: [
        atLeast(
          `publishes/s acknowledged at a rate of ${RATE}`,
          paced.result.acknowledged / paced.result.seconds,
          RATE * 0.99,
        ),
        atMost(`share of one core at a rate of ${RATE}`, paced.cpuMs / (paced.result.seconds * 1_000), 1),
        atMost('unknown publishes', paced.result.unknown + unlimited.result.unknown, 0),
        figure('CPU time per publish: mqtt package / load client', theirs / ours),
        figure('publishes/s without a limit', unlimited.result.acknowledged / unlimited.result.seconds),
      ],
      connections: CONNECTIONS,
      paced_latency_ms: paced.result.latencyMs,
      microseconds_per_publish: round(ours),
      microseconds_per_publish_of_mqtt_package: round(theirs),
    };
  } finally {
    broker.disconnect();
  }
}

/** Publishes with the mqtt package, as fast as the broker acknowledges. Returns the number of acknowledged publishes. */
async function loadWithPackage(url: string, durationMs: number): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) =>
      connectAsync(url, { clientId: `a0bench/DEV${n}`, username: `a0bench/DEV${n}`, password: 'x'.repeat(43) }),
    ),
  );
  const endMs = performance.now() + durationMs;
  let acknowledged = 0;
  const publish = async (client: (typeof clients)[number], n: number): Promise<void> => {
    while (performance.now() < endMs) {
      const reading = { fill_percentage: 45.55, created_at: new Date().toISOString() };
      await client.publishAsync(`readings/a0bench/DEV${n}`, JSON.stringify(reading), { qos: 1 });
      acknowledged++;
    }
  };
  const lanes = clients.flatMap((client, n) => Array.from({ length: 10 }, () => publish(client, n)));
  await Promise.all(lanes);
  await Promise.all(clients.map((client) => client.endAsync()));
  return acknowledged;
}

async function measureCpu<T>(work: () => Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}
