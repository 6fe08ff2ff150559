// Trucks, drivers and depots, together called transport.

import {
  boolean,
  type Fields,
  type FieldValues,
  identifier,
  normalText,
  oneOf,
  orNull,
  text,
} from '../catalog/field.ts';
import { capacity, latitude, longitude } from '../catalog/tank_fields.ts';
import type { Db } from '../db/pool.ts';
import { NoSuchObjectError } from '../values/change_refusal.ts';
import { isUuid } from '../values/uuid7.ts';

const external_key = orNull(identifier(200));

/** Fields are parsed here, for commands and for /manage/v1. */
export const DEPOT_FIELDS = {
  name: text(200),
  external_key,
  latitude,
  longitude,
  is_archived: boolean,
};

/** A field is also in TRUCK of api/manage/trucks.ts. */
export const TRUCK_FIELDS = {
  name: text(200),
  external_key,
  capacity,
  capacity_unit: oneOf({ liters: ['litros'], gallons: ['galones'] }),
  product: orNull(text(100)),
  is_compensated: orNull(boolean),
  is_archived: boolean,
};

export const DRIVER_FIELDS = { name: text(200), external_key, phone: orNull(identifier(50)), is_archived: boolean };

type Stored<Kind extends string, F extends Fields> = Required<FieldValues<F>> & {
  id: string;
  object: Kind;
  created_at: string;
  updated_at: string;
};

export type Depot = Stored<'depot', typeof DEPOT_FIELDS>;
export type Truck = Stored<'truck', typeof TRUCK_FIELDS> & { depot_id: string };
export type Driver = Stored<'driver', typeof DRIVER_FIELDS>;

interface Kinds {
  depot: Depot;
  truck: Truck;
  driver: Driver;
}
export type TransportKind = keyof Kinds;
type TruckValues = FieldValues<typeof TRUCK_FIELDS> & { depot_id?: string };
export type TransportValues = FieldValues<typeof DEPOT_FIELDS> | TruckValues | FieldValues<typeof DRIVER_FIELDS>;

/** The largest number of objects of one kind. Longer lists would not be usable. */
export const MAX_OF_KIND = 500;

const namesOf = (fields: Fields): string[] => Object.keys(fields).filter((name) => name !== 'is_archived');
const writableOf = (fields: Fields): string[] => [...namesOf(fields), 'archived_at'];
const columnsOf = (kind: TransportKind, fields: Fields): string => {
  const given = namesOf(fields).map((name) => `x.${name}`);
  return `x.no, '${kind}' as object, x.id, x.archived_at is not null as is_archived, x.created_at, x.updated_at, ${given.join(', ')}`;
};

export const TRANSPORT_TABLES = {
  depot: {
    table: 'depots',
    isLive: 'true',
    columns: columnsOf('depot', DEPOT_FIELDS),
    joins: '',
    writable: writableOf(DEPOT_FIELDS),
  },
  truck: {
    table: 'trucks',
    isLive: 'true',
    columns: `${columnsOf('truck', TRUCK_FIELDS)}, d.id as depot_id`,
    joins: 'join depots d on d.no = x.depot_no',
    writable: [...writableOf(TRUCK_FIELDS), 'depot_no'],
  },
  driver: {
    table: 'drivers',
    isLive: 'x.deleted_at is null',
    columns: columnsOf('driver', DRIVER_FIELDS),
    joins: '',
    writable: writableOf(DRIVER_FIELDS),
  },
} as const;

export interface StoredTransport<Kind extends TransportKind> {
  no: number;
  object: Kinds[Kind];
}

/** Lists the depots, trucks or drivers of an organization: those in use first, sorted by name. */
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
  const { table, columns, joins, isLive } = TRANSPORT_TABLES[kind];
  const { rows } = await db.query<Kinds[Kind] & { no: number }>(
    `select ${columns} from ${table} x ${joins} where x.organization_no = $1 and ${isLive}
     order by x.archived_at is not null, lower(x.name), x.no limit ${MAX_OF_KIND}`,
    [organizationNo],
  );
  return rows.map(stored);
}

/**
 * Finds a depot, truck or driver by its id or external key; undefined if there is none. With `lock`, its row is locked
 * until the end of the transaction: to change it, or so that nobody changes it (`share`).
 */
export async function findTransport<Kind extends TransportKind>(
  db: Db,
  organizationNo: number,
  kind: Kind,
  reference: string | { externalKey: string },
  { lock }: { lock?: 'no key update' | 'share' } = {},
): Promise<StoredTransport<Kind> | undefined> {
  const isById = typeof reference === 'string';
  if (isById && !isUuid(reference)) return undefined;
  const { table, columns, joins, isLive } = TRANSPORT_TABLES[kind];
  const [column, value] = isById ? ['id', reference] : ['external_key', reference.externalKey];
  // Lock first, then read in a second statement, as for rounds: a statement that waits for a lock still joins the
  // previous depot.
  if (lock !== undefined)
    await db.query(`select from ${table} where organization_no = $1 and ${column} = $2 for ${lock}`, [
      organizationNo,
      value,
    ]);
  const { rows } = await db.query<Kinds[Kind] & { no: number }>(
    `select ${columns} from ${table} x ${joins} where x.organization_no = $1 and ${isLive} and x.${column} = $2`,
    [organizationNo, value],
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

/** Returns the id of a depot, truck or driver that a command names by id or name. An id is not checked; of equal names, one in use is found. */
export async function findTransportId(
  db: Db,
  organizationNo: number,
  kind: TransportKind,
  reference: string,
): Promise<string> {
  const wanted = normalText(reference).toLowerCase();
  if (isUuid(wanted)) return wanted;
  const all = await listTransport(db, organizationNo, kind);
  const found = all.find(({ object }) => object.name.toLowerCase() === wanted);
  if (found === undefined) throw new NoSuchObjectError(kind);
  return found.object.id;
}
