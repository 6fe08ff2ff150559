import { arrayLiteral } from '../db/pool.ts';
import type { Readers, Statement } from '../db/readers.ts';
import { usualGapMs } from '../evaluation/pure/alerts/silence.ts';
import { tenth } from '../values/tenth.ts';
import { HOUR_MS } from '../values/time.ts';
import { actorNameSql } from './actor_name.ts';
import { decodeCursor, encodeCursor, InvalidCursorError } from './cursor.ts';
import { type FleetScope, SqlValues } from './tank_filter.ts';
import { decodeCurrentState } from './tank_status.ts';

/** What can be wrong with a device, in the order of the list. A device has the first one that is true. */
export const DEVICE_TROUBLES = ['silent', 'gauge_unreliable', 'never_heard'] as const;
export type DeviceTrouble = (typeof DEVICE_TROUBLES)[number];
export const DEVICE_STATES = [...DEVICE_TROUBLES, 'reporting'] as const;
type DeviceState = (typeof DEVICE_STATES)[number];

export interface DeviceFilter {
  /** `trouble`: all devices with a trouble. Without it: all devices. */
  state?: DeviceTrouble | 'trouble' | undefined;
  city?: string | undefined;
}

export interface DeviceItem {
  device_id: string;
  state: DeviceState;
  last_heard_at: string | null;
  usual_interval_hours: number | null;
  gauge_unreliable_since: string | null;
  tank: { id: string; name: string; custom_id: string | null; city: string | null };
  owner: { id: string; name: string };
  commissioned_at: string;
  commissioned_by_name: string | null;
}

/** Tanks without a sensor and tanks whose device is not there yet have no device. */
const HAS_DEVICE_SQL = `exists (select from tanks d where d.no = f.tank_no and d.assigned_device_id not like 'pending-%'
  and not is_manual_device(d.assigned_device_id))`;

/**
 * The rows `f` of fleet_tanks with each trouble. Each is found by an index of its own; with "or" between them, PostgreSQL would
 * read the whole fleet. $1 is the organization.
 */
const TROUBLES: Readonly<Record<DeviceTrouble, (scope: FleetScope) => string>> = {
  silent: () => 'f.is_silent',
  gauge_unreliable: () => 'f.is_gauge_unreliable and not f.is_silent',
  // An owner has few tanks: they are looked up one by one, and those of the organization are not read.
  never_heard: ({ customerNo }) =>
    `not f.is_silent and not f.is_gauge_unreliable and ${
      customerNo === null
        ? `f.tank_no in (select n.tank_no from fleet_levels n where n.organization_no = $1 and n.latest_on = '-infinity')`
        : `(select n.latest_on = '-infinity' from fleet_levels n where n.tank_no = f.tank_no)`
    }`,
};

/** The scope comes first: $1 is the organization. */
function scopeSql(scope: FleetScope, { city }: DeviceFilter, { add }: SqlValues): string {
  return [
    `f.organization_no = ${add(scope.organizationNo, 'int')}`,
    ...(scope.customerNo === null ? [] : [`f.owner_no = ${add(scope.customerNo, 'int')}`]),
    ...(city === undefined ? [] : [`f.city = ${add(city, 'text')}`]),
    HAS_DEVICE_SQL,
  ].join(' and ');
}

const troublesOf = ({ state }: DeviceFilter): readonly DeviceTrouble[] =>
  state === undefined ? [] : state === 'trouble' ? DEVICE_TROUBLES : [state];

interface Position {
  rank: number;
  latest_on: string;
  tank_no: number;
}

/** The rank of devices in a list of all. */
const NO_RANK = 9;

/**
 * One page of devices. Those with a trouble: silent ones first, and of each trouble the ones that were heard of longest ago. All
 * devices: the ones that were heard of longest ago first, along an index.
 */
