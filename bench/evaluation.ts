import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { cpuSecondsWith } from '../engines/process_use.ts';
import { readNumber } from '../engines/read_number.ts';
import { TimerScan } from '../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { bytesPerRow, startBenchDatabase } from './database.ts';
import { buildFleet, CONTACTS, type EvaluationFleet } from './evaluation_fleet.ts';
import { MAX_ALERT_SECONDS, openWriter, probeAlerts, sendReadings, startLoops } from './evaluation_load.ts';
import { collectMails } from './evaluation_mails.ts';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from './report.ts';

const MAX_MINUTES = 10;
/** One tank in fifteen is low with it. */
const NEW_THRESHOLD = 28;

/** Measures the evaluation of a large cell: all tanks re-evaluated at once, late readings of one organization, all devices silent. */
export async function benchEvaluation({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 20_000 : 1_000_000;
  const tanksWithReadings = isQuick ? 2_000 : 20_000;
  await using database = await startBenchDatabase();
  await using writer = openWriter(database.urls.writer);
  const { owner } = database;
  const fleet = await buildFleet(owner, tanks, tanksWithReadings, { log });
  const cpu = () => cpuSecondsWith(database.postgres);
  const checks: Check[] = [];
  const measure = async (phase: Promise<Check[]>): Promise<void> => {
    const measured = await phase;
    for (const { what, value } of measured) log(`${what}: ${value}`);
    checks.push(...measured);
  };
  await measure(measureNewThreshold(owner, writer, fleet, tanks, cpu, log));
  await measure(measureLateReadings(owner, writer, fleet, isQuick ? 15 : 60, log));
  await measure(measureWaitingTimers(owner, writer, tanks, log));
  log(`${tanks} devices silent at once`);
  await measure(measureSilence(writer, tanks, cpu, log));
  await measure(measureMails(owner, database.urls.worker, log));
  return { name: 'evaluation', tanks, checks };
}

type CpuSeconds = () => Promise<number>;

const countQueued = (owner: Pool): Promise<number> => readNumber(owner, 'select count(*) as n from reevaluations');

/** Changes the threshold of all tanks in one statement, while some of them report. */
async function measureNewThreshold(
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
  const changeStartMs = performance.now();
  await owner.query('update tanks set min_fill_alert_percentage = $2 where organization_no = $1', [
    fleet.organizationNo,
    NEW_THRESHOLD,
  ]);
  const changeSeconds = (performance.now() - changeStartMs) / 1_000;
  const startMs = performance.now();
  const startCpu = await cpu();
  log(`all tanks are queued after ${changeSeconds.toFixed(1)} s`);
  for (let queued = tanks; queued > 0; queued = await countQueued(owner)) {
    log(`${queued} tanks wait`);
    await sleep(queued > 50_000 ? 5_000 : 200);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  const cpuUsed = (await cpu()) - startCpu;
  const delays = await probe.stop();
  const stored = await reports.stop();
  await loops.stop();
  return [
    figure('seconds of the statement that changes all thresholds', changeSeconds),
    atMost(`minutes from its commit until all ${tanks} tanks are re-evaluated`, seconds / 60, MAX_MINUTES),
    figure('tanks re-evaluated a second', tanks / seconds),
    figure('CPU microseconds of writer and database per tank', (cpuUsed / tanks) * 1e6),
    figure(
      'readings of these tanks stored during the statement and the re-evaluation, a second',
      stored / (changeSeconds + seconds),
    ),
    atMost(
      'largest delay of an alert of another organization during the re-evaluation, seconds',
      delays.maxSeconds,
      MAX_ALERT_SECONDS,
    ),
    figure('alerts of another organization during the re-evaluation', delays.alerts),
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
  const startMs = performance.now();
  let sent = 0;
  for (let request = 0; performance.now() - startMs < sendingSeconds * 1_000; request++) {
    const readings = Array.from({ length: 1_000 }, (_, n) => ({
      tankNo: firstTankNo + ((request * 1_000 + n) % tanksWithReadings),
      atMs: latestMs - 13 * HOUR_MS - request * 1_000,
      fillPercentage: 50,
    }));
    sent += (await ingester.ingestReadings(readings)).stored;
    await sleep(Math.max(0, (request + 1) * 333 - (performance.now() - startMs)));
  }
  const sendSeconds = (performance.now() - startMs) / 1_000;
  const delays = await probe.stop();
  while ((await countQueued(owner)) > 0) await sleep(100);
  const seconds = (performance.now() - startMs) / 1_000;
  const reevaluated = await loops.stop();
  return [
    figure('late readings a second of one organization', sent / sendSeconds),
    atMost(
      'largest delay of an alert of another organization during late readings, seconds',
      delays.maxSeconds,
      MAX_ALERT_SECONDS,
    ),
    figure('tanks re-evaluated a second after late readings, each from three days of readings', reevaluated / seconds),
  ];
}

/** All timers expire later: a scan for expired ones must not read all tanks. */
async function measureWaitingTimers(
  owner: Pool,
  writer: Pool,
  tanks: number,
  log: BenchOptions['log'],
): Promise<Check[]> {
  log('scanning for expired timers before the first one expires');
  const { rows } = await owner.query<{ ms: number }>(
    `select date_part('epoch', min(timer_at)) * 1000 as ms from tank_states where timer_at is not null`,
  );
  const scan = new TimerScan(writer);
  const beforeMs = (rows[0]?.ms ?? 0) - 1;
  await scan.fireBatch(beforeMs);
  const startMs = performance.now();
  const { tanks: fired } = await scan.fireBatch(beforeMs);
  const ms = performance.now() - startMs;
  if (fired > 0) throw new Error(`${fired} timers fired before they expired`);
  return [atMost(`milliseconds of a scan of ${tanks} timers that have not expired`, ms, 100)];
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
  const startMs = performance.now();
  const cpuPerTenth: number[] = [];
  let tenthCpu = await cpu();
  let events = 0;
  let tenthAt = startMs;
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
  const seconds = (performance.now() - startMs) / 1_000;
  return [
    figure('silent events', events),
    figure('silent devices a second, first tenth', rates[0] ?? 0),
    figure('silent devices a second, last tenth', rates.at(-1) ?? 0),
    figure('CPU microseconds of writer and database per silent device, first tenth', cpuPerTenth[0] ?? 0),
    figure('CPU microseconds of writer and database per silent device, last tenth', cpuPerTenth.at(-1) ?? 0),
    atMost(
      'CPU of the last tenth of silent devices as a multiple of that of the first',
      (cpuPerTenth.at(-1) ?? Number.NaN) / (cpuPerTenth[0] ?? Number.NaN),
      1.3,
    ),
    figure('seconds until all are found silent', seconds),
  ];
}

/** The worker starts when all events are recorded, so that the figures of the timers are those of the writer alone. */
async function measureMails(owner: Pool, workerUrl: string, log: BenchOptions['log']): Promise<Check[]> {
  const { notifySeconds, maxMailsPerContact } = await collectMails(workerUrl, owner, log);
  return [
    figure('disk per mail of an event, bytes', await bytesPerRow(owner, 'event_mails')),
    figure('seconds of the worker until all notifications are created', notifySeconds),
    atLeast('contacts that were mailed', maxMailsPerContact.filter((mails) => mails > 0).length, CONTACTS.length),
    atMost('most mails to a contact in ten minutes', Math.max(...maxMailsPerContact), 1),
  ];
}
