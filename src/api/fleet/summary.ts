import { type Static, Type } from 'typebox';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { SECTIONS } from '../../status/sections.ts';
import type { FleetScope } from '../../status/tank_filter.ts';
import { TANK_STATUSES } from '../../status/tank_statuses.ts';
import { operation } from '../operation.ts';
import { Closed, Count, Named, NullableTime, Time } from '../schemas/values.ts';
import { type CachedResult, CachedResults, countRecently } from './recent_counts.ts';
import { scopeOf } from './tanks.ts';

const newestReadings = new CachedResults<string | null>();

/**
 * Counts the tanks. The counts are cached together with the counts of the lists. Each status is counted by the small
 * index of its tanks. `as_of` is the time of the oldest count.
 */
async function summarizeFleet(
  readers: Readers,
  scope: FleetScope,
): Promise<Omit<Static<typeof FleetSummary>, 'object'>> {
  const [newest, total, counts, sections, never, dips, orders] = await Promise.all([
    recentNewestReading(readers, scope),
    countRecently(readers, scope, {}),
    countEach(TANK_STATUSES, (status) => countRecently(readers, scope, { status })),
    countEach(SECTIONS, (section) => countRecently(readers, scope, { section })),
    countRecently(readers, scope, { reporting: 'never' }),
    countRecently(readers, scope, { dip: 'wanted' }),
    countRecently(readers, scope, { order: 'due' }),
  ]);
  const [asOf = total.asOf] = [newest, total, counts, sections, never, dips, orders]
    .map((recent) => recent.asOf)
    .toSorted();
  return {
    counts: counts.value,
    sections: sections.value,
    not_reporting_yet: never.value,
    dips_wanted: dips.value,
    orders_due: orders.value,
    total: total.value,
    newest_reading_at: newest.value,
    as_of: asOf,
  };
}

async function countEach<Name extends string>(
  names: readonly Name[],
  count: (name: Name) => Promise<CachedResult<number>>,
): Promise<CachedResult<Record<Name, number>>> {
  const counted = await Promise.all(names.map(async (name) => [name, await count(name)] as const));
  const [asOf = ''] = counted.map(([, recent]) => recent.asOf).toSorted();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries are those of `names`
  const value = Object.fromEntries(counted.map(([name, recent]) => [name, recent.value])) as Record<Name, number>;
  return { value, asOf };
}

/** The time of the newest reading of a scope. Null before the first reading. */
export const recentNewestReading = (readers: Readers, scope: FleetScope): Promise<CachedResult<string | null>> =>
  newestReadings.read(readers, JSON.stringify(scope), () => newestReading(readers, scope));

/** Reads the exact times of at most 1,000 tanks: those whose latest readings are of the newest days. */
const NEWEST_OF_ORGANIZATION: Statement = {
  name: 'newest_reading_of_organization',
  text: `with newest as (
      select tank_no from fleet_levels where organization_no = $1 and latest_on > '-infinity'
      order by latest_on desc, tank_no desc limit 1000
    )
    select max(s.latest_at) as at from newest join tank_states s using (tank_no)`,
};
/**
 * Reads at most 1,000 tanks of a customer one by one, because in the index of the organization they could be far apart.
 */
const NEWEST_OF_CUSTOMER: Statement = {
  name: 'newest_reading_of_customer',
  text: `with own as (select tank_no from fleet_tanks where owner_no = $1 limit 1000)
    select max(s.latest_at) as at from own join tank_states s using (tank_no) where s.latest_at > '-infinity'`,
};

async function newestReading(readers: Readers, { organizationNo, customerNo }: FleetScope): Promise<string | null> {
  const statement = customerNo === null ? NEWEST_OF_ORGANIZATION : NEWEST_OF_CUSTOMER;
  return onlyRow(await readers.query<{ at: string | null }>(statement, [customerNo ?? organizationNo])).at;
}

export const StatusCounts = Closed(
  {
    losing: Count('A rapid loss was seen within the last 48 hours.'),
    low: Count('At or below the alert threshold.'),
    gauge_unreliable: Count('The readings cannot be relied on.'),
    silent: Count('The device does not report.'),
    soon: Count('Reaches the threshold within 7 days.'),
    refilled: Count('Refilled within the last 7 days.'),
  },
  'Number of tanks with each status. A tank can have several.',
);

const SectionCounts = Closed(
  {
    losing: Count('A rapid loss was seen within the last 48 hours.'),
    low: Count('At or below the alert threshold.'),
    unusual_use: Count('Unusual use was reported within the last 72 hours.'),
    gauge: Count('The gauge is unreliable.'),
    silent_low: Count('The device is silent, and the tank may be at its threshold.'),
    handled: Count('Somebody takes care of it, and nothing else is open.'),
    due: Count("Reaches the threshold within 3 days, by the organization's time zone."),
    refilled: Count('Refilled since yesterday.'),
  },
  'Number of tanks in each section. A tank is only in the first section whose condition is true.',
);

const FleetSummary = Named('FleetSummary', {
  object: Type.Literal('fleet_summary'),
  counts: StatusCounts,
  sections: SectionCounts,
  not_reporting_yet: Count('Number of tanks without a reading so far. They are not silent.'),
  dips_wanted: Count('Number of tanks without a sensor whose level a person should read.'),
  orders_due: Count('Number of tanks at or below their order threshold.'),
  total: Count('Number of all tanks.'),
  newest_reading_at: NullableTime('Time of the newest reading of the fleet. Null before the first one.'),
  as_of: Time('When the tanks were counted, at most ten seconds ago.'),
});

const EXAMPLE: Static<typeof FleetSummary> = {
  object: 'fleet_summary',
  counts: { losing: 2, low: 37, gauge_unreliable: 3, silent: 51, soon: 164, refilled: 203 },
  sections: { losing: 2, low: 36, unusual_use: 1, gauge: 3, silent_low: 9, handled: 4, due: 58, refilled: 31 },
  not_reporting_yet: 12,
  dips_wanted: 4,
  orders_due: 21,
  total: 4812,
  newest_reading_at: '2025-11-02T08:14:07.002Z',
  as_of: '2025-11-02T08:14:09.514Z',
};

export const retrieveFleetSummaryOperation = operation({
  path: '/fleet/v1/summary',
  operationId: 'retrieveFleetSummary',
  summary: 'Count tanks by status',
  description:
    `Returns the number of tanks with each status: ${TANK_STATUSES.join(', ')}. ` +
    `And in each section of today's work: ${SECTIONS.join(', ')}.`,
  returns: 'answer',
  item: FleetSummary,
  example: EXAMPLE,
  parameters: {},
  async handle({ readers, caller }) {
    return { body: { object: 'fleet_summary', ...(await summarizeFleet(readers, scopeOf(caller))) } };
  },
});
