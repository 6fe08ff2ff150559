import { DatabaseError } from 'pg';
import type { ChangeContext } from '../catalog/change_context.ts';
import { boolean, type FieldValues, identifier, number, oneOf, orNull, text } from '../catalog/fields.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { refuseTakenKeys } from '../catalog/own_numbers.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import {
  ChangeRefusedError,
  type FieldProblem,
  InvalidValuesError,
  NoSuchObjectError,
} from '../values/change_refusal.ts';
import { errorCode, UNIQUE_VIOLATION } from '../values/error_code.ts';
import { isUuid, uuid7 } from '../values/uuid7.ts';

const external_key = orNull(identifier(200));

/** Depots, trucks and drivers. Their fields are parsed here, for commands and for /manage/v1. */
export const DEPOT_FIELDS = {
  name: text(200),
  external_key,
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
  external_key,
  capacity: number({ accepts: (value) => value > 0, wanted: 'a number greater than 0' }),
  capacity_unit: oneOf({ liters: ['litros'], gallons: ['galones'] }),
  product: orNull(text(100)),
  is_compensated: orNull(boolean),
  is_archived: boolean,
};

export const DRIVER_FIELDS = { name: text(200), external_key, phone: orNull(identifier(50)), is_archived: boolean };

interface Archivable {
  id: string;
  /** The number in the organization's own system. */
  external_key: string | null;
  /** True if it is not offered for new rounds. Existing rounds keep it. */
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
export type TruckValues = FieldValues<typeof TRUCK_FIELDS> & { depot_id?: string };
export type DriverValues = FieldValues<typeof DRIVER_FIELDS>;
type Values = DepotValues | TruckValues | DriverValues;

/** The limit per kind. Longer lists could not be used. */
export const MAX_OF_KIND = 500;

const COMMON = `x.no, x.id, x.archived_at is not null as is_archived, x.created_at, x.updated_at, x.name, x.external_key`;
const TABLES = {
  depot: {
    table: 'depots',
    isLive: 'true',
    columns: `'depot' as object, ${COMMON}, x.latitude, x.longitude`,
    joins: '',
    writable: ['name', 'external_key', 'latitude', 'longitude'],
  },
  truck: {
    table: 'trucks',
    isLive: 'true',
    columns: `'truck' as object, ${COMMON}, d.id as depot_id, x.capacity, x.capacity_unit, x.product, x.is_compensated`,
    joins: 'join depots d on d.no = x.depot_no',
    writable: ['name', 'external_key', 'depot_no', 'capacity', 'capacity_unit', 'product', 'is_compensated'],
  },
  driver: {
    table: 'drivers',
    isLive: 'x.deleted_at is null',
    columns: `'driver' as object, ${COMMON}, x.phone`,
    joins: '',
    writable: ['name', 'external_key', 'phone'],
  },
} as const;

export interface StoredTransport<Kind extends TransportKind> {
  no: number;
  object: Kinds[Kind];
}

/** Lists those in use first, sorted by name. */
export async function listTransport<Kind extends TransportKind>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  { externalKey }: { externalKey?: string | undefined } = {},
): Promise<StoredTransport<Kind>[]> {
  if (externalKey !== undefined) {
    const found = await findTransport(db, organizationNo, kind, { externalKey });
    return found === undefined ? [] : [found];
  }
  const { table, columns, joins, isLive } = TABLES[kind];
  const { rows } = await db.query<Kinds[Kind] & { no: number }>(
    `select ${columns} from ${table} x ${joins} where x.organization_no = $1 and ${isLive}
     order by x.archived_at is not null, lower(x.name), x.no limit ${MAX_OF_KIND}`,
    [organizationNo],
  );
  return rows.map(stored);
}

/** Undefined if there is none with this id or own number. With `isLocked`, it is locked until the end of the transaction. */
export async function findTransport<Kind extends TransportKind>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  reference: string | { externalKey: string },
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<StoredTransport<Kind> | undefined> {
  const isById = typeof reference === 'string';
  if (isById && !isUuid(reference)) return undefined;
  const { table, columns, joins, isLive } = TABLES[kind];
  const [column, value] = isById ? ['id', reference] : ['external_key', reference.externalKey];
  // Lock first, then read in a second statement, as for rounds: a statement that waits for a lock still joins the
  // previous depot.
  if (isLocked)
    await db.query(`select from ${table} where organization_no = $1 and ${column} = $2 for no key update`, [
      organizationNo,
      value,
    ]);
  const { rows } = await db.query<Kinds[Kind] & { no: number }>(
    `select ${columns} from ${table} x ${joins} where x.organization_no = $1 and ${isLive} and x.${column} = $2`,
    [organizationNo, value],
  );
  return rows[0] && stored(rows[0]);
}

