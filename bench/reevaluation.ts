import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { cpuSecondsWith } from '../engines/process_use.ts';
import { readNumber } from '../engines/read_number.ts';
import { createTenant } from '../engines/tenant.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { openPool } from '../src/db/pool.ts';
import { STATE_VERSION } from '../src/evaluation/state_codec.ts';
import { startBenchDatabase } from './database.ts';
import { MAX_ALERT_SECONDS, openWriter, probeAlerts, startLoops } from './evaluation_load.ts';
import { buildFiveYears, YEARS } from './five_years.ts';
import { currentLsn } from './growth/ingest.ts';
import { SHIPPED_WRITES } from './growth/size.ts';
import { atMost, type BenchOptions, type Check, figure, type Report, round } from './report.ts';

const WHOLE_FLEET = 100_000;

export interface ReevaluationOptions extends BenchOptions {
  /** Measures 100,000 tanks instead of extrapolating from fewer. */
  isFull: boolean;
  tanks: number | null;
}

/**
 * Measures a new release that increases STATE_VERSION: one writer evaluates all stored readings of all tanks again. Two sizes
 * show that the cost of a tank does not depend on the number of tanks.
 */
export async function benchReevaluation({ isQuick, isFull, tanks, log }: ReevaluationOptions): Promise<Report> {
  const sizes = tanks !== null ? [tanks] : isQuick ? [50, 200] : isFull ? [WHOLE_FLEET] : [1_000, 4_000];
  const results: SizeResult[] = [];
  for (const size of sizes) results.push(await measureSize(size, log));
  const [first, last] = [results[0], results.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no size was measured');
  const checks = results.flatMap((result) => checksOf(result));
  if (first !== last)
    checks.push(atMost('CPU time of a tank, largest size against smallest', last.cpuMs / first.cpuMs, 1.3));
  if (last.tanks !== WHOLE_FLEET)
    checks.push(
      figure(`extrapolated: hours for ${WHOLE_FLEET} tanks`, (WHOLE_FLEET * last.seconds) / last.tanks / 3_600),
      figure(`extrapolated: CPU hours for ${WHOLE_FLEET} tanks`, (WHOLE_FLEET * last.cpuMs) / 3.6e6),
    );
  return { name: 'reevaluation', checks, years: YEARS, readings_per_tank: round(last.readingsPerTank) };
}

interface SizeResult {
  tanks: number;
  readingsPerTank: number;
  seconds: number;
  /** The CPU time of the writer and of PostgreSQL for one tank. */
  cpuMs: number;
  walBytesPerTank: number;
  eventsPerTank: number;
  haveEventsChanged: boolean;
  alertSeconds: number;
}

const checksOf = (size: SizeResult): Check[] => {
  const title = `${size.tanks} tanks`;
  return [
    figure(`${title}: minutes until all are re-evaluated`, size.seconds / 60),
    figure(`${title}: tanks a second`, size.tanks / size.seconds),
    figure(`${title}: readings a second`, (size.tanks * size.readingsPerTank) / size.seconds),
    figure(`${title}: CPU time of writer and database per tank, ms`, size.cpuMs),
    figure(`${title}: CPU time per reading, us`, (size.cpuMs * 1_000) / size.readingsPerTank),
    figure(`${title}: WAL bytes per tank`, size.walBytesPerTank),
    figure(`${title}: events per tank`, size.eventsPerTank),
    atMost(`${title}: events differ from those before (0: no, 1: yes)`, Number(size.haveEventsChanged), 0),
    atMost(
      `${title}: largest delay of an alert of another organization during the re-evaluation, seconds`,
      size.alertSeconds,
      MAX_ALERT_SECONDS,
    ),
  ];
};

async function measureSize(tanks: number, log: BenchOptions['log']): Promise<SizeResult> {
  log(`${tanks} tanks`);
  await using database = await startBenchDatabase(SHIPPED_WRITES);
  const { owner, urls, postgres } = database;
  await using worker = openPool({ url: urls.worker, applicationName: 'bench worker' });
  await using writer = openWriter(urls.writer);
  const { organizationNo } = await buildFiveYears(owner, worker, tanks, log);
  const readings = await readNumber(owner, 'select sum(n)::float8 as n from telemetry_month_counters');
  const other = await createTenant(owner, { code: 'a0other', devices: 0 });
  const before = await readEvents(owner, organizationNo);
  await writeOlderStates(owner);
  await owner.query('vacuum analyze tank_states');
  await owner.query('checkpoint');

  const lsn = await currentLsn(owner);
  const [cpuBefore, startMs] = [await cpuSecondsWith(postgres), performance.now()];
  const loops = startLoops(writer);
  const probe = probeAlerts(owner, writer, other);
  for (let left = tanks; left > 0; left = await countWaiting(owner, organizationNo)) {
    log(`${left} tanks wait`);
    await sleep(left > 2_000 ? 5_000 : 500);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  const cpuUsed = (await cpuSecondsWith(postgres)) - cpuBefore;
  const { rows: written } = await owner.query<{ bytes: number }>(
    'select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), $1)::float8 as bytes',
    [lsn],
  );
  const { maxSeconds } = await probe.stop();
  await loops.stop();
  const after = await readEvents(owner, organizationNo);
  return {
    tanks,
    readingsPerTank: readings / tanks,
    seconds,
    cpuMs: (cpuUsed / tanks) * 1_000,
    walBytesPerTank: onlyRow(written).bytes / tanks,
    eventsPerTank: after.events / tanks,
    haveEventsChanged: before.hash !== after.hash,
    alertSeconds: maxSeconds,
  };
}

/** Turns all states and checkpoints into those of the previous release, which this release cannot read. */
async function writeOlderStates(owner: Pool): Promise<void> {
  for (const table of ['tank_states', 'tank_checkpoints'])
    await owner.query(`update ${table} set encoded_state = regexp_replace(encoded_state, '^\\[\\d+,', $1)`, [
      `[${STATE_VERSION - 1},`,
    ]);
}

/** Counts tanks with a state of the previous release, and tanks that are partly evaluated. */
const countWaiting = (owner: Pool, organizationNo: number): Promise<number> =>
  readNumber(
    owner,
    `select (select count(*) from tank_states where encoded_state like $1)
       + (select count(*) from reevaluations where organization_no = $2) as n`,
    [`[${STATE_VERSION - 1},%`, organizationNo],
  );

/** The number of valid events, and a hash of which ones they are. */
async function readEvents(owner: Pool, organizationNo: number): Promise<{ events: number; hash: string }> {
  const { rows } = await owner.query<{ n: number; ids: string }>(
    `select count(*)::float8 as n, md5(string_agg(id::text, ',' order by id)) as ids
     from events where organization_no = $1 and retracted_at is null`,
    [organizationNo],
  );
  const { n, ids } = onlyRow(rows);
  return { events: n, hash: ids };
}