export async function findDevicePage(
  readers: Readers,
  scope: FleetScope,
  { filter, after, size }: { filter: DeviceFilter; after: string | undefined; size: number },
): Promise<{ rows: DeviceItem[]; next: string | null }> {
  const identity = JSON.stringify(['devices', scope, filter]);
  const from = after === undefined ? null : decodeCursor(after, identity, ['smallint', 'date', 'int']);
  const values = new SqlValues();
  const condition = scopeSql(scope, filter, values);
  const position =
    from === null
      ? ''
      : `and (l.latest_on, l.tank_no) > (${values.add(from[1], 'date')}, ${values.add(from[2], 'int')})`;
  // Not a parameter: without its value PostgreSQL plans for a tenth of all devices.
  const limit = `limit ${size + 1}`;
  const isWhole = scope.customerNo === null && filter.city === undefined;
  // Silent devices are where the order by the last reading begins, so that walking along it finds a page of 300,000 devices in 20 ms
  // instead of 400. In a town, all devices are found first (`offset 0`): along the order, they are far apart (400 ms).
  const rows = (where: string): string =>
    isWhole
      ? `fleet_levels l join fleet_tanks f on f.tank_no = l.tank_no where l.organization_no = $1 and ${where}`
      : `(select f.tank_no from fleet_tanks f where ${where} offset 0) as f
         join fleet_levels l on l.tank_no = f.tank_no where true`;
  const ranked = (rank: number, where: string): string => `(select ${rank} as rank, l.latest_on, l.tank_no
    from ${rows(where)} ${from === null || rank === from[0] ? position : ''} order by l.latest_on, l.tank_no ${limit})`;
  const parts = troublesOf(filter).map((trouble) => ({
    rank: DEVICE_TROUBLES.indexOf(trouble),
    where: `${condition} and ${TROUBLES[trouble](scope)}`,
  }));
  const all = filter.state === undefined ? [{ rank: NO_RANK, where: condition }] : parts;
  if (from !== null && all.every(({ rank }) => rank !== from[0])) throw new InvalidCursorError();
  const found = all.filter(({ rank }) => from === null || rank >= Number(from[0]));
  const text = `select rank, latest_on::text as latest_on, tank_no
    from (${found.map(({ rank, where }) => ranked(rank, where)).join(' union all ')}) as found
    order by found.rank, found.latest_on, found.tank_no ${limit}`;
  const places = await readers.query<Position>({ text }, values.list);
  const shown = places.slice(0, size);
  const last = shown.at(-1);
  return {
    rows: await readDevices(readers, scope, shown),
    next:
      places.length > size && last !== undefined
        ? encodeCursor([last.rank, last.latest_on, last.tank_no], identity)
        : null,
  };
}

/**
 * The devices of tanks by their numbers, in this order. The scope is checked again, because a tank may have been sold since.
 * Parameters: $1 organization, $2 customer or null, $3 numbers.
 */
const DEVICES_OF_TANKS: Statement = {
  name: 'devices_of_tanks',
  text: `select t.assigned_device_id as device_id, f.is_silent, f.is_gauge_unreliable, 
      -- the state of a tank continues when its device is exchanged: a reading of the former device is not one of this device
      case when s.latest_at >= coalesce(former.to_at, '-infinity') then s.latest_at end as last_heard_at,
      s.latest_at is not null as has_reading, s.encoded_state,
      json_build_object('id', t.id, 'name', t.name, 'custom_id', t.custom_id, 'city', t.city) as tank,
      json_build_object('id', c.id, 'name', c.name) as owner,
      coalesce(a.assigned_at, nullif(a.from_at, '-infinity'), former.to_at, t.created_at) as commissioned_at,
      case when $2::int is null then ${actorNameSql('a.assigned_by', '$1')} end as commissioned_by_name
    from unnest($3::int[]) with ordinality as page (tank_no, place)
    join fleet_tanks f on f.tank_no = page.tank_no
    join tanks t on t.no = f.tank_no
    join customers c on c.no = f.owner_no
    left join tank_states s on s.tank_no = f.tank_no and s.latest_at > '-infinity'
    left join device_assignments a on a.tank_no = t.no and a.to_at = 'infinity'
    left join lateral (
      select max(o.to_at) as to_at from device_assignments o where o.tank_no = t.no and o.to_at < 'infinity'
    ) as former on true
    where f.organization_no = $1 and ($2::int is null or f.owner_no = $2) order by page.place`,
};

