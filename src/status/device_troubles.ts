import type { Readers, Statement } from '../db/readers.ts';
import { actorNameSql } from './actor_name.ts';
import type { AcknowledgedCondition } from './sections.ts';
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
  /** `trouble`: all devices with a trouble that nobody has taken on. `taken_on`: the others. Without it: all devices. */
  state?: DeviceTrouble | 'trouble' | 'taken_on' | undefined;
  city?: string | undefined;
  /** The id of the contact who put the device on the tank. */
  commissionedBy?: string | undefined;
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

/** The condition of an acknowledgement by which a person takes on a device with this trouble. */
export const conditionOf = (trouble: DeviceTrouble): AcknowledgedCondition =>
  trouble === 'silent' || trouble === 'gauge_unreliable' ? trouble : 'device';

/** Begins a statement: what people have taken on, read once. A mute is nobody's work. $1 is the organization. */
export const TAKEN_SQL = `with taken as materialized (
  select h.tank_no, h.condition, h.acknowledgement_id, h.name, h.created_at, h.until from handled_conditions h
  where h.organization_no = $1 and h.acknowledgement_id is not null and h.condition in ('silent', 'gauge_unreliable', 'device')
)`;

/** Changes when somebody takes on a device, gives it back, or it comes back. */
export async function readTakenVersion(readers: Readers, { organizationNo, customerNo }: FleetScope): Promise<string> {
  if (customerNo !== null) return '';
  const [taken] = await readers.query<{ version: string }>(TAKEN_VERSION, [organizationNo]);
  return taken?.version ?? '';
}

const TAKEN_VERSION: Statement = {
  name: 'taken_version',
  text: `${TAKEN_SQL} select coalesce(md5(string_agg(w.acknowledgement_id::text, ',' order by w.acknowledgement_id)), '') as version
    from taken w`,
};

/** Whether somebody has taken on a device with this trouble. Owners do not see it. */
const isTakenSql = (trouble: DeviceTrouble, { customerNo }: FleetScope): string =>
  customerNo === null
    ? `f.tank_no in (select w.tank_no from taken w where w.condition = '${conditionOf(trouble)}')`
    : 'false';

/** The devices of a section: those with the trouble and with none before it that nobody has taken on, or that somebody has. */
export const sectionSql = (trouble: DeviceTrouble, isTaken: boolean, scope: FleetScope): string =>
  `${troubleSql(trouble, scope)} and ${isTaken ? '' : 'not '}${isTakenSql(trouble, scope)}`;

/** The condition of a trouble, if none of those before it is true. */
const troubleSql = (trouble: DeviceTrouble, scope: FleetScope): string =>
  [
    CONDITIONS[trouble](scope),
    ...DEVICE_TROUBLES.slice(0, DEVICE_TROUBLES.indexOf(trouble)).map((one) => `not (${CONDITIONS[one](scope)})`),
  ].join(' and ');

/** The scope comes first: $1 is the organization. */
export function scopeSql(scope: FleetScope, { city, commissionedBy }: DeviceFilter, { add }: SqlValues): string {
  return [
    `f.organization_no = ${add(scope.organizationNo, 'int')}`,
    ...(scope.customerNo === null ? [] : [`f.owner_no = ${add(scope.customerNo, 'int')}`]),
    ...(city === undefined ? [] : [`f.city = ${add(city, 'text')}`]),
    ...(commissionedBy === undefined ? [] : [commissionedBySql(scope, add(actorOf(commissionedBy), 'text'))]),
    HAS_DEVICE_SQL,
  ].join(' and ');
}

const actorOf = (contactId: string): string => `contact ${contactId.toLowerCase()}`;

/** The assignments of the index devices_by_person. $1 is the organization. */
const BY_PERSON_SQL = `a.organization_no = $1 and a.to_at = 'infinity' and a.assigned_by like 'contact %'
  and a.device_id not like 'pending-%' and not is_manual_device(a.device_id)`;

/** Owners do not see who put a device on their tank. */
const commissionedBySql = ({ customerNo }: FleetScope, actor: string): string =>
  customerNo === null
    ? `f.tank_no in (select a.tank_no from device_assignments a where ${BY_PERSON_SQL} and a.assigned_by = ${actor})`
    : `${actor} is null`;

export const troublesOf = ({ state }: DeviceFilter): readonly DeviceTrouble[] => {
  if (state === undefined) return [];
  return state === 'trouble' || state === 'taken_on' ? DEVICE_TROUBLES : [state];
};

interface DeviceCounts {
  /** Devices of each section, in the town and of the person of the filter. */
  counts: Record<DeviceTrouble | 'taken_on', number>;
  /** Devices with a trouble that nobody has taken on, of the person, in each town. The town is empty if it is not known. */
  cities: { city: string; devices: number }[];
  /** The same of everybody who put a device on a tank, in the town. */
  commissioners: { id: string; name: string | null; devices: number }[];
}

