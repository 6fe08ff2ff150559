import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { cpuSecondsWith } from '../engines/process_use.ts';
import { openPool } from '../src/db/pool.ts';
import { EVALUATION_CONNECTIONS } from '../src/evaluation/evaluation_loops.ts';
import { TimerScan } from '../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { bytesPerRow, startBenchDatabase } from './database.ts';
import { buildFleet, CONTACTS, type EvaluationFleet } from './evaluation_fleet.ts';
import { probeAlerts, sendReadings, startLoops } from './evaluation_load.ts';
import { collectMails } from './evaluation_mails.ts';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from './report.ts';

const MAX_MINUTES = 10;
const MAX_ALERT_SECONDS = 60;
const LANES = 2;
/** One tank in fifteen is low with it. */
const NEW_THRESHOLD = 28;

/** Evaluation of a large cell: all tanks re-evaluated at once, late readings of one organization, all devices silent. */
export async function benchEvaluation({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 20_000 : 1_000_000;
  const tanksWithReadings = isQuick ? 2_000 : 20_000;
  const database = await startBenchDatabase();
  const writer = openPool({
    url: database.urls.writer,
    applicationName: 'bench writer',
    maxConnections: LANES + 1 + EVALUATION_CONNECTIONS,
    statementTimeoutMs: 60_000,
  });
  const { owner } = database;
  try {
    const fleet = await buildFleet(owner, tanks, tanksWithReadings, { log });
    const cpu = () => cpuSecondsWith(database.postgres);
    const checks: Check[] = [];
    const measure = async (phase: Promise<Check[]>): Promise<void> => {
      const measured = await phase;
      for (const { what, value } of measured) log(`${what}: ${value}`);
      checks.push(...measured);
    };
    await measure(measureMarked(owner, writer, fleet, tanks, cpu, log));
    await measure(measureLateReadings(owner, writer, fleet, isQuick ? 15 : 60, log));
    await measure(measureWaitingTimers(owner, writer, tanks, log));
    log(`${tanks} devices silent at once`);
    await measure(measureSilence(writer, tanks, cpu, log));
    await measure(measureMails(owner, database.urls.worker, log));
    return { name: 'evaluation', tanks, checks };
  } finally {
    await writer.end();
    await database.stop();
  }
}

type CpuSeconds = () => Promise<number>;

const countQueued = async (owner: Pool): Promise<number> => {
  const { rows } = await owner.query<{ n: number }>('select count(*) as n from reevaluations');
  return rows[0]?.n ?? 0;
};

/** Changes the threshold of all tanks in one statement, while some of them report. */
async function measureMarked(
  owner: Pool,
  writer: Pool,
  fleet: EvaluationFleet,
  tanks: number,
  cpu: CpuSeconds,
  log: BenchOptions['log'],
): Promise<Check[]> {
  const loops = startLoops(writer);
  const probe = probeAlerts(owner, writer, fleet.other);
  const reports = sendReadings(writer, fleet);
  log('changing the threshold of all tanks');
  // The audit log costs ten times as much as everything else here, and is not measured.
  await owner.query('alter table tanks disable trigger audit_changed_tanks');
  const changedAt = performance.now();
  await owner.query('update tanks set min_fill_alert_percentage = $2 where organization_no = $1', [
    fleet.organizationNo,
    NEW_THRESHOLD,
  ]);
  const markSeconds = (performance.now() - changedAt) / 1_000;
  const startedAt = performance.now();
  const startedCpu = await cpu();
  log(`marked after ${markSeconds.toFixed(1)} s`);
  for (let queued = tanks; queued > 0; queued = await countQueued(owner)) {
    log(`${queued} tanks wait`);
    await sleep(queued > 50_000 ? 5_000 : 200);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuUsed = (await cpu()) - startedCpu;
  const delays = await probe.stop();
  const stored = await reports.stop();
  await loops.stop();
  return [
    figure('seconds of the statement that changes all thresholds', markSeconds),
    atMost(`minutes from its commit until all ${tanks} tanks are re-evaluated`, seconds / 60, MAX_MINUTES),
    figure('tanks a second', tanks / seconds),
    figure('CPU microseconds of writer and database per tank', (cpuUsed / tanks) * 1e6),
    figure('readings of these tanks stored meanwhile, a second', stored / seconds),
    atMost(
      'largest delay of an alert of another organization meanwhile, seconds',
      delays.maxSeconds,
      MAX_ALERT_SECONDS,
    ),
    figure('alerts of another organization meanwhile', delays.alerts),
  ];
}

/** One organization sends 3,000 late readings a second, each of another tank. */
async function measureLateReadings(
  owner: Pool,
  writer: Pool,
  { other, firstTankNo, tanksWithReadings, latestMs }: EvaluationFleet,
  sendingSeconds: number,
  log: BenchOptions['log'],
): Promise<Check[]> {
  log(`${sendingSeconds} s of late readings by one organization`);
  const loops = startLoops(writer);
  const probe = probeAlerts(owner, writer, other);
  const ingester = new BatchIngester(writer);
  const startedAt = performance.now();
  let sent = 0;
  for (let request = 0; performance.now() - startedAt < sendingSeconds * 1_000; request++) {
    const readings = Array.from({ length: 1_000 }, (_, n) => ({
      tankNo: firstTankNo + ((request * 1_000 + n) % tanksWithReadings),
      atMs: latestMs - 13 * HOUR_MS - request * 1_000,
      fillPercentage: 50,
    }));
    sent += (await ingester.ingestReadings(readings)).stored;
    await sleep(Math.max(0, (request + 1) * 333 - (performance.now() - startedAt)));
  }
  const sendSeconds = (performance.now() - startedAt) / 1_000;
  const delays = await probe.stop();
  while ((await countQueued(owner)) > 0) await sleep(100);
  const seconds = (performance.now() - startedAt) / 1_000;
  const reevaluated = await loops.stop();
  return [
    figure('late readings a second of one organization', sent / sendSeconds),
    atMost(
      'largest delay of an alert of another organization meanwhile, seconds',
      delays.maxSeconds,
      MAX_ALERT_SECONDS,
    ),
    figure('tanks a second re-evaluated meanwhile, each from three days of readings', reevaluated / seconds),
  ];
}

/** All timers are due later today: a look must not read all tanks. */
async function measureWaitingTimers(
  owner: Pool,
  writer: Pool,
  tanks: number,
  log: BenchOptions['log'],
): Promise<Check[]> {
  log('looking for expired timers when all expire within the hour');
  const { rows } = await owner.query<{ ms: number }>(
    `select date_part('epoch', min(timer_at)) * 1000 as ms from tank_states where timer_at is not null`,
  );
  const scan = new TimerScan(writer);
  const beforeMs = (rows[0]?.ms ?? 0) - 1;
  await scan.fireBatch(beforeMs);
  const startedAt = performance.now();
  const { tanks: looked } = await scan.fireBatch(beforeMs);
  const ms = performance.now() - startedAt;
  return [atMost(`milliseconds of a look at ${tanks} timers that have not expired`, ms + looked, 100)];
}

async function measureSilence(
  writer: Pool,
  tanks: number,
  cpu: CpuSeconds,
  log: BenchOptions['log'],
): Promise<Check[]> {
  const scan = new TimerScan(writer);
  const rates: number[] = [];
  const tenth = tanks / 10;
  const startedAt = performance.now();
  const cpuPerTenth: number[] = [];
  let tenthCpu = await cpu();
  let events = 0;
  let tenthAt = startedAt;
  for (let batch = 1; batch > 0 && events < tanks; ) {
    const result = await scan.fireBatch(Date.now() + 72 * HOUR_MS);
    batch = result.tanks;
    events += result.events;
    if (events >= tenth * (rates.length + 1)) {
      rates.push(tenth / ((performance.now() - tenthAt) / 1_000));
      const nowCpu = await cpu();
      cpuPerTenth.push(((nowCpu - tenthCpu) / tenth) * 1e6);
      tenthCpu = nowCpu;
      tenthAt = performance.now();
      log(`${events} silent, ${Math.round(rates.at(-1) ?? 0)} a second`);
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return [
    figure('silent events', events),
    figure('silent devices a second, first tenth', rates[0] ?? 0),
    figure('silent devices a second, last tenth', rates.at(-1) ?? 0),
    figure('CPU microseconds of writer and database per silent device, first tenth', cpuPerTenth[0] ?? 0),
    figure('the same, last tenth', cpuPerTenth.at(-1) ?? 0),
    atMost('CPU of the last tenth to that of the first', (cpuPerTenth.at(-1) ?? 0) / (cpuPerTenth[0] ?? 1), 1.3),
    figure('seconds until all are found silent', seconds),
  ];
}

/** The worker starts when all events are recorded, so that the figures of the timers are those of the writer alone. */
async function measureMails(owner: Pool, workerUrl: string, log: BenchOptions['log']): Promise<Check[]> {
  const { notifySeconds, mailsPerContact } = await collectMails(workerUrl, owner, log);
  return [
    figure('disk per mail of an event, bytes', await bytesPerRow(owner, 'event_mails')),
    figure('seconds of the worker until all notifications are created', notifySeconds),
    atLeast('contacts that were mailed', mailsPerContact.length, CONTACTS.length),
    atMost('mails per contact in ten minutes', Math.max(...mailsPerContact), 1),
  ];
}
