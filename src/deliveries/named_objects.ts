import type { ImportRow } from '../catalog/import_row.ts';
import type { Db } from '../db/pool.ts';
import { productSql } from '../status/product_fields.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { isUuid } from '../values/uuid7.ts';
import { TRANSPORT_TABLES } from './trucks.ts';

export interface NotedTank {
  no: number;
  owner_no: number;
  unit: CapacityUnit;
  capacity: number;
  product: string | null;
}

/** The customers, tanks, trucks and drivers that notes name, by every name they have. */
export interface NamedObjects {
  customerNo(text: string): number | undefined;
  /** Several if tanks of different owners have this custom_id. */
  tanks(text: string): readonly NotedTank[];
  truck(text: string): Pick<Named, 'no' | 'unit'> | undefined;
  driverNo(text: string): number | undefined;
}

/** The name in a column of a row, such as the name of a truck; null if there is none. */
export function namedText({ values }: Pick<ImportRow, 'values'>, column: string): string | null {
  const value = values[column];
  return typeof value === 'string' ? value : null;
}

interface Named {
  no: number;
  id: string;
  /** The name in lower case. */
  name: string;
  external_key: string | null;
  /** The unit of a truck; null for a driver. */
  unit: CapacityUnit | null;
}

/** Marks external keys in the maps of names: they are looked up before names, and their case matters. */
const externalKeyName = (text: string): string => `number ${text}`;
const namesOf = ({ id, name, external_key: key }: Named): string[] => [
  id,
  name,
  ...(key === null ? [] : [externalKeyName(key)]),
];

/** How PostgreSQL writes an id. The case of other texts matters. */
const idName = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

/** Reads everything that the rows of a batch name, each kind in one statement along its index. */
export async function findNamed(db: Db, organizationNo: number, rows: readonly ImportRow[]): Promise<NamedObjects> {
  const textsOf = (column: string): string[] => [...new Set(rows.flatMap((row) => namedText(row, column) ?? []))];
  const [customers, tanks] = [textsOf('customer'), textsOf('tank')];
  const customerNos = new Map<string, number>();
  if (customers.length > 0) {
    const found = await db.query<{ no: number; id: string; external_key: string | null }>(
      `select no, id, external_key from customers
       where organization_no = $1 and deleted_at is null and external_key = any ($2)
       union
       select no, id, external_key from customers where organization_no = $1 and deleted_at is null and id = any ($3::uuid[])`,
      [organizationNo, customers, customers.filter(isUuid)],
    );
    for (const { no, id, external_key } of found.rows) {
      customerNos.set(id, no);
      if (external_key !== null) customerNos.set(external_key, no);
    }
  }
  const haveCustomers = rows.every((row) => namedText(row, 'customer') !== null || namedText(row, 'tank') === null);
  const tanksOf = new Map<string, NotedTank[]>();
  if (tanks.length > 0) {
    const found = await db.query<NotedTank & { name: string }>(
      `select named.name, t.no, t.owner_no, t.capacity_unit as unit, t.capacity, ${productSql('t')} as product
       from (
         select no, id::text as name from tanks where organization_no = $1 and id = any ($3::uuid[])
         union
         select no, assigned_device_id from tanks where organization_no = $1 and assigned_device_id = any ($2)
         union
         select no, external_key from tanks where organization_no = $1 and external_key = any ($2)
         union
         -- Along the index of owners, if all notes name their customers.
         select no, custom_id from tanks
         where organization_no = $1 and custom_id = any ($2) and ($4::int[] is null or owner_no = any ($4))
       ) as named
       join tanks t on t.no = named.no and t.deleted_at is null
       order by t.no`,
      [organizationNo, tanks, tanks.filter(isUuid), haveCustomers ? [...customerNos.values()] : null],
    );
    for (const { name, ...tank } of found.rows) {
      const own = tanksOf.get(name) ?? [];
      if (own.every(({ no }) => no !== tank.no)) tanksOf.set(name, [...own, tank]);
    }
  }
  /** Finds trucks or drivers. Older notes can name those that are no longer used. */
  const findTransport = async (kind: 'truck' | 'driver') => {
    const texts = textsOf(kind);
    const byName = new Map<string, Named>();
    const { table, isLive } = TRANSPORT_TABLES[kind];
    // If two have the same name, the one in use comes last and counts.
    const statement = `select x.no, x.id, lower(x.name) as name, x.external_key, ${kind === 'truck' ? 'x.capacity_unit' : 'null'} as unit from ${table} x
      where x.organization_no = $1 and ${isLive} and (lower(x.name) = any ($2) or x.id = any ($3::uuid[]) or x.external_key = any ($4))
      order by x.archived_at nulls last`;
    const values = [organizationNo, texts.map((name) => name.toLowerCase()), texts.filter(isUuid), texts];
    const found = texts.length === 0 ? [] : (await db.query<Named>(statement, values)).rows;
    for (const row of found) for (const name of namesOf(row)) byName.set(name, row);
    return (text: string): Named | undefined => byName.get(externalKeyName(text)) ?? byName.get(text.toLowerCase());
  };
  const driver = await findTransport('driver');
  return {
    customerNo: (text) => customerNos.get(text) ?? customerNos.get(idName(text)),
    tanks: (text) => tanksOf.get(text) ?? tanksOf.get(idName(text)) ?? [],
    truck: await findTransport('truck'),
    driverNo: (text) => driver(text)?.no,
  };
}
