import type { Readers, Statement } from '../../db/readers.ts';

/** The number of days of a sparkline, up to now. */
export const SPARK_DAYS = 14;

/**
 * The last level of each of the last days, oldest first; null for a day without a reading. The readings of these days
 * are never packed, so they are in `telemetry`. A lookup there takes a ninth of the time of `level_at`. The first
 * condition on the time is the same for all days, so that PostgreSQL opens only the partitions of these days.
 */
const SPARKS: Statement = {
  name: 'sparks_of_tanks',
  text: `select t.id, array(
        select (
          select r.fill_percentage from telemetry r
          where r.tank_no = t.no and r.created_at > now() - ${SPARK_DAYS} * interval '1 day'
            and r.created_at > day.ends_at - interval '1 day' and r.created_at <= day.ends_at
          order by r.created_at desc limit 1
        )
        from (select now() - n * interval '1 day' as ends_at from generate_series(${SPARK_DAYS} - 1, 0, -1) as n) as day
      ) as levels
    from tanks t where t.organization_no = $1 and t.id = any ($2::uuid[])`,
};

/** The number of tanks per statement. Each tank takes about 0.2 ms, so that other senders wait for at most 10 ms. */
const TANKS_PER_STATEMENT = 50;

/** The sparklines of these tanks, by id. */
export async function readSparks(
  readers: Readers,
  organizationNo: number,
  ids: readonly string[],
): Promise<Map<string, (number | null)[]>> {
  const sparks = new Map<string, (number | null)[]>();
  for (let start = 0; start < ids.length; start += TANKS_PER_STATEMENT) {
    const batch = ids.slice(start, start + TANKS_PER_STATEMENT);
    const rows = await readers.query<{ id: string; levels: (number | null)[] }>(SPARKS, [organizationNo, batch]);
    for (const { id, levels } of rows) sparks.set(id, levels);
  }
  return sparks;
}
