import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Pipeline, startPipeline } from '../engines/pipeline.ts';
import { runLoad } from '../src/simulation/load.ts';
import { Intake } from '../src/telemetry/intake.ts';
import type { Message } from '../src/telemetry/message.ts';
import { atLeast, type BenchOptions, median, type Report, round, told } from './report.ts';

const CONNECTIONS = 1_000;
const READINGS_PER_PUBLISH = 4;
const ROUNDS = 5;
const TURNS = 3;
const MESSAGES_PER_BATCH = 8;
const BATCH_READINGS = MESSAGES_PER_BATCH * 500;

/**
 * Readings from a device's socket to COMMIT, and the writer's part alone, against one connection that COPYs the same
 * readings into the same table. PostgreSQL and nats-server keep every promise of theirs: fsync, sync_interval: always.
 */
export async function benchIngest({ isQuick, tell }: BenchOptions): Promise<Report> {
  const devices = 2 * CONNECTIONS + (isQuick ? 10_000 : 50_000);
  const pipeline = await startPipeline({
    devices,
    postgresSettings: { shared_buffers: '1GB', max_wal_size: '8GB' },
  });
  try {
    const readings = isQuick ? 40_000 : 200_000;
    const rounds: { writer: number; copy: number }[] = [];
    for (let turn = 0; turn < ROUNDS; turn++) {
      tell(`round ${turn + 1} of ${ROUNDS}: ${readings} readings by the writer, then by COPY ...`);
      const writer = await writerAlone(pipeline, readings, Date.UTC(2026, turn));
      rounds.push({ writer, copy: await copyAlone(pipeline, readings, Date.UTC(2025, turn)) });
    }
    const copy = median(rounds.map((one) => one.copy));
    const withEvents: EndToEnd[] = [];
    const without: EndToEnd[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      tell(`end to end, ${CONNECTIONS} connections, with events and then without: ${turn + 1} of ${TURNS} ...`);
      const durationMs = isQuick ? 4_000 : 15_000;
      withEvents.push(await endToEnd(pipeline, durationMs, { year: 2014 + 2 * turn, events: 'on' }));
      without.push(await endToEnd(pipeline, durationMs, { year: 2014 + 2 * turn, events: 'off' }));
    }
    const storedPerSecond = median(withEvents.map((one) => one.storedPerSecond));
    const withoutPerSecond = median(without.map((one) => one.storedPerSecond));
    return {
      name: 'ingest',
      checks: [
        atLeast(
          'writer with exact counters and tank state: ratio to COPY',
          median(rounds.map((one) => one.writer / one.copy)),
          0.3,
        ),
        atLeast('end to end, MQTT to COMMIT, without events: readings/s', withoutPerSecond, 30_000),
        told('the same with events: readings/s', storedPerSecond),
        atLeast('end to end with events: ratio to without', storedPerSecond / withoutPerSecond, 0.85),
        told('end to end with events: ratio to COPY', storedPerSecond / copy),
        told('end to end: p99 from publish to PUBACK, ms', median(withEvents.map((one) => one.p99Ms))),
        told(
          'end to end: seconds from the last PUBACK to the last COMMIT',
          median(withEvents.map((one) => one.drainSeconds)),
        ),
      ],
      connections: CONNECTIONS,
      readings_per_publish: READINGS_PER_PUBLISH,
      writer_readings_per_s: round(median(rounds.map((one) => one.writer))),
      copy_readings_per_s: round(copy),
    };
  } finally {
    await pipeline.stop();
  }
}

/** Four readings of a device after the other, every device in turn in no order of theirs, hour by hour. */
function* arrivals(devices: number, readings: number, startAtMs: number) {
  for (let n = 0; n < readings; n++) {
    const publish = Math.floor(n / READINGS_PER_PUBLISH);
    const hour = Math.floor(publish / devices) * READINGS_PER_PUBLISH + (n % READINGS_PER_PUBLISH);
    const device = (publish * 7_919) % devices;
    yield { device, atMs: startAtMs + hour * 3_600_000, fillPercentage: (device % 9_000) / 100 };
  }
}

/** As the stream would deliver them, over the two connections of one writer. */
async function writerAlone({ owner, devices }: Pipeline, readings: number, startAtMs: number): Promise<number> {
  const intake = new Intake(owner, { isJudging: false });
  const others = devices.slice(2 * CONNECTIONS);
  const all = Array.from(arrivals(others.length, readings, startAtMs), (arrival) => ({
    organizationNo: 1,
    deviceId: others[arrival.device]?.deviceId ?? '',
    atMs: arrival.atMs,
    level: arrival.fillPercentage,
  }));
  const messages: Message[] = [];
  for (let first = 0; first < readings; first += 500) {
    const some = all.slice(first, first + 500);
    messages.push({ id: crypto.randomUUID(), receivedAtMs: Date.now(), readings: some, rejections: [] });
  }
  const startMs = performance.now();
  const lane = async (): Promise<void> => {
    for (
      let batch = messages.splice(0, MESSAGES_PER_BATCH);
      batch.length > 0;
      batch = messages.splice(0, MESSAGES_PER_BATCH)
    )
      await intake.takeIn(batch);
  };
  await Promise.all([lane(), lane()]);
  return (readings * 1_000) / (performance.now() - startMs);
}

/** The same readings into the same table, a year earlier: one connection, as many to a commit as the writer takes. */
async function copyAlone({ owner, postgres, tankNos }: Pipeline, readings: number, startAtMs: number): Promise<number> {
  const files: string[] = [];
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    const file = join(postgres.dataFolder, `rows${files.length}`);
    await writeFile(file, lines.join(''));
    files.push(file);
    lines = [];
  };
  const others = tankNos.slice(2 * CONNECTIONS);
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

/** Counted from the first publish until everything acknowledged is committed. */
async function endToEnd(
  pipeline: Pipeline,
  durationMs: number,
  { year, events }: { year: number; events: 'on' | 'off' },
): Promise<EndToEnd> {
  const { owner, mqttUrl, devices } = pipeline;
  const writer = pipeline.role('writer', { EVENTS: events });
  await writer.start();
  const storedBefore = await countStored(owner);
  const load = await runLoad({
    url: mqttUrl,
    // Each kind has devices of its own: what was stored unjudged would be judged first.
    devices: events === 'on' ? devices.slice(0, CONNECTIONS) : devices.slice(CONNECTIONS, 2 * CONNECTIONS),
    readingsPerPublish: READINGS_PER_PUBLISH,
    inFlight: 4,
    durationMs,
    startAtMs: Date.UTC(year),
    stepMs: 6 * 3_600_000,
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

/** By the counters, which are exact. */
async function countStored(owner: Pool): Promise<number> {
  const { rows } = await owner.query<{ n: number }>('select coalesce(sum(n), 0)::int8 as n from telemetry_months');
  return rows[0]?.n ?? 0;
}
