import type { Readers } from '../db/readers.ts';
import { type FleetScope, SqlValues } from './tank_filter.ts';

/** What can be wrong with a device, in the order of the list. A device has the first one that is true. */
export const DEVICE_TROUBLES = [
  'silent',
  'fault',
  'gauge_unreliable',
  'battery_low',
  'weak_signal',
  'never_heard',
] as const;
export type DeviceTrouble = (typeof DEVICE_TROUBLES)[number];
export const DEVICE_STATES = [...DEVICE_TROUBLES, 'reporting'] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

export interface DeviceFilter {
  /** `trouble`: all devices with a trouble. Without it: all devices. */
  state?: DeviceTrouble | 'trouble' | undefined;
  city?: string | undefined;
}

/** Tanks without a sensor and tanks whose device is not there yet have no device. */
const HAS_DEVICE_SQL = `exists (select from tanks d where d.no = f.tank_no and d.assigned_device_id not like 'pending-%'
  and not is_manual_device(d.assigned_device_id))`;

/**
 * The tanks `f` of fleet_tanks whose device says this about itself. $1 is the organization. A device that is no longer on the
 * tank does not count. The tanks of an owner are few, and are looked up one by one.
 */
function saysSql(condition: string, { customerNo }: FleetScope): string {
  const devices = `from device_health h join tanks d on d.no = h.tank_no and split_part(d.assigned_device_id, '#', 1) = h.device_id
    where h.organization_no = $1 and ${condition}`;
  return customerNo === null
    ? `f.tank_no in (select h.tank_no ${devices})`
    : `exists (select ${devices} and h.tank_no = f.tank_no)`;
}

/**
 * The condition of each trouble on rows `f` of fleet_tanks. Each is found by an index of its own; with "or" between them, PostgreSQL
 * would read the whole fleet. $1 is the organization.
 */
const CONDITIONS: Readonly<Record<DeviceTrouble, (scope: FleetScope) => string>> = {
  silent: () => 'f.is_silent',
  fault: (scope) => saysSql('h.fault is not null', scope),
  gauge_unreliable: () => 'f.is_gauge_unreliable',
  battery_low: (scope) => saysSql('h.battery_low_since is not null', scope),
  weak_signal: (scope) => saysSql('h.is_signal_weak', scope),
  // An owner has few tanks: they are looked up one by one, and those of the organization are not read.
  never_heard: ({ customerNo }) =>
    customerNo === null
      ? `f.tank_no in (select n.tank_no from fleet_levels n where n.organization_no = $1 and n.latest_on = '-infinity')`
      : `(select n.latest_on = '-infinity' from fleet_levels n where n.tank_no = f.tank_no)`,
};

/** The condition of a trouble, if none of those before it is true. */
export const troubleSql = (trouble: DeviceTrouble, scope: FleetScope): string =>
  [
    CONDITIONS[trouble](scope),
    ...DEVICE_TROUBLES.slice(0, DEVICE_TROUBLES.indexOf(trouble)).map((one) => `not (${CONDITIONS[one](scope)})`),
  ].join(' and ');

/** The scope comes first: $1 is the organization. */
export function scopeSql(scope: FleetScope, { city }: DeviceFilter, { add }: SqlValues): string {
  return [
    `f.organization_no = ${add(scope.organizationNo, 'int')}`,
    ...(scope.customerNo === null ? [] : [`f.owner_no = ${add(scope.customerNo, 'int')}`]),
    ...(city === undefined ? [] : [`f.city = ${add(city, 'text')}`]),
    HAS_DEVICE_SQL,
  ].join(' and ');
}

export const troublesOf = ({ state }: DeviceFilter): readonly DeviceTrouble[] =>
  state === undefined ? [] : state === 'trouble' ? DEVICE_TROUBLES : [state];

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
      where ${condition} and ${troubleSql(trouble, scope)} group by f.city`,
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
      fault: countOf('fault'),
      gauge_unreliable: countOf('gauge_unreliable'),
      battery_low: countOf('battery_low'),
      weak_signal: countOf('weak_signal'),
      never_heard: countOf('never_heard'),
    },
    cities: [...byCity]
      .map(([name, devices]) => ({ city: name, devices }))
      .toSorted((a, b) => b.devices - a.devices || (a.city < b.city ? -1 : 1)),
  };
}
