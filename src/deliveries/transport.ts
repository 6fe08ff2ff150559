import { boolean, type FieldValues, identifier, number, oneOf, orNull, text } from '../catalog/fields.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { UserError } from '../values/user_error.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';

/** What rounds are driven with. The fields are parsed here, for commands and for /manage/v1. */
export const DEPOT_FIELDS = {
  name: text(200),
  latitude: number({
    accepts: (value) => Math.abs(value) <= 90,
    wanted: 'a latitude from -90 to 90',
    isBelow1000: true,
  }),
  longitude: number({
    accepts: (value) => Math.abs(value) <= 180,
    wanted: 'a longitude from -180 to 180',
    isBelow1000: true,
  }),
  is_archived: boolean,
};

export const TRUCK_FIELDS = {
  name: text(200),
  capacity: number({ accepts: (value) => value > 0, wanted: 'a number greater than 0' }),
  capacity_unit: oneOf({ liters: ['litros'], gallons: ['galones'] }),
  product: orNull(text(100)),
  is_compensated: orNull(boolean),
  is_archived: boolean,
};

export const DRIVER_FIELDS = { name: text(200), phone: orNull(identifier(50)), is_archived: boolean };

interface Archivable {
  id: string;
  /** Not offered for new rounds. The rounds that it was on keep it. */
  is_archived: boolean;
  created_at: string;
  updated_at: string;
}

export interface Depot extends Archivable {
  object: 'depot';
  name: string;
  latitude: number;
  longitude: number;
}

export interface Truck extends Archivable {
  object: 'truck';
  name: string;
  depot_id: string;
  capacity: number;
  capacity_unit: CapacityUnit;
  product: string | null;
  is_compensated: boolean | null;
}

export interface Driver extends Archivable {
  object: 'driver';
  name: string;
  phone: string | null;
}

interface Kinds {
  depot: Depot;
  truck: Truck;
  driver: Driver;
}
export type TransportKind = keyof Kinds;
export type DepotValues = FieldValues<typeof DEPOT_FIELDS>;
export type TruckValues = FieldValues<typeof TRUCK_FIELDS> & { depot_no?: number };
export type DriverValues = FieldValues<typeof DRIVER_FIELDS>;
type Values = DepotValues | TruckValues | DriverValues;

/** Beyond it, lists and choices are no use. */
export const MAX_OF_KIND = 500;

const COMMON = `x.no, x.id, x.archived_at is not null as is_archived, x.created_at, x.updated_at, x.name`;
const TABLES = {
  depot: {
    table: 'depots',
    isLive: 'true',
    columns: `'depot' as object, ${COMMON}, x.latitude, x.longitude`,
    joins: '',
    writable: ['name', 'latitude', 'longitude'],
  },
  truck: {
    table: 'trucks',
    isLive: 'true',
    columns: `'truck' as object, ${COMMON}, d.id as depot_id, x.capacity, x.capacity_unit, x.product, x.is_compensated`,
    joins: 'join depots d on d.no = x.depot_no',
    writable: ['name', 'depot_no', 'capacity', 'capacity_unit', 'product', 'is_compensated'],
  },
  driver: {
    table: 'drivers',
    isLive: 'x.deleted_at is null',
    columns: `'driver' as object, ${COMMON}, x.phone`,
    joins: '',
    writable: ['name', 'phone'],
  },
} as const;

export interface StoredTransport<Kind extends TransportKind> {
  no: number;
  object: Kinds[Kind];
}

/** Those in use first, each by name. */
export async function listTransport<Kind extends TransportKind>(
  db: Db,
  organizationNo: number,
  kind: Kind,
): Promise<StoredTransport<Kind>[]> {
  const { table, columns, joins, isLive } = TABLES[kind];
  const { rows } = await db.query<Kinds[Kind] & { no: number }>(
    `select ${columns} from ${table} x ${joins} where x.organization_no = $1 and ${isLive}
     order by x.archived_at is not null, lower(x.name), x.no limit ${MAX_OF_KIND}`,
    [organizationNo],
  );
  return rows.map(stored);
}

/** Undefined: there is none with this id. With `isLocked`, nobody else changes it until the end of the transaction. */
export async function findTransport<Kind extends TransportKind>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  id: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredTransport<Kind> | undefined> {
  if (!isUuid(id)) return undefined;
  const { table, columns, joins, isLive } = TABLES[kind];
  // First the lock, then the read, as for rounds: a statement that waits for a lock would join the depot of before.
  if (isLocked)
    await db.query(`select from ${table} where organization_no = $1 and id = $2 for no key update`, [
      organizationNo,
      id,
    ]);
  const { rows } = await db.query<Kinds[Kind] & { no: number }>(
    `select ${columns} from ${table} x ${joins} where x.organization_no = $1 and ${isLive} and x.id = $2`,
    [organizationNo, id],
  );
  return rows[0] && stored(rows[0]);
}

