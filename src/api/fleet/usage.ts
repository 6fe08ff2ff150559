import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import type { TankState } from '../../evaluation/pure/alerts/tank_state.ts';
import { decodeCurrentState } from '../../status/tank_status.ts';
import { litersPerUnitSql } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { HOUR_MS } from '../../values/time.ts';
import { parseTimeZone } from '../../values/zoned_time.ts';
import { operation } from '../operation.ts';
import { integerParameter, type Parameter } from '../parameters.ts';
import { Closed, Named, NullableNumber, Time } from '../schemas/values.ts';
import { visibleTankNo } from '../visible_tank.ts';
import { oneOf } from './filters.ts';

type UsageUnit = 'month' | 'week';

interface PeriodRow {
  tank_no: number;
  period_at: string;
  starts_at: string;
  ends_at: string;
  first_level: number | null;
  last_level: number | null;
  delivered: number;
  lost: number;
  capacity: number;
}

/** SQL: a volume of the event `e` in the unit that the tank has now. The event keeps the unit that it was recorded with. */
const inUnitOfTank = (volume: string): string =>
  `(e.data ->> '${volume}')::float8 * ${litersPerUnitSql("e.data ->> 'volume_unit'")} / ${litersPerUnitSql('k.capacity_unit')}`;

/**
 * The use of a tank per month or week of a time zone: the level at the start, plus deliveries, minus losses, minus the
 * level at the end. It is not the sum of all falls, which would count the noise of every reading. The current period
 * ends with the last accepted reading, because a delivery that is not confirmed yet would look like negative use. The
 * event of a loss has only the volume that was lost when the loss was detected. For the latest loss, the levels until
 * the loss was last detected count instead: $6 is the time of its event, $7 its end.
 */
const USAGE: Statement = {
  name: 'usage_of_tanks',
  text: `with edges as (
      select (date_trunc($3, now() at time zone $2) - make_interval(
               months => case when $3 = 'month' then p else 0 end, weeks => case when $3 = 'week' then p else 0 end
             )) at time zone $2 as starts_at,
             (date_trunc($3, now() at time zone $2) - make_interval(
               months => case when $3 = 'month' then p - 1 else 0 end, weeks => case when $3 = 'week' then p - 1 else 0 end
             )) at time zone $2 as ends_at
      from generate_series(0, $4::int - 1) as p
    ), known as materialized (
      select w.tank_no, w.loss_at, w.lost_until, e.starts_at, least(w.until_at, e.ends_at) as ends_at, f.first_at,
             t.capacity, t.capacity_unit
      from unnest($1::int[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[])
        as w (tank_no, until_at, loss_at, lost_until)
      join tanks t on t.no = w.tank_no
      cross join lateral (
        select created_at as first_at from oldest_telemetry(w.tank_no, '-infinity', 'infinity', 1)
      ) as f
      cross join edges e
      where least(w.until_at, e.ends_at) > greatest(f.first_at, e.starts_at)
    )
    select k.tank_no, k.starts_at::timestamptz(3) as period_at,
      greatest(k.starts_at, k.first_at)::timestamptz(3) as starts_at, k.ends_at::timestamptz(3) as ends_at, k.capacity,
      level_at(k.tank_no, greatest(k.starts_at, k.first_at), interval '7 days') as first_level,
      level_at(k.tank_no, k.ends_at, interval '7 days') as last_level, moved.delivered,
      moved.lost + coalesce(latest.lost, 0) as lost
    from known k
    cross join lateral (
      select coalesce(sum(${inUnitOfTank('delivered_volume')}) filter (where e.type = 'tank.refilled'), 0) as delivered,
             coalesce(sum(${inUnitOfTank('lost_volume')})
               filter (where e.type = 'tank.rapid_loss' and e.occurred_at is distinct from k.loss_at), 0) as lost
      from events e
      where e.tank_no = k.tank_no and e.type in ('tank.refilled', 'tank.rapid_loss') and e.retracted_at is null
        and e.occurred_at > k.starts_at and e.occurred_at <= k.ends_at
    ) as moved
    left join lateral (
      select greatest(
               (level_at(k.tank_no, greatest(k.starts_at, l.began_at), interval '7 days')
                 - level_at(k.tank_no, least(k.ends_at, k.lost_until), interval '7 days')) / 100 * k.capacity,
               -- if a delivery came in between, the event is more exact than the levels
               case when k.loss_at > k.starts_at and k.loss_at <= k.ends_at then ${inUnitOfTank('lost_volume')} end,
               0) as lost
      from events e
      cross join lateral (select (e.readings -> 0 ->> 'created_at')::timestamptz as began_at) as l
      where e.tank_no = k.tank_no and e.type = 'tank.rapid_loss' and e.retracted_at is null and e.occurred_at = k.loss_at
        and l.began_at < k.ends_at and k.lost_until > k.starts_at
    ) as latest on true
    order by k.tank_no, k.starts_at`,
};

const STATES: Statement = {
  name: 'states_of_tanks',
  text: 'select tank_no, encoded_state, latest_at from tank_states where tank_no = any ($1::int[])',
};

export interface UsageRange {
  zone: string;
  unit: UsageUnit;
  periods: number;
}

/** The number of tanks per statement. Each tank takes about 2 ms, so that other senders wait for at most 20 ms. */
const TANKS_PER_STATEMENT = 10;

