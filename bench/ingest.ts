import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { readNumber } from '../engines/read_number.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { type BatchShare, mergeShares, splitIntoShares } from '../src/writer/shares.ts';
import { runLoad } from './load_client/load.ts';
import { atLeast, type BenchOptions, figure, type Report, round, upperMedian } from './report.ts';

const CONNECTIONS = 1_000;
const READINGS_PER_PUBLISH = 4;
const ROUNDS = 5;
/** The first turn warms up. The others alternate between evaluation on and off. */
const TURNS = 7;
/** The number of shares that a busy writer stores in one transaction. A share is half of a message, because there are two lanes. */
const SHARES_PER_BATCH = 16;
const BATCH_READINGS = SHARES_PER_BATCH * 250;

/**
 * Measures readings from the socket of a device to COMMIT, and in the writer alone, and compares both with COPY of the same
 * readings over one connection. PostgreSQL and nats-server run with fsync and sync_interval: always.
 */
export async function benchIngest({ isQuick, log }: BenchOptions): Promise<Report> {
  const devices = TURNS * CONNECTIONS + (isQuick ? 10_000 : 50_000);
  await using installation = await startInstallation({
    devices,
    postgresSettings: { shared_buffers: '1GB', max_wal_size: '8GB' },
  });
  await installation.start('gateway');
  const readings = isQuick ? 40_000 : 200_000;
  const rounds: { writer: number; copy: number }[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) {
    log(`round ${turn + 1} of ${ROUNDS}: ${readings} readings by the writer, then by COPY ...`);
    const writer = await measureWriter(installation, readings, Date.UTC(2026, turn));
    rounds.push({ writer, copy: await measureCopy(installation, readings, Date.UTC(2025, turn)) });
  }
  const copy = upperMedian(rounds.map(({ copy: perSecond }) => perSecond));
  const withEvents: EndToEnd[] = [];
  const withoutEvents: EndToEnd[] = [];
  const durationMs = isQuick ? 4_000 : 15_000;
  await measureEndToEnd(installation, durationMs, { turn: 0, events: 'on' }); // lets Node compile the hot code
  for (let turn = 1; turn < TURNS; turn++) {
    const hasEvents = turn % 2 === 1;
    const title = `${hasEvents ? 'with' : 'without'} events (${turn} of ${TURNS - 1})`;
    log(`end to end, ${CONNECTIONS} connections, ${title} ...`);
    const result = await measureEndToEnd(installation, durationMs, { turn, events: hasEvents ? 'on' : 'off' });
    (hasEvents ? withEvents : withoutEvents).push(result);
  }
  const storedPerSecond = upperMedian(withEvents.map((result) => result.storedPerSecond));
  const withoutPerSecond = upperMedian(withoutEvents.map((result) => result.storedPerSecond));
  return {
    name: 'ingest',
    checks: [
      atLeast(
        'writer with exact counters and tank state: ratio to COPY',
        upperMedian(rounds.map(({ writer, copy: byCopy }) => writer / byCopy)),
        0.3,
      ),
      atLeast('end to end, MQTT to COMMIT, without events: readings/s', withoutPerSecond, 30_000),
      figure('end to end, MQTT to COMMIT, with events: readings/s', storedPerSecond),
      atLeast('end to end with events: ratio to without', storedPerSecond / withoutPerSecond, 0.85),
      figure('end to end with events: ratio to COPY', storedPerSecond / copy),
      figure('end to end: p99 from publish to PUBACK, ms', upperMedian(withEvents.map(({ p99Ms }) => p99Ms))),
      figure(
        'end to end: seconds from the last PUBACK to the last COMMIT',
        upperMedian(withEvents.map(({ drainSeconds }) => drainSeconds)),
      ),
    ],
    connections: CONNECTIONS,
    readings_per_publish: READINGS_PER_PUBLISH,
    writer_readings_per_s: round(upperMedian(rounds.map(({ writer }) => writer))),
    copy_readings_per_s: round(copy),
  };
}

/** Yields four consecutive readings of a device at a time, the devices in a mixed order, hour by hour. */
function* arrivals(devices: number, readings: number, startAtMs: number) {
  for (let n = 0; n < readings; n++) {
    const publish = Math.floor(n / READINGS_PER_PUBLISH);
    const hour = Math.floor(publish / devices) * READINGS_PER_PUBLISH + (n % READINGS_PER_PUBLISH);
    const device = (publish * 7_919) % devices;
    yield { device, atMs: startAtMs + hour * 3_600_000, fillPercentage: (device % 9_000) / 100 };
  }
}