const stored = <Kind extends TransportKind>({
  no,
  ...object
}: Kinds[Kind] & { no: number }): StoredTransport<Kind> => ({
  no,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a row without its number
  object: object as unknown as Kinds[Kind],
});

/** By its id or by its name, for commands. Of one name, at most one is in use. */
export async function findTransportByName<Kind extends TransportKind>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  reference: string,
): Promise<StoredTransport<Kind>> {
  const all = await listTransport(db, organizationNo, kind);
  const wanted = reference.trim().toLowerCase();
  const found = all.find(({ object }) => object.id === wanted || object.name.toLowerCase() === wanted);
  if (found === undefined)
    throw new UserError(
      `there is no ${kind} with the id or name ${reference}; list them with: tankwatch ${kind}s list`,
    );
  return found;
}

/** Returns the id. In a dry run, which the caller rolls back, the number is not one of the sequence. */
export async function createTransport(
  tx: Tx,
  organizationNo: number,
  kind: TransportKind,
  values: Values,
  { isDryRun }: { isDryRun: boolean },
): Promise<string> {
  const { table } = TABLES[kind];
  // Two that are created at the same time are counted one after the other.
  await lockOrganization(tx, organizationNo);
  const { rows: counted } = await tx.query<{ n: number }>(
    `select count(*)::int as n from ${table} where organization_no = $1`,
    [organizationNo],
  );
  if (onlyRow(counted).n >= MAX_OF_KIND)
    throw new UserError(`the organization has ${MAX_OF_KIND} ${table} already, archived ones included.`);
  const columns = columnsOf(kind, values);
  const id = uuid7();
  await tx.query(
    `insert into ${table} (${[...(isDryRun ? ['no'] : []), 'id', 'organization_no', ...columns.keys()].join(', ')})
     ${isDryRun ? 'overriding system value' : ''}
     values (${isDryRun ? '-1, ' : ''}$1, $2${[...columns.keys()].map((_, at) => `, $${at + 3}`).join('')})`,
    [id, organizationNo, ...columns.values()],
  );
  if (values.is_archived === true) await setArchived(tx, kind, id, true);
  return id;
}

/** Changes what differs. A change of nothing writes nothing. */
export async function updateTransport(tx: Tx, kind: TransportKind, id: string, values: Values): Promise<void> {
  const columns = columnsOf(kind, values);
  const names = [...columns.keys()];
  if (names.length > 0)
    await tx.query(
      `update ${TABLES[kind].table} set ${names.map((name, at) => `${name} = $${at + 2}`).join(', ')}, updated_at = now()
       where id = $1 and (${names.map((name, at) => `${name} is distinct from $${at + 2}`).join(' or ')})`,
      [id, ...columns.values()],
    );
  if (values.is_archived !== undefined) await setArchived(tx, kind, id, values.is_archived);
}

async function setArchived(tx: Tx, kind: TransportKind, id: string, isArchived: boolean): Promise<void> {
  await tx.query(
    `update ${TABLES[kind].table} set archived_at = case when $2 then now() end, updated_at = now()
     where id = $1 and (archived_at is not null) <> $2`,
    [id, isArchived],
  );
}

/** Only names that the table has become part of a statement. */
function columnsOf(kind: TransportKind, values: Values): Map<string, unknown> {
  const given: Readonly<Record<string, unknown>> = values;
  const writable: readonly string[] = TABLES[kind].writable;
  return new Map(writable.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])));
}

/** Erases name and phone number, and ends the links of the driver's rounds. The number stays for rounds and totals. */
export async function deleteDriver(tx: Tx, no: number): Promise<void> {
  await tx.query(
    `update drivers set name = null, phone = null, deleted_at = now(), archived_at = coalesce(archived_at, now())
     where no = $1 and deleted_at is null`,
    [no],
  );
  await tx.query(
    `update rounds r set link_generation = link_generation + 1 from drivers d
     where d.no = $1 and r.organization_no = d.organization_no and r.driver_no = d.no and r.date > current_date - 10`,
    [no],
  );
}

export async function isDeletedDriver(db: Db, organizationNo: number, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { rows } = await db.query(
    'select from drivers where organization_no = $1 and id = $2 and deleted_at is not null',
    [organizationNo, id],
  );
  return rows.length > 0;
}
