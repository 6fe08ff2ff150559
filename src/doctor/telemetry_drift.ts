import type { Db } from '../db/pool.ts';
import { type CounterDrift, describeDrift, findCounterDrift, fixCounterDrift } from '../telemetry/counter_drift.ts';
import { type CheckContext, type CheckFinding, firstOfMany } from './finding.ts';
import { incompleteMonths } from './partitions.ts';

/** All tables are keyed by tank first, so a range of tanks is a range of each table. Small ranges keep snapshots short. */
const RANGE_TANKS = 2_000;

/** With more tanks, counting all readings takes an hour or more. */
const LARGE_TANKS = 200_000;

/** Counts all readings of small installations. For large ones, the worker's continuous check is enough (src/telemetry/counter_check.ts). */
export async function checkTelemetryCounters(context: CheckContext): Promise<CheckFinding[]> {
  if (context.isSampled === true && !context.fix && (await countTanks(context.pool)) > LARGE_TANKS) return [];
  return countAllReadings(context);
}

/** The approximate number of tanks with readings. */
async function countTanks(db: Db): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select reltuples as n from pg_class where oid = 'tank_states'::regclass`,
  );
  return rows[0]?.n ?? 0;
}

async function countAllReadings({ pool, fix, progress }: CheckContext): Promise<CheckFinding[]> {
  // A missing partition may be restored. Until then a recount would hide the loss (see partitions).
  const missing = await incompleteMonths(pool);
  const found = new Map<CounterDrift['kind'], { first: CounterDrift; count: number; left: number }>();

  let next = await nextTank(pool, 0);
  while (next !== undefined) {
    const range = { from: next.tankNo, to: next.tankNo + RANGE_TANKS, missing };
    const drifts = await findCounterDrift(pool, range);
    if (fix && drifts.length > 0) await fixCounterDrift(pool, drifts);
    const left = fix && drifts.length > 0 ? await findCounterDrift(pool, range) : drifts;
    for (const drift of drifts) {
      const kind = found.get(drift.kind) ?? { first: drift, count: 0, left: 0 };
      found.set(drift.kind, { ...kind, count: kind.count + 1 });
    }
    for (const { kind } of left) {
      const counts = found.get(kind);
      if (counts !== undefined) counts.left += 1;
    }
    progress(`tanks up to ${Math.min(range.to, next.lastTankNo)} of ${next.lastTankNo}`);
    next = await nextTank(pool, range.to);
  }
  return [...found.values()].map(({ first, count, left }) => ({
    problem: firstOfMany(describeDrift(first), count),
    remedy: remedyOf(first),
    fixed: left === 0,
  }));
}

const remedyOf = ({ kind, tank_no, latest_at }: CounterDrift): string =>
  kind === 'latest' && latest_at === null
    ? `as the owner: delete from tank_states where tank_no = ${tank_no}`
    : 'run tankwatch doctor --fix, which counts again; then look for a program that writes to telemetry by itself';

/** The next tank that occurs in any of the tables, so that gaps between numbers are skipped. */
async function nextTank(db: Db, from: number): Promise<{ tankNo: number; lastTankNo: number } | undefined> {
  const tables = ['telemetry', 'packed_telemetry', 'telemetry_month_counters', 'telemetry_buckets', 'tank_states'];
  const bounds = tables.map(
    (table) => `select min(tank_no) as first, max(tank_no) as last from ${table} where tank_no >= $1`,
  );
  const { rows } = await db.query<{ first: number | null; last: number }>(
    `select min(first) as first, max(last) as last from (${bounds.join(' union all ')}) as bounds`,
    [from],
  );
  const [row] = rows;
  return row === undefined || row.first === null ? undefined : { tankNo: row.first, lastTankNo: row.last };
}
