import type { Tx } from '../db/pool.ts';
import { IS_LOSING_SQL } from '../status/sections.ts';

/**
 * Escalates nothing that is so already when a plan begins to escalate, or to count a higher level as empty: otherwise the first plan
 * tells of every empty tank at once, and no text of the day is left for a loss. `above` is the level up to which tanks were empty
 * before, null if nothing was escalated.
 */
export async function markKnownConditions(
  tx: Tx,
  organizationNo: number,
  { above, upTo }: { above: number | null; upTo: number | null },
): Promise<void> {
  await tx.query(
    `insert into escalations (organization_no, tank_no, event_no, condition, ended_at, ended_because)
     select $1, known.tank_no, begun.no, known.condition, now(), 'known'
     from (
       select l.tank_no, 'low' as condition, 'tank.low_fill' as type
       from fleet_levels l join fleet_tanks f on f.tank_no = l.tank_no and f.is_low
       where l.organization_no = $1 and l.fill <= $3::real and ($2::real is null or l.fill > $2::real)
       union all
       select f.tank_no, 'losing', 'tank.rapid_loss' from fleet_tanks f
       where f.organization_no = $1 and ${IS_LOSING_SQL} and $2::real is null
     ) as known
     cross join lateral (
       select e.no from events e where e.tank_no = known.tank_no and e.type = known.type and e.retracted_at is null
       order by e.occurred_at desc limit 1
     ) as begun
     order by begun.no
     on conflict do nothing`,
    [organizationNo, above, upTo],
  );
}