type DeviceRow = Omit<DeviceItem, 'state' | 'usual_interval_hours' | 'gauge_unreliable_since'> & {
  is_silent: boolean;
  is_gauge_unreliable: boolean;
  has_reading: boolean;
  encoded_state: string | null;
};

async function readDevices(
  readers: Readers,
  { organizationNo, customerNo }: FleetScope,
  places: readonly Position[],
): Promise<DeviceItem[]> {
  if (places.length === 0) return [];
  const tankNos = arrayLiteral(places.map(({ tank_no }) => tank_no));
  return (await readers.query<DeviceRow>(DEVICES_OF_TANKS, [organizationNo, customerNo, tankNos])).map(deviceOf);
}

function deviceOf({ is_silent, is_gauge_unreliable, has_reading, encoded_state, ...row }: DeviceRow): DeviceItem {
  const state = encoded_state === null ? null : decodeCurrentState(encoded_state);
  // The interval is learned from two readings on.
  const hasInterval = state !== null && (state.level?.seen ?? 0) > 1;
  const sinceMs = is_gauge_unreliable ? (state?.gauge.sinceMs ?? null) : null;
  return {
    ...row,
    state: is_silent ? 'silent' : is_gauge_unreliable ? 'gauge_unreliable' : has_reading ? 'reporting' : 'never_heard',
    usual_interval_hours: hasInterval ? tenth(usualGapMs(state) / HOUR_MS) : null,
    gauge_unreliable_since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
  };
}

interface DeviceCounts {
  /** Devices with each trouble, in the town of the filter. */
  counts: Record<DeviceTrouble, number>;
  /** Devices with a trouble, in each town. The town is empty if it is not known. */
  cities: { city: string; devices: number }[];
}

/** The number of devices with one trouble in one town. */
export interface CountedDevices {
  trouble: DeviceTrouble;
  city: string;
  n: number;
}

/** Counts the devices with a trouble, by trouble and town: one count serves all towns. They are few, and each trouble has an index. */
export async function countDevices(readers: Readers, scope: FleetScope): Promise<CountedDevices[]> {
  const values = new SqlValues();
  const condition = scopeSql(scope, {}, values);
  const text = DEVICE_TROUBLES.map(
    (trouble) => `select '${trouble}' as trouble, f.city, count(*)::int as n from fleet_tanks f
      where ${condition} and ${TROUBLES[trouble](scope)} group by f.city`,
  ).join(' union all ');
  return readers.query<CountedDevices>({ text }, values.list);
}

export function sumDevices(rows: readonly CountedDevices[], { city }: DeviceFilter): DeviceCounts {
  const inTown = rows.filter((row) => city === undefined || row.city === city);
  const countOf = (trouble: DeviceTrouble): number =>
    inTown.filter((row) => row.trouble === trouble).reduce((sum, { n }) => sum + n, 0);
  const byCity = new Map<string, number>();
  for (const row of rows) byCity.set(row.city, (byCity.get(row.city) ?? 0) + row.n);
  return {
    counts: {
      silent: countOf('silent'),
      gauge_unreliable: countOf('gauge_unreliable'),
      never_heard: countOf('never_heard'),
    },
    cities: [...byCity]
      .map(([name, devices]) => ({ city: name, devices }))
      .toSorted((a, b) => b.devices - a.devices || (a.city < b.city ? -1 : 1)),
  };
}