/** The number of devices of one section in one town that one person put there. */
interface CountedSection {
  section: DeviceTrouble | 'taken_on';
  city: string;
  by: string | null;
  n: number;
}

interface Commissioner {
  actor: string;
  id: string;
  name: string | null;
}

export interface CountedDevices {
  sections: readonly CountedSection[];
  commissioners: readonly Commissioner[];
}

/**
 * Counts the devices with a trouble, by section, town and person: one count serves all filters. They are few, and each trouble has
 * an index.
 */
export async function countDevices(readers: Readers, scope: FleetScope): Promise<CountedDevices> {
  const values = new SqlValues();
  const condition = scopeSql(scope, {}, values);
  if (scope.customerNo !== null) {
    // The few tanks of an owner are looked at once, instead of once for each section. Owners see neither who takes on devices nor who put them there.
    const section = `case ${DEVICE_TROUBLES.map((one) => `when ${CONDITIONS[one](scope)} then '${one}'`).join(' ')} end`;
    const text = `select section, city, null as by, count(*)::int as n
      from (select ${section} as section, f.city from fleet_tanks f where ${condition}) as d
      where section is not null group by section, city`;
    return { sections: await readers.query<CountedSection>({ text }, values.list), commissioners: [] };
  }
  const text = `${TAKEN_SQL} ${DEVICE_TROUBLES.flatMap((trouble) =>
    [false, true].map(
      (
        isTaken,
      ) => `select '${isTaken ? 'taken_on' : trouble}' as section, f.city, a.assigned_by as by, count(*)::int as n
        from fleet_tanks f left join device_assignments a on a.tank_no = f.tank_no and a.to_at = 'infinity'
        where ${condition} and ${sectionSql(trouble, isTaken, scope)} group by f.city, a.assigned_by`,
    ),
  ).join(' union all ')}`;
  const [sections, commissioners] = await Promise.all([
    readers.query<CountedSection>({ text }, values.list),
    readers.query<Commissioner>(COMMISSIONERS, [scope.organizationNo]),
  ]);
  return { sections, commissioners };
}

/** Everybody who put a device on a tank that is still there, from one entry of the index to that of the next person. */
const COMMISSIONERS: Statement = {
  name: 'commissioners',
  text: `with recursive people as (
      select (select min(a.assigned_by) from device_assignments a where ${BY_PERSON_SQL}) as actor
      union all
      select (select min(a.assigned_by) from device_assignments a where ${BY_PERSON_SQL} and a.assigned_by > people.actor)
      from people where people.actor is not null
    )
    select p.actor, substr(p.actor, 9) as id, ${actorNameSql('p.actor', '$1')} as name from people p where p.actor is not null`,
};

export function sumDevices(
  { sections, commissioners }: CountedDevices,
  { city, commissionedBy }: DeviceFilter,
): DeviceCounts {
  const actor = commissionedBy === undefined ? undefined : actorOf(commissionedBy);
  const isInTown = (row: CountedSection): boolean => city === undefined || row.city === city;
  const isOfPerson = (row: CountedSection): boolean => actor === undefined || row.by === actor;
  const isNeedy = ({ section }: CountedSection): boolean => section !== 'taken_on';
  const sum = (rows: readonly CountedSection[]): number => rows.reduce((total, { n }) => total + n, 0);
  const counted = sections.filter((row) => isInTown(row) && isOfPerson(row));
  const countOf = (section: CountedSection['section']): number => sum(counted.filter((row) => row.section === section));
  const byCity = Map.groupBy(
    sections.filter((row) => isNeedy(row) && isOfPerson(row)),
    (row) => row.city,
  );
  const inTown = Map.groupBy(
    sections.filter((row) => isNeedy(row) && isInTown(row)),
    (row) => row.by,
  );
  return {
    counts: {
      silent: countOf('silent'),
      fault: countOf('fault'),
      gauge_unreliable: countOf('gauge_unreliable'),
      battery_low: countOf('battery_low'),
      weak_signal: countOf('weak_signal'),
      never_heard: countOf('never_heard'),
      taken_on: countOf('taken_on'),
    },
    cities: [...byCity]
      .map(([name, rows]) => ({ city: name, devices: sum(rows) }))
      .toSorted((a, b) => b.devices - a.devices || (a.city < b.city ? -1 : 1)),
    commissioners: commissioners
      .map(({ actor: by, id, name }) => ({ id, name, devices: sum(inTown.get(by) ?? []) }))
      .toSorted(
        (a, b) => Number(a.name === null) - Number(b.name === null) || (a.name ?? a.id).localeCompare(b.name ?? b.id),
      ),
  };
}