/** The use of each tank. Tanks without a reading have no periods. */
export async function readUsages(
  readers: Readers,
  tankNos: readonly number[],
  range: UsageRange,
): Promise<Map<number, UsagePeriod[]>> {
  const usages = new Map<number, UsagePeriod[]>(tankNos.map((tankNo) => [tankNo, []]));
  for (let start = 0; start < tankNos.length; start += TANKS_PER_STATEMENT) {
    const rows = await readPeriods(readers, tankNos.slice(start, start + TANKS_PER_STATEMENT), range);
    for (const { tank_no, ...row } of rows) usages.get(tank_no)?.push(usageOf(row));
  }
  return usages;
}

async function readPeriods(
  readers: Readers,
  tankNos: readonly number[],
  { zone, unit, periods }: UsageRange,
): Promise<PeriodRow[]> {
  const states = await readers.query<{ tank_no: number; encoded_state: string | null; latest_at: string }>(STATES, [
    tankNos,
  ]);
  const decoded = states.map(({ encoded_state }) =>
    encoded_state === null ? null : decodeCurrentState(encoded_state),
  );
  const iso = (ms: number | null | undefined): string | null => (ms ? new Date(ms).toISOString() : null);
  return readers.query<PeriodRow>(USAGE, [
    states.map(({ tank_no }) => tank_no),
    zone,
    unit,
    periods,
    states.map(({ latest_at }, index) => iso(decoded[index]?.accepted?.atMs) ?? latest_at),
    decoded.map((state) => iso(state?.loss.raisedAtMs)),
    decoded.map((state) => iso(state && lostUntilMs(state))),
  ]);
}

/**
 * If the sum of the leak detector starts to grow again within this time after the loss was last detected, it is the
 * same loss.
 */
const SAME_LOSS_WITHIN_MS = 12 * HOUR_MS;

/** When the latest loss of a tank was last detected, or its latest reading while the loss continues. */
function lostUntilMs({ loss: { seenAtMs, from }, accepted }: TankState): number | null {
  const isOngoing = seenAtMs !== null && from !== null && from.atMs - seenAtMs < SAME_LOSS_WITHIN_MS;
  return isOngoing ? (accepted?.atMs ?? seenAtMs) : seenAtMs;
}

const usageOf = ({
  first_level,
  last_level,
  delivered,
  lost,
  capacity,
  ...period
}: Omit<PeriodRow, 'tank_no'>): UsagePeriod => ({
  ...period,
  used_volume:
    first_level === null || last_level === null
      ? null
      : Math.max(0, tenth(((first_level - last_level) / 100) * capacity + delivered - lost)),
  delivered_volume: tenth(delivered),
  lost_volume: tenth(lost),
});

const Usage = Named('Usage', {
  object: Type.Literal('usage'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  unit: Type.Enum(['month', 'week'], { description: 'Length of a period.' }),
  zone: Type.String({ description: 'Time zone in which periods begin.' }),
  periods: Type.Array(
    Closed({
      starts_at: Time('Start of the period, or the first reading of the tank.'),
      ends_at: Time('End of the period, or the last believed reading.'),
      used_volume: NullableNumber('Volume used, in the unit of the tank. Null without a reading near an edge.'),
      delivered_volume: Type.Number({ description: 'Volume of the refills that were seen.' }),
      lost_volume: Type.Number({ description: 'Volume of rapid losses. Not part of `used_volume`.' }),
    }),
    { description: 'The periods, oldest first. The last one ends with the last believed reading.' },
  ),
});

/** A period with the time when its month or week begins. `starts_at` is later if the first reading is later. */
type UsagePeriod = Static<typeof Usage>['periods'][number] & { period_at: string };

const EXAMPLE: Static<typeof Usage> = {
  object: 'usage',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  unit: 'month',
  zone: 'America/Mexico_City',
  periods: [
    {
      starts_at: '2025-10-01T06:00:00.000Z',
      ends_at: '2025-11-01T06:00:00.000Z',
      used_volume: 111.6,
      delivered_volume: 187,
      lost_volume: 0,
    },
  ],
};

export const usageParameters = {
  unit: oneOf(['month', 'week'], 'Length of a period. Default: month.'),
  zone: {
    schema: Type.String({ default: 'UTC', examples: ['America/Mexico_City'] }),
    description: 'Time zone in which months and weeks begin, as in the IANA database.',
    parse(text) {
      const zone = parseTimeZone(text);
      if (zone !== undefined) return { value: zone };
      return { code: 'invalid', detail: 'Must be a time zone of the IANA database, such as America/Mexico_City.' };
    },
  } satisfies Parameter<string>,
  periods: integerParameter('Number of periods, up to now.', { minimum: 1, maximum: 120, default: 24 }),
};

export const retrieveUsageOperation = operation({
  path: '/fleet/v1/tanks/:id/usage',
  operationId: 'retrieveUsage',
  summary: "Retrieve a tank's use by month or week",
  description:
    'Returns the volume used in each period: the level at its start, plus deliveries, minus losses, minus the level at ' +
    'its end. Levels and deliveries are estimates.',
  idOf: 'tank',
  returns: 'answer',
  item: Usage,
  example: EXAMPLE,
  parameters: usageParameters,
  async handle({ readers, caller, id, parameters: given }) {
    const { unit = 'month', zone = 'UTC', periods = 24 } = given;
    const tankNo = await visibleTankNo(readers, caller, id);
    const usages = await readUsages(readers, [tankNo], { zone, unit, periods });
    return {
      body: {
        object: 'usage',
        tank_id: id,
        unit,
        zone,
        periods: (usages.get(tankNo) ?? []).map(({ period_at: _periodAt, ...period }) => period),
      },
    };
  },
});
