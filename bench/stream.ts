import { randomUUID } from 'node:crypto';
import { mkdtempDisposable, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { cpuSeconds } from '../engines/process_use.ts';
import { startNats } from '../src/setup/servers/nats.ts';
import { Stream } from '../src/stream/stream.ts';
import { encodeMessage, encodeReading } from '../src/telemetry/stream_message.ts';
import { type BenchOptions, type Check, figure, percentile, type Report } from './report.ts';

/** As many as the gateways of a small, a large and a very large cell. Each waits for the acknowledgement of its message. */
const PUBLISHERS = [1, 20, 100];
/** Readings in a message: of a quiet and of a busy gateway. */
const MESSAGE_READINGS = [1, 100];
const REPLICAS = [1, 3];

/**
 * Measures how many messages a second a stream stores on one and on three nats-servers with `sync_interval: always`. All servers
 * and publishers share the cores and the disk of this machine. In production, each server has its own machine.
 */
export async function benchStream({ isQuick, log }: BenchOptions): Promise<Report> {
  const seconds = isQuick ? 2 : 15;
  const checks: Check[] = [figure('writes to disk by one process, a second', await measureSyncs(seconds * 1_000))];
  for (const replicas of REPLICAS) {
    const nats = await startNats({ nodes: replicas });
    try {
      for (const readings of MESSAGE_READINGS) {
        for (const publishers of PUBLISHERS) {
          log(`${replicas} nats-servers, ${publishers} publishers, ${readings} readings in a message`);
          const pids = nats.nodes.map((node) => node.pid());
          const result = await measure(nats.url, { replicas, publishers, readings, seconds, pids });
          const title = `R${replicas}, ${publishers} publishers, messages of ${readings}`;
          checks.push(
            figure(`${title}: messages/s`, result.perSecond),
            figure(`${title}: p50 until acknowledged, ms`, result.p50Ms),
            figure(`${title}: p99 until acknowledged, ms`, result.p99Ms),
            figure(`${title}: bytes in the stream per message`, result.bytes),
            figure(`${title}: CPU of all nats-servers per message, us`, result.cpuUs),
          );
        }
      }
    } finally {
      await nats.stop();
    }
  }
  return { name: 'stream', checks, seconds, machines: 1 };
}

interface Load {
  replicas: number;
  publishers: number;
  readings: number;
  seconds: number;
  pids: readonly number[];
}

async function measure(url: string, { replicas, publishers, readings, seconds: forSeconds, pids }: Load) {
  const logger = pino({ level: 'silent' });
  // One connection for each publisher, as gateways have.
  const streams = await Promise.all(
    Array.from({ length: publishers }, (_, n) =>
      Stream.connect({
        url,
        setting: 'NATS_URL',
        clientName: `bench ${n}`,
        name: 'readings',
        replicas,
        maxBytes: 32 * 2 ** 30,
        changesSettings: false,
        logger,
      }),
    ),
  );
  const rows = Array.from({ length: readings }, (_, n) =>
    encodeReading({ organizationNo: 1, deviceId: `ABCD${1_000 + n}`, atMs: 1_790_000_000_000 + n, level: 45.5 }),
  );
  const publishUntil = async (stream: Stream, endMs: number, times: number[]): Promise<void> => {
    for (let startMs = performance.now(); startMs < endMs; ) {
      const id = randomUUID();
      await stream.publish(id, encodeMessage(id, Date.now(), rows, []));
      const nowMs = performance.now();
      times.push(nowMs - startMs);
      startMs = nowMs;
    }
  };
  const publishAllUntil = async (endMs: number): Promise<number[]> => {
    const times: number[] = [];
    await Promise.all(streams.map((stream) => publishUntil(stream, endMs, times)));
    return times;
  };
  const readCpuSeconds = async (): Promise<number> =>
    (await Promise.all(pids.map((pid) => cpuSeconds(pid)))).reduce((sum, seconds) => sum + seconds, 0);
  try {
    await publishAllUntil(performance.now() + 500); // warm-up
    const before = await streams[0]?.size();
    const [cpuBefore, startMs] = [await readCpuSeconds(), performance.now()];
    const times = await publishAllUntil(startMs + forSeconds * 1_000);
    const seconds = (performance.now() - startMs) / 1_000;
    const cpuUsed = (await readCpuSeconds()) - cpuBefore;
    const after = await streams[0]?.size();
    return {
      bytes: ((after?.bytes ?? 0) - (before?.bytes ?? 0)) / times.length,
      perSecond: times.length / seconds,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      cpuUs: (cpuUsed / times.length) * 1e6,
    };
  } finally {
    await Promise.all(streams.map((stream) => stream.close()));
  }
}

/** Measures the disk, for a comparison with another one: appends 4 KB and waits until they are on the disk. */
async function measureSyncs(durationMs: number): Promise<number> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-sync-'));
  await using file = await open(join(folder.path, 'file'), 'w');
  const page = Buffer.alloc(4_096, 1);
  const startMs = performance.now();
  let writes = 0;
  while (performance.now() - startMs < durationMs) {
    await file.write(page);
    await file.datasync();
    writes++;
  }
  return (writes * 1_000) / (performance.now() - startMs);
}
