import type { Db } from '../db/pool.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { OPEN_HOURS_AFTER_DAY, type RoundState } from './round.ts';

/** A round with the counts of its stops. */
export interface RoundSummaryRow {
  no: number;
  id: string;
  date: string;
  state: RoundState;
  truck_id: string;
  truck_name: string;
  capacity: number;
  volume_unit: CapacityUnit;
  driver_id: string | null;
  driver_name: string | null;
  driver_phone: string | null;
  stops: number;
  open: number;
  delivered: number;
  not_possible: number;
  not_done: number;
  /** Open stops whose tanks lose gas. */
  blocked: number;
  must: number;
  litres: number;
  /** The load by the planned volumes. `withCurrentLoads` changes it to the current levels. */
  load_litres: number;
  fill_to_percentage: number;
  chance_limit: number;
  /** The time until which a person can undo the end of the round; null if this is not possible. */
  undo_until: string | null;
}

/**
 * SQL: the time until which the end of a round can be undone; null if it cannot. A round whose day ended too long ago is not reopened,
 * because endOldRounds would end it again.
 */
export const UNDO_UNTIL_SQL = `case when r.state in ('done', 'cancelled') and r.day_ends_at > now() - interval '${OPEN_HOURS_AFTER_DAY} hours'
  and r.ended_at > now() - interval '30 minutes'
  then least(r.ended_at + interval '30 minutes', r.day_ends_at + interval '${OPEN_HOURS_AFTER_DAY} hours') end`;

/** The rows of rounds `r`. */
export const SUMMARY_SQL = `select r.no, r.id, r.date::text as date, x.state, t.id as truck_id, t.name as truck_name, t.capacity,
    t.capacity_unit as volume_unit, d.id as driver_id, d.name as driver_name, d.phone as driver_phone,
    x.stops, x.open, x.delivered, x.not_possible, x.not_done, p.blocked, p.must, p.litres, p.load_litres,
    r.fill_to_percentage, r.chance_limit, ${UNDO_UNTIL_SQL} as undo_until
  from rounds r join round_states x on x.round_no = r.no join trucks t on t.no = r.truck_no
  left join drivers d on d.no = r.driver_no
  cross join lateral (
    select count(b.stop_no) filter (where o.outcome = 'open')::int as blocked,
           count(*) filter (where s.kind = 'must')::int as must, coalesce(sum(s.litres), 0) as litres,
           -- Delivered stops count with the delivered volume. Stops without a delivery count nothing, because the gas
           -- stays on the truck.
           coalesce(sum(case o.outcome when 'open' then s.litres
                                       when 'delivered' then coalesce(s.said_litres, o.seen_litres, s.litres)
                                       else 0 end), 0) as load_litres
    from round_stops s join round_stop_outcomes o on o.stop_no = s.no left join round_stop_blocks b on b.stop_no = s.no
    where s.round_no = r.no
  ) as p`;

/** The rounds of some days, for commands. */
export async function listRounds(
  db: Db,
  organizationNo: number,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<RoundSummaryRow[]> {
  const { rows } = await db.query<RoundSummaryRow>(
    `${SUMMARY_SQL} where r.organization_no = $1 and r.date between $2 and $3 order by r.date, lower(t.name), r.no limit $4`,
    [organizationNo, from, to, limit],
  );
  return rows;
}