/** Stores readings as a writer does, over its two connections, but without the stream. Returns readings per second. */
async function measureWriter({ owner, devices }: Installation, readings: number, startAtMs: number): Promise<number> {
  const ingester = new BatchIngester(owner, { isEvaluating: false });
  const others = devices.slice(TURNS * CONNECTIONS);
  const all = Array.from(arrivals(others.length, readings, startAtMs), (arrival) => ({
    organizationNo: 1,
    deviceId: others[arrival.device]?.deviceId ?? '',
    atMs: arrival.atMs,
    level: arrival.fillPercentage,
  }));
  // Messages as in the stream, divided into shares for the lanes of one writer.
  const lanes: BatchShare[][] = [[], []];
  for (let first = 0; first < readings; first += 500) {
    const part = all.slice(first, first + 500);
    const message = { id: crypto.randomUUID(), receivedAtMs: Date.now(), readings: part, rejections: [], health: [] };
    for (const [lane, share] of splitIntoShares(message, lanes.length).entries()) lanes[lane]?.push(share);
  }
  const startMs = performance.now();
  const run = async (shares: BatchShare[]): Promise<void> => {
    while (shares.length > 0) await ingester.ingestBatch(mergeShares(shares.splice(0, SHARES_PER_BATCH)));
  };
  await Promise.all(lanes.map(run));
  return (readings * 1_000) / (performance.now() - startMs);
}

/** Copies the same readings, a year earlier, over one connection and in batches of the writer's size. Returns readings per second. */
async function measureCopy(
  { owner, postgres, tanks }: Installation,
  readings: number,
  startAtMs: number,
): Promise<number> {
  const files: string[] = [];
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    const file = join(postgres.dataFolder, `rows${files.length}`);
    await writeFile(file, lines.join(''));
    files.push(file);
    lines = [];
  };
  const others = tanks.slice(TURNS * CONNECTIONS).map(({ no }) => no);
  for (const { device, atMs, fillPercentage } of arrivals(others.length, readings, startAtMs)) {
    lines.push(`${others[device]}\t${fillPercentage}\t${new Date(atMs).toISOString()}\n`);
    if (lines.length === BATCH_READINGS) await flush();
  }
  await flush();
  await owner.query('select ensure_telemetry_month($1)', [new Date(startAtMs).toISOString()]);
  const startMs = performance.now();
  for (const file of files) await owner.query(`copy telemetry (tank_no, fill_percentage, created_at) from '${file}'`);
  return (readings * 1_000) / (performance.now() - startMs);
}

interface EndToEnd {
  storedPerSecond: number;
  p99Ms: number;
  drainSeconds: number;
}

/** Measures from the first publish until everything acknowledged is committed. */
async function measureEndToEnd(
  installation: Installation,
  durationMs: number,
  { turn, events }: { turn: number; events: 'on' | 'off' },
): Promise<EndToEnd> {
  const { owner, mqttUrl, devices } = installation;
  const writer = await installation.start('writer', { EVENTS: events });
  const storedBefore = await countStored(owner);
  const load = await runLoad({
    url: mqttUrl,
    // Each turn has its own devices. Otherwise readings stored without evaluation would be evaluated first.
    devices: devices.slice(turn * CONNECTIONS, (turn + 1) * CONNECTIONS),
    readingsPerPublish: READINGS_PER_PUBLISH,
    inFlight: 4,
    durationMs,
    // Within the last 36 hours. With older readings, every device would count as silent.
    startAtMs: Date.now() - 32 * 3_600_000,
    stepMs: 60_000,
  });
  const acknowledged = load.acknowledged * READINGS_PER_PUBLISH;
  const drainStartMs = performance.now();
  let stored = (await countStored(owner)) - storedBefore;
  while (stored < acknowledged) {
    await sleep(50);
    stored = (await countStored(owner)) - storedBefore;
  }
  const drainSeconds = (performance.now() - drainStartMs) / 1_000;
  await writer.stop();
  return { storedPerSecond: stored / (load.seconds + drainSeconds), p99Ms: load.latencyMs.p99, drainSeconds };
}

/** Reads the exact counters. */
const countStored = (owner: Pool): Promise<number> =>
  readNumber(owner, 'select coalesce(sum(n), 0)::int8 as n from telemetry_month_counters');
