import { readTimeZone } from '../catalog/organizations.ts';
import type { Db } from '../db/pool.ts';
import { zonedDate } from '../values/zoned_time.ts';

/** The outcomes of the stops of one day. */
export interface RoundsOfDay {
  stops: number;
  delivered: number;
  notPossible: number;
}

/** Reads the outcomes of all rounds of yesterday that were not cancelled; null if they had no stop. */
export async function readRoundsOfYesterday(
  db: Db,
  organizationNo: number,
  nowMs: number,
): Promise<RoundsOfDay | null> {
  const today = zonedDate(nowMs, await readTimeZone(db, organizationNo));
  const { rows } = await db.query<RoundsOfDay>(
    `select coalesce(sum(x.stops), 0)::int as stops, coalesce(sum(x.delivered), 0)::int as delivered,
            coalesce(sum(x.not_possible), 0)::int as "notPossible"
     from rounds r join round_states x on x.round_no = r.no
     where r.organization_no = $1 and r.date = $2::date - 1 and r.state <> 'cancelled'`,
    [organizationNo, today],
  );
  const [sums] = rows;
  return sums === undefined || sums.stops === 0 ? null : sums;
}
