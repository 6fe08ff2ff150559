import type { Readers, Statement } from '../../db/readers.ts';
import { readState } from '../../fleet/tank_status.ts';
import { tenth } from '../../values/tenth.ts';

export type UsageUnit = 'month' | 'week';

export interface UsagePeriod {
  /** When the month or week begins. `starts_at` is later if the tank had its first reading later. */
  period_at: string;
  starts_at: string;
  ends_at: string;
  /** Null if there is no reading near one of the two edges. */
  used_volume: number | null;
  delivered_volume: number;
  lost_volume: number;
}

interface PeriodRow {
  period_at: string;
  starts_at: string;
  ends_at: string;
  first_level: number | null;
  last_level: number | null;
  delivered: number;
  lost: number;
  capacity: number;
}

/**
 * The use of a tank per month or week of a time zone: the level at the start, plus deliveries, minus losses, minus the level
 * at the end. Not the sum of all falls, which would count the noise of every reading. The running period ends with the last
 * reading that is believed: a delivery that is not confirmed yet would look like negative use.
 */
const USAGE: Statement = {
  name: 'usage_of_tank',
  text: `with edges as (
      select (date_trunc($3, now() at time zone $2) - make_interval(
               months => case when $3 = 'month' then p else 0 end, weeks => case when $3 = 'week' then p else 0 end
             )) at time zone $2 as starts_at,
             least($5::timestamptz, (date_trunc($3, now() at time zone $2) - make_interval(
               months => case when $3 = 'month' then p - 1 else 0 end, weeks => case when $3 = 'week' then p - 1 else 0 end
             )) at time zone $2) as ends_at
      from generate_series(0, $4::int - 1) as p
    ), known as (
      select e.starts_at, e.ends_at, f.first_at
      from edges e, (select created_at as first_at from oldest_telemetry($1, '-infinity', 'infinity', 1)) as f
      where e.ends_at > f.first_at and e.ends_at > e.starts_at
    )
    select k.starts_at::timestamptz(3) as period_at, greatest(k.starts_at, k.first_at)::timestamptz(3) as starts_at, k.ends_at::timestamptz(3) as ends_at, t.capacity,
      level_at($1, greatest(k.starts_at, k.first_at), interval '7 days') as first_level,
      level_at($1, k.ends_at, interval '7 days') as last_level,
      coalesce(sum((e.data ->> 'delivered_volume')::float8) filter (where e.type = 'tank.refilled'), 0) as delivered,
      coalesce(sum((e.data ->> 'lost_volume')::float8) filter (where e.type = 'tank.rapid_loss'), 0) as lost
    from known k
    join tanks t on t.no = $1
    left join events e on e.tank_no = $1 and e.type in ('tank.refilled', 'tank.rapid_loss') and e.retracted_at is null
      and e.occurred_at > k.starts_at and e.occurred_at <= k.ends_at
    group by k.starts_at, k.ends_at, k.first_at, t.capacity
    order by k.starts_at`,
};

const STATE: Statement = {
  name: 'state_of_tank',
  text: 'select encoded_state, latest_at from tank_states where tank_no = $1',
};

export async function readUsage(
  readers: Readers,
  { tankNo, zone, unit, periods }: { tankNo: number; zone: string; unit: UsageUnit; periods: number },
): Promise<UsagePeriod[]> {
  const [stored] = await readers.query<{ encoded_state: string | null; latest_at: string }>(STATE, [tankNo]);
  if (stored === undefined) return [];
  const believed = stored.encoded_state === null ? null : readState(stored.encoded_state)?.believed;
  const until = believed ? new Date(believed.atMs).toISOString() : stored.latest_at;
  const rows = await readers.query<PeriodRow>(USAGE, [tankNo, zone, unit, periods, until]);
  return rows.map(({ period_at, starts_at, ends_at, first_level, last_level, delivered, lost, capacity }) => ({
    period_at,
    starts_at,
    ends_at,
    used_volume:
      first_level === null || last_level === null
        ? null
        : Math.max(0, tenth(((first_level - last_level) / 100) * capacity + delivered - lost)),
    delivered_volume: tenth(delivered),
    lost_volume: tenth(lost),
  }));
}
