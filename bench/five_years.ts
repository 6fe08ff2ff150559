import type { Pool } from 'pg';
import { transaction } from '../src/db/pool.ts';
import { reevaluateAllTanks } from '../src/evaluation/reevaluator.ts';
import { FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { type BulkFleet, createFleet } from './bulk_fleet.ts';
import { countTelemetry } from './bulk_telemetry.ts';
import { labelTank } from './labelled_year.ts';
import type { BenchOptions } from './report.ts';
import { inOrder, YEAR_STARTS_MS } from './tank_year.ts';

export const YEARS = 5;
const CADENCE_MS = 6 * HOUR_MS;
/** Tanks with a history of their own. The other tanks are copies of them. */
const TEMPLATES = 20;

/**
 * Creates a fleet whose tanks have four readings a day for five years, packed as the worker packs them, with the states,
 * checkpoints and events of an evaluation. 20 tanks are evaluated, and their rows are copied for all others.
 */
export async function buildFiveYears(owner: Pool, worker: Pool, tanks: number, log: BenchOptions['log']) {
  const endMs = Date.now() - HOUR_MS;
  const fleet = await createFleet(owner, { tanks, tanksPerOwner: 2, latestMs: endMs, cadenceMs: CADENCE_MS, log });
  const templates = Math.min(TEMPLATES, tanks);
  log(`storing ${YEARS} years of ${templates} tanks`);
  for (let n = 0; n < templates; n++) await storeReadings(owner, fleet.firstTankNo + n, makeFiveYears(n, endMs));
  await countTelemetry(owner);
  await packMonths(worker, FULL_BUDGET);
  await evaluateTemplates(owner, fleet, templates);
  log(`copying the rows of ${templates} tanks for the other tanks`);
  await copyTemplates(owner, fleet, templates);
  await owner.query('vacuum analyze');
  return fleet;
}

interface StoredReadings {
  atMs: number[];
  fillPercentage: number[];
}

/** Makes five simulated years, one after the other. Between two of them, the level changes as by a refill or a large use. */
function makeFiveYears(template: number, endMs: number): StoredReadings {
  const readings: StoredReadings = { atMs: [], fillPercentage: [] };
  let number = template * 1_000;
  for (let year = YEARS; year > 0; year--) {
    let tank = labelTank(7, number++);
    while (tank.truth.cadenceMs !== CADENCE_MS) tank = labelTank(7, number++);
    const shiftMs = endMs - year * 365 * DAY_MS - YEAR_STARTS_MS;
    for (const { atMs, fillPercentage } of inOrder(tank.deliveries)) {
      if (atMs + shiftMs >= endMs) continue;
      readings.atMs.push(atMs + shiftMs);
      readings.fillPercentage.push(fillPercentage);
    }
  }
  return readings;
}

async function storeReadings(owner: Pool, tankNo: number, { atMs, fillPercentage }: StoredReadings): Promise<void> {
  for (let ms = atMs[0] ?? 0; ms < Date.now() + 31 * DAY_MS; ms += 28 * DAY_MS)
    await owner.query('select ensure_telemetry_month($1)', [new Date(ms).toISOString()]);
  await owner.query(
    `insert into telemetry (tank_no, created_at, fill_percentage)
     select $1, to_timestamp(at_ms / 1000), level from unnest($2::float8[], $3::real[]) as r (at_ms, level) order by 2
     on conflict do nothing`,
    [tankNo, atMs, fillPercentage],
  );
}

/** Evaluates the templates from their first reading on, as a re-evaluation does. */
async function evaluateTemplates(owner: Pool, { firstTankNo, organizationNo }: BulkFleet, templates: number) {
  const last = firstTankNo + templates - 1;
  await owner.query(
    `update tank_states s set encoded_state = null, timer_at = null, latest_at = r.created_at,
       latest_fill_percentage = r.fill_percentage
     from generate_series($1::int, $2::int) as n, lateral newest_telemetry(n, '-infinity', 'infinity', 1) as r
     where s.tank_no = n`,
    [firstTankNo, last],
  );
  await owner.query(
    'insert into reevaluations (tank_no, organization_no) select n, $3 from generate_series($1::int, $2::int) as n',
    [firstTankNo, last, organizationNo],
  );
  await reevaluateAllTanks(owner);
}

/** Copies the rows of the templates with a statement for each table. The rows of the catalog exist. */
async function copyTemplates(owner: Pool, { firstTankNo, tanks }: BulkFleet, templates: number): Promise<void> {
  const others = `(select t.no, t.id, $1::int + (t.no - $1::int) % $2::int as template
    from tanks t where t.no >= $1::int + $2::int and t.no < $1::int + $3::int) as t`;
  const statements = [
    `insert into packed_telemetry (tank_no, starts_at, times, levels, checksum)
     select t.no, p.starts_at, p.times, p.levels, packed_checksum(t.no, p.starts_at, p.times, p.levels)
     from ${others} join packed_telemetry p on p.tank_no = t.template order by t.no, p.starts_at`,
    `insert into telemetry (tank_no, created_at, fill_percentage)
     select t.no, r.created_at, r.fill_percentage
     from ${others} join telemetry r on r.tank_no = t.template and r.created_at >= first_hot_month()
     order by r.created_at, t.no`,
    `insert into telemetry_month_counters (tank_no, month, n, is_packed)
     select t.no, c.month, c.n, c.is_packed
     from ${others} join telemetry_month_counters c on c.tank_no = t.template order by t.no, c.month`,
    `insert into tank_checkpoints (tank_no, week_index, at, encoded_state)
     select t.no, c.week_index, c.at, c.encoded_state
     from ${others} join tank_checkpoints c on c.tank_no = t.template order by t.no`,
    `update tank_states s set latest_at = o.latest_at, latest_fill_percentage = o.latest_fill_percentage,
       encoded_state = o.encoded_state, timer_at = o.timer_at
     from ${others} join tank_states o on o.tank_no = t.template where s.tank_no = t.no`,
    `insert into events (id, organization_no, tank_no, type, occurred_at, recorded_at, data, readings, notify, retracted_at,
       retracted_because)
     select derive_event_id(t.id, e.type, e.occurred_at), e.organization_no, t.no, e.type, e.occurred_at, e.recorded_at, e.data,
       e.readings, e.notify, e.retracted_at, e.retracted_because
     from ${others} join events e on e.tank_no = t.template order by t.no, e.occurred_at`,
  ];
  await transaction(owner, async (tx) => {
    await tx.query('set local session_replication_role = replica'); // no triggers
    for (const statement of statements) await tx.query(statement, [firstTankNo, templates, tanks]);
  });
}
