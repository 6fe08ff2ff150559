import type { Db } from '../db/pool.ts';
import { amount, type CheckContext, type CheckFinding, finding, monthName } from './finding.ts';

/** SQL for the name of the partition of `month`. */
const PARTITION_NAME = `'telemetry_' || to_char(month at time zone 'UTC', 'YYYY_MM')`;

const IS_ATTACHED = `exists (
  select from pg_inherits
  where inhrelid = to_regclass(${PARTITION_NAME}) and inhparent = 'telemetry'::regclass
)`;

/** Finds missing partitions, and tables that are named like a partition but not attached. */
export async function checkPartitions({ pool, fix }: CheckContext): Promise<CheckFinding[]> {
  const strays = await strayTables(pool);
  const isStray = ({ month }: { month: string }): boolean => strays.some((stray) => stray.month === month);
  const missing = (await missingMonths(pool)).filter((month) => !isStray(month));
  const { rows: due } = await pool.query<{ month: string }>(
    `select month from unnest(array[utc_month(now()), next_utc_month(now())]) as month
     where to_regclass(${PARTITION_NAME}) is null order by month`,
  );
  const findings = [
    ...strays.map(({ month, ends_at, name }) =>
      finding(
        `${name} is not attached to telemetry, so its readings are not listed`,
        `as the owner: alter table telemetry attach partition ${name} for values from ('${month}') to ('${ends_at}'); ` +
          'or drop it if it is not needed',
      ),
    ),
    // Not fixed by creating an empty partition: then the counters would be corrected to 0 and hide the loss.
    ...missing.map(({ month, readings, name }) =>
      finding(
        `${name} is missing, but telemetry_month_counters counts ${amount(readings, 'readings')} in it`,
        `restore ${name} from a backup and attach it; if the readings are lost: select ensure_telemetry_month('${month}'), ` +
          'then tankwatch doctor --fix',
      ),
    ),
  ];
  for (const { month } of due.filter((row) => !missing.some((counted) => counted.month === row.month))) {
    if (fix) await pool.query('select ensure_telemetry_month($1)', [month]);
    findings.push({
      problem: `telemetry has no partition for ${monthName(month)} yet`,
      remedy: 'run tankwatch doctor --fix, which creates it',
      fixed: fix,
      isWarning: true,
    });
  }
  return findings;
}

/** Tables that are named like a partition but not attached. */
async function strayTables(db: Db): Promise<{ name: string; month: string; ends_at: string }[]> {
  const { rows } = await db.query<{ name: string; month: string; ends_at: string }>(
    `select name, month, next_utc_month(month) as ends_at
     from (
       select relname as name, to_timestamp(substr(relname, 11) || '+00', 'YYYY_MMTZH') as month
       from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f')
         and relname ~ '^telemetry_[0-9]{4}_(0[1-9]|1[0-2])$'
     ) as named
     where not ${IS_ATTACHED} order by name`,
  );
  return rows;
}

/** Months that have counted readings but no attached partition. */
export async function missingMonths(db: Db): Promise<{ month: string; readings: number; name: string }[]> {
  const { rows } = await db.query<{ month: string; readings: number; name: string }>(
    `select month, readings, ${PARTITION_NAME} as name
     from (select month, sum(n) as readings from telemetry_month_counters where n > 0 group by month) as counted
     where not ${IS_ATTACHED} order by month`,
  );
  return rows;
}
