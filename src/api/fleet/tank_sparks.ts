import type { Readers, Statement } from '../../db/readers.ts';

/** The days of a sparkline, up to now. */
export const SPARK_DAYS = 14;

/** The last level of each of the last days, oldest first; null for a day without a reading. */
const SPARKS: Statement = {
  name: 'sparks_of_tanks',
  text: `select t.id, array(
        select level_at(t.no, now() - day * interval '1 day', interval '1 day')
        from generate_series(${SPARK_DAYS} - 1, 0, -1) as day
      ) as levels
    from tanks t where t.organization_no = $1 and t.id = any ($2::uuid[])`,
};

/** The tanks of one statement. Each takes about 1 ms, so that others get their turn after 25 ms. */
const TANKS_PER_STATEMENT = 25;

/** The sparklines of these tanks, by id. */
export async function readSparks(
  readers: Readers,
  organizationNo: number,
  ids: readonly string[],
): Promise<Map<string, (number | null)[]>> {
  const sparks = new Map<string, (number | null)[]>();
  for (let at = 0; at < ids.length; at += TANKS_PER_STATEMENT) {
    const some = ids.slice(at, at + TANKS_PER_STATEMENT);
    const rows = await readers.query<{ id: string; levels: (number | null)[] }>(SPARKS, [organizationNo, some]);
    for (const { id, levels } of rows) sparks.set(id, levels);
  }
  return sparks;
}