/** A truck or a driver for a plan. Archived ones are not offered: the rounds that they were on keep them. */
export async function findUsable<Kind extends 'truck' | 'driver'>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  id: string,
  problems: FieldProblem[],
): Promise<StoredTransport<Kind> | undefined> {
  const found = await findTransport(db, organizationNo, kind, id);
  if (found === undefined || found.object.is_archived)
    problems.push({ field: `${kind}_id`, reason: `must be a ${kind} that is in use` });
  return found;
}

const stored = <Kind extends TransportKind>({
  no,
  ...object
}: Kinds[Kind] & { no: number }): StoredTransport<Kind> => ({
  no,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a row without its number
  object: object as unknown as Kinds[Kind],
});

/** Finds by id or by name, for commands. At most one of a name is in use. */
export async function findTransportId(
  db: Db,
  organizationNo: number,
  kind: TransportKind,
  reference: string,
): Promise<string> {
  const wanted = reference.trim().toLowerCase();
  if (isUuid(wanted)) return wanted;
  const all = await listTransport(db, organizationNo, kind);
  const found = all.find(({ object }) => object.name.toLowerCase() === wanted);
  if (found === undefined) throw new NoSuchObjectError(kind);
  return found.object.id;
}

/** Checks an object before it is changed, under its lock. Throws, for example, if it has changed. */
type Check<Kind extends TransportKind> = (current: StoredTransport<Kind>) => void;

/** Returns the id. In a dry run, which the caller rolls back, the number is not one of the sequence. */
export async function createTransport(change: ChangeContext, kind: TransportKind, values: Values): Promise<string> {
  const { tx, organizationNo, isDryRun } = change;
  const { table } = TABLES[kind];
  const columns = await columnsOf(change, kind, values);
  // Serializes creations, so that two at the same time cannot exceed the limit.
  await lockOrganization(tx, organizationNo);
  const { rows: counted } = await tx.query<{ n: number }>(
    `select count(*)::int as n from ${table} where organization_no = $1`,
    [organizationNo],
  );
  if (onlyRow(counted).n >= MAX_OF_KIND) {
    const fact = `the organization has ${MAX_OF_KIND} ${table} already, archived ones included`;
    throw new ChangeRefusedError('too_many_of_kind', fact);
  }
  await refuseTakenName(change, kind, values.name, null);
  await refuseTakenKeys(tx, organizationNo, kind, [values.external_key]);
  const id = uuid7();
  await tx
    .query(
      `insert into ${table} (${[...(isDryRun ? ['no'] : []), 'id', 'organization_no', ...columns.keys()].join(', ')})
       ${isDryRun ? 'overriding system value' : ''}
       values (${isDryRun ? '-1, ' : ''}$1, $2${[...columns.keys()].map((_, at) => `, $${at + 3}`).join('')})`,
      [id, organizationNo, ...columns.values()],
    )
    .catch(takenMeanwhile(kind));
  if (values.is_archived === true) await setArchived(change, kind, id, true);
  return id;
}

/** Creates the object with this own number, or changes it. `check` gets undefined if there is none. Returns its id. */
export async function putTransport<Kind extends TransportKind>(
  change: ChangeContext,
  kind: Kind,
  externalKey: string,
  values: Values,
  check: (current: StoredTransport<Kind> | undefined) => void,
): Promise<{ id: string; isNew: boolean }> {
  const { tx, organizationNo } = change;
  // As createTransport: two requests with the same number create one object.
  await lockOrganization(tx, organizationNo);
  const current = await findTransport(tx, organizationNo, kind, { externalKey });
  if (current === undefined) {
    check(undefined);
    return { id: await createTransport(change, kind, { ...values, external_key: externalKey }), isNew: true };
  }
  const { id } = current.object;
  await updateTransport(change, kind, id, values, check);
  return { id, isNew: false };
}

