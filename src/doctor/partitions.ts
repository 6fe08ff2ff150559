import type { Db } from '../db/pool.ts';
import { amount } from '../values/text_format.ts';
import { type CheckContext, type CheckFinding, finding, monthName } from './finding.ts';

interface Partition {
  name: string;
  from_at: string;
  to_at: string;
}

interface MissingPartition extends Partition {
  month: string;
  /** The number of plain readings of the month. */
  readings: number;
}

/** Finds missing partitions, and tables that are named like a partition but not attached. */
export async function checkPartitions({ pool, fix }: CheckContext): Promise<CheckFinding[]> {
  const strays = await strayTables(pool);
  const missing = await missingPartitions(pool);
  const { rows: due } = await pool.query<{ month: string }>(
    `select distinct utc_month(at) as month
     from unnest(array[now(), now() + interval '1 day']) as at
     where exists (select from missing_telemetry_partitions(at)) order by 1`,
  );
  const findings = [
    ...strays.map(({ name, from_at, to_at }) =>
      finding(
        `${name} is not attached to telemetry, so its readings are not listed`,
        `as the owner: alter table telemetry attach partition ${name} for values from ('${from_at}') to ('${to_at}'); ` +
          'or drop it if it is not needed',
      ),
    ),
    // `--fix` does not create an empty partition, because the counters would then be corrected and hide the loss.
    ...missing.map(({ name, month, readings }) =>
      finding(
        `${name} is missing, but telemetry_month_counters counts ${amount(readings, 'readings')} in ${monthName(month)}`,
        `restore ${name} from a backup and attach it; if the readings are lost: select ensure_telemetry_month('${month}'), ` +
          'then tankwatch doctor --fix',
      ),
    ),
  ];
  for (const { month } of due.filter((row) => !missing.some((counted) => counted.month === row.month))) {
    if (fix) await pool.query('select ensure_telemetry_month($1)', [month]);
    findings.push({
      problem: `telemetry lacks partitions of ${monthName(month)}`,
      remedy: 'run tankwatch doctor --fix, which creates them',
      fixed: fix,
      isWarning: true,
    });
  }
  return findings;
}

/** Tables that are named like a partition of a month or a day but not attached. */
async function strayTables(db: Db): Promise<Partition[]> {
  const { rows } = await db.query<Partition>(
    `select name, from_at at time zone 'UTC' as from_at, (from_at + length) at time zone 'UTC' as to_at
     from (
       select oid, relname as name, to_date(substr(relname, 11), 'YYYY_MM_DD')::timestamp as from_at,
              case when length(relname) > 17 then interval '1 day' else interval '1 month' end as length
       from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f')
         and relname ~ '^telemetry_[0-9]{4}_(0[1-9]|1[0-2])(_[0-3][0-9])?$'
     ) as named
     where not exists (
       select from pg_inherits where inhrelid = named.oid and inhparent = 'telemetry'::regclass
     )
     order by name`,
  );
  return rows;
}

/** Missing partitions of months that have plain readings. */
async function missingPartitions(db: Db): Promise<MissingPartition[]> {
  const { rows } = await db.query<MissingPartition>(
    `select counted.month, counted.readings, missing.*
     from (
       select month::timestamptz, sum(n) as readings from telemetry_month_counters
       where not is_packed and n > 0 group by month
     ) as counted
     cross join lateral missing_telemetry_partitions(counted.month) as missing
     order by missing.from_at`,
  );
  return rows;
}

/** Months with plain readings that lack a partition, or have one that is not attached. */
export async function incompleteMonths(db: Db): Promise<string[]> {
  const { rows: strays } = await db.query<{ month: string }>(
    `select utc_month(from_at::timestamptz) as month from unnest($1::text[]) as from_at`,
    [(await strayTables(db)).map(({ from_at }) => from_at)],
  );
  return [...strays, ...(await missingPartitions(db))].map(({ month }) => month);
}
