import type { Readers, Statement } from '../db/readers.ts';
import { actorNameSql } from './actor_name.ts';
import type { AcknowledgedCondition } from './sections.ts';
import { type FleetScope, SqlValues } from './tank_filter.ts';

/** The troubles of devices, in the order of the list. A device is listed with the first one that it has. */
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
  /** `trouble`: devices with a trouble that nobody has taken on. `taken_on`: the others with a trouble. Absent: all devices. */
  state?: DeviceTrouble | 'trouble' | 'taken_on' | undefined;
  city?: string | undefined;
  /** The id of the contact who put the device on the tank. */
  commissionedBy?: string | undefined;
}

/** Tanks without a sensor and tanks whose device is not there yet have no device. */
const HAS_DEVICE_SQL = `exists (select from tanks d where d.no = f.tank_no and d.assigned_device_id not like 'pending-%'
  and not is_manual_device(d.assigned_device_id))`;

/**
 * SQL condition: the device of the tank `f` of fleet_tanks reported this `condition`. $1 is the organization. A device that is no
 * longer on the tank does not count. An owner has few tanks, so they are looked up one by one.
 */
function deviceReportsSql(condition: string, { customerNo }: FleetScope): string {
  const devices = `from device_health h join tanks d on d.no = h.tank_no and split_part(d.assigned_device_id, '#', 1) = h.device_id
    where h.organization_no = $1 and ${condition}`;
  return customerNo === null
    ? `f.tank_no in (select h.tank_no ${devices})`
    : `exists (select ${devices} and h.tank_no = f.tank_no)`;
}

/**
 * The condition of each trouble on rows `f` of fleet_tanks. Each trouble has its own index. With "or" between the conditions,
 * PostgreSQL would read the whole fleet. $1 is the organization.
 */
const CONDITIONS: Readonly<Record<DeviceTrouble, (scope: FleetScope) => string>> = {
  silent: () => 'f.is_silent',
  fault: (scope) => deviceReportsSql('h.fault is not null', scope),
  gauge_unreliable: () => 'f.is_gauge_unreliable',
  battery_low: (scope) => deviceReportsSql('h.battery_low_since is not null', scope),
  weak_signal: (scope) => deviceReportsSql('h.is_signal_weak', scope),
  never_heard: ({ customerNo }) =>
    customerNo === null
      ? `f.tank_no in (select n.tank_no from fleet_levels n where n.organization_no = $1 and n.latest_on = '-infinity')`
      : `(select n.latest_on = '-infinity' from fleet_levels n where n.tank_no = f.tank_no)`,
};

/** The condition of an acknowledgement by which a person takes on a device with this trouble. */
export const conditionOf = (trouble: DeviceTrouble): AcknowledgedCondition =>
  trouble === 'silent' || trouble === 'gauge_unreliable' ? trouble : 'device';

/** Begins a statement: reads once what people have taken on. Mutes are left out: nobody works on them. $1 is the organization. */
export const TAKEN_SQL = `with taken as materialized (
  select h.tank_no, h.condition, h.acknowledgement_id, h.name, h.created_at, h.until from handled_conditions h
  where h.organization_no = $1 and h.acknowledgement_id is not null and h.condition in ('silent', 'gauge_unreliable', 'device')
)`;

/** Reads a text that changes when a person takes on a device or gives it back, or when an acknowledgement ends. */
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

/** SQL condition: a person has taken on a device with this trouble. Owners do not see it. */
const isTakenSql = (trouble: DeviceTrouble, { customerNo }: FleetScope): string =>
  customerNo === null
    ? `f.tank_no in (select w.tank_no from taken w where w.condition = '${conditionOf(trouble)}')`
    : 'false';

/** SQL condition of a section: the first trouble of the device is this one, and a person has taken it on (`isTaken`) or not. */
export const sectionSql = (trouble: DeviceTrouble, isTaken: boolean, scope: FleetScope): string =>
  `${troubleSql(trouble, scope)} and ${isTaken ? '' : 'not '}${isTakenSql(trouble, scope)}`;

/** SQL condition: the device has this trouble and none of the troubles before it. */
const troubleSql = (trouble: DeviceTrouble, scope: FleetScope): string =>
  [
    CONDITIONS[trouble](scope),
    ...DEVICE_TROUBLES.slice(0, DEVICE_TROUBLES.indexOf(trouble)).map((one) => `not (${CONDITIONS[one](scope)})`),
  ].join(' and ');

/** SQL condition: the devices of the scope and the filter. The organization is added first, so it is $1. */
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
  /** The devices of each section, filtered by town and person. */
  counts: Record<DeviceTrouble | 'taken_on', number>;
  /** The devices of each town with a trouble that nobody has taken on, filtered by person. An unknown town is ''. */
  cities: { city: string; devices: number }[];
  /** The devices of each person with a trouble that nobody has taken on, filtered by town. */
  commissioners: { id: string; name: string | null; devices: number }[];
}

/** The number of devices of one section in one town that one person put on their tanks. */
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
 * Counts the devices with a trouble by section, town and person, so that one count serves all filters. They are few, and each
 * trouble has an index.
 */
export async function countDevices(readers: Readers, scope: FleetScope): Promise<CountedDevices> {
  const values = new SqlValues();
  const condition = scopeSql(scope, {}, values);
  if (scope.customerNo !== null) {
    // An owner has few tanks, so each is read once instead of once per section. Owners see no names of people.
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

/** The people who put a device on its current tank. The statement jumps in the index from one person to the next. */
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
  const isNotTaken = ({ section }: CountedSection): boolean => section !== 'taken_on';
  const sum = (rows: readonly CountedSection[]): number => rows.reduce((total, { n }) => total + n, 0);
  const counted = sections.filter((row) => isInTown(row) && isOfPerson(row));
  const countOf = (section: CountedSection['section']): number => sum(counted.filter((row) => row.section === section));
  const byCity = Map.groupBy(
    sections.filter((row) => isNotTaken(row) && isOfPerson(row)),
    (row) => row.city,
  );
  const inTown = Map.groupBy(
    sections.filter((row) => isNotTaken(row) && isInTown(row)),
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