/** Changes the fields that differ. Nothing is written if nothing changes. */
export async function updateTransport<Kind extends TransportKind>(
  change: ChangeContext,
  kind: Kind,
  id: string,
  values: Values,
  check?: Check<Kind>,
): Promise<void> {
  const { tx, organizationNo } = change;
  const columns = await columnsOf(change, kind, values);
  const current = await findTransport(tx, organizationNo, kind, id, { isLocked: true });
  if (current === undefined) throw new NoSuchObjectError(kind);
  check?.(current);
  const changed = { ...current.object, ...values };
  if (!changed.is_archived) await refuseTakenName(change, kind, changed.name, id);
  await refuseTakenKeys(tx, organizationNo, kind, [values.external_key], id);
  const names = [...columns.keys()];
  if (names.length > 0)
    await tx
      .query(
        `update ${TABLES[kind].table} set ${names.map((name, at) => `${name} = $${at + 3}`).join(', ')}, updated_at = now()
         where organization_no = $1 and id = $2
           and (${names.map((name, at) => `${name} is distinct from $${at + 3}`).join(' or ')})`,
        [organizationNo, id, ...columns.values()],
      )
      .catch(takenMeanwhile(kind));
  if (values.is_archived !== undefined) await setArchived(change, kind, id, values.is_archived);
}

/** The name of an archived truck may be taken when it is used again. */
async function setArchived(
  { tx, organizationNo }: ChangeContext,
  kind: TransportKind,
  id: string,
  isArchived: boolean,
): Promise<void> {
  await tx
    .query(
      `update ${TABLES[kind].table} set archived_at = case when $3 then now() end, updated_at = now()
       where organization_no = $1 and id = $2 and (archived_at is not null) <> $3`,
      [organizationNo, id, isArchived],
    )
    .catch(takenMeanwhile(kind));
}

/** Trucks in use have different names, and so have drivers. */
async function refuseTakenName(
  { tx, organizationNo }: ChangeContext,
  kind: TransportKind,
  name: string | undefined,
  ownId: string | null,
): Promise<void> {
  if (kind === 'depot' || name === undefined) return;
  const { rows } = await tx.query<{ id: string }>(
    `select id from ${TABLES[kind].table}
     where organization_no = $1 and lower(name) = lower($2) and archived_at is null and id is distinct from $3::uuid`,
    [organizationNo, name, ownId],
  );
  if (rows[0]) throw new ChangeRefusedError('name_taken', `another ${kind} has this name`, rows[0].id);
}

/** Another request has taken the name or the own number since it was looked for. */
const takenMeanwhile =
  (kind: TransportKind) =>
  (error: unknown): never => {
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    if (error instanceof DatabaseError && error.constraint === `${TABLES[kind].table}_external_key`)
      throw new ChangeRefusedError('external_key_taken', `another ${kind} has this external_key`);
    throw new ChangeRefusedError('name_taken', `another ${kind} has this name`);
  };

/** Only names that the table has become part of a statement. */
async function columnsOf(
  { tx, organizationNo }: ChangeContext,
  kind: TransportKind,
  values: Values,
): Promise<Map<string, unknown>> {
  const depotId = 'depot_id' in values ? values.depot_id : undefined;
  const depot = depotId === undefined ? undefined : await findTransport(tx, organizationNo, 'depot', depotId);
  if (depotId !== undefined && depot === undefined)
    throw new InvalidValuesError([{ field: 'depot_id', reason: 'must be the ID of a depot' }]);
  const given: Readonly<Record<string, unknown>> = { ...values, depot_no: depot?.no };
  const writable: readonly string[] = TABLES[kind].writable;
  return new Map(writable.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])));
}

/**
 * Erases name and phone number, and ends the links of the driver's rounds. The number stays for rounds and totals. Deleting again
 * changes nothing.
 */
export async function deleteDriver(change: ChangeContext, id: string, check?: Check<'driver'>): Promise<void> {
  const { tx, organizationNo } = change;
  const current = await findTransport(tx, organizationNo, 'driver', id, { isLocked: true });
  if (current === undefined) {
    const { rows } = await tx.query('select from drivers where organization_no = $1 and id = $2', [
      organizationNo,
      isUuid(id) ? id : null,
    ]);
    if (rows.length === 0) throw new NoSuchObjectError('driver');
    return;
  }
  check?.(current);
  await tx.query(
    `update drivers set name = null, phone = null, deleted_at = now(), archived_at = coalesce(archived_at, now())
     where no = $1`,
    [current.no],
  );
  await tx.query(
    `update rounds set link_generation = link_generation + 1
     where organization_no = $1 and driver_no = $2 and date > current_date - 10`,
    [organizationNo, current.no],
  );
}
