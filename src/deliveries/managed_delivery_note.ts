import { contactIdSql } from '../db/contact_of_actor.ts';
import { isoTimeSql } from '../db/iso_time.ts';
import type { Db } from '../db/pool.ts';
import { productSql } from '../status/product_fields.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { isDeliveredBy, type Product, productOf } from '../values/products.ts';

/** A pin as it is shown. */
export interface ManagedPin {
  tank_id: string;
  refill_at: string;
  kind: 'together' | 'apart';
  pinned_by: string;
  created_at: string;
}

/** The content of a note before a change. */
export interface EarlierNote extends Pick<ManagedNote, 'at' | 'precision' | 'volume' | 'unit' | 'status'> {
  changed_at: string;
  changed_by: string;
  /** Null if no person changed it, or if that person was removed. */
  changed_by_name: string | null;
}

/** The largest number of earlier versions of a note that are shown. The database keeps the last 100. */
export const SHOWN_EARLIER = 20;

/** A delivery note as /manage/v1 shows it. */
export interface ManagedNote {
  id: string;
  object: 'delivery_note';
  series: string;
  number: string;
  at: string;
  precision: 'minute' | 'day';
  volume: number;
  unit: CapacityUnit;
  customer_id: string;
  tank_id: string | null;
  truck_id: string | null;
  driver_id: string | null;
  product: Product | null;
  is_other_product: boolean;
  compensated: boolean | null;
  product_temperature: number | null;
  filled_to: number | null;
  reference: string | null;
  status: 'valid' | 'cancelled';
  source: string;
  written_by: string;
  pins: ManagedPin[];
  earlier: EarlierNote[];
  created_at: string;
  updated_at: string;
}

export interface FoundNote {
  no: number;
  customerNo: number;
  object: ManagedNote;
}

/** The product of a note and the product of its tank; null if unknown. */
export interface ProductsOfNote {
  product: string | null;
  tank_product: string | null;
}

/** The product that a note states, and whether its tank holds another one. */
export const productsOfNote = ({
  product,
  tank_product: held,
}: ProductsOfNote): Pick<ManagedNote, 'product' | 'is_other_product'> => ({
  product: product === null ? null : productOf(product),
  is_other_product: product !== null && held !== null && !isDeliveredBy(product, productOf(held)),
});

/** The columns of a note `n`. A deleted tank has no ID here. */
export const NOTE_COLUMNS = `n.id, 'delivery_note' as object, n.series, n.number, n.at, n.precision, n.volume, n.unit,
  c.id as customer_id, t.id as tank_id, k.id as truck_id, d.id as driver_id, n.product, n.is_compensated as compensated,
  n.product_celsius as product_temperature, n.filled_to, n.reference, case when n.is_cancelled then 'cancelled' else 'valid' end as status, n.source`;
export const NOTE_JOINS = `join customers c on c.no = n.customer_no
  left join tanks t on t.no = n.tank_no and t.deleted_at is null
  left join trucks k on k.no = n.truck_no
  left join drivers d on d.no = n.driver_no`;

/** Reads notes by id, or by series and number, in no particular order. */
export async function readManagedNotes(
  db: Db,
  organizationNo: number,
  where: { ids: readonly string[] } | { keys: readonly { series: string; number: string }[] },
): Promise<FoundNote[]> {
  const isById = 'ids' in where;
  const { rows } = await db.query<ManagedNote & ProductsOfNote & { no: number; customer_no: number }>(
    `select n.no, n.customer_no, ${NOTE_COLUMNS}, ${productSql('t')} as tank_product, n.written_by,
            coalesce((
              select json_agg(json_build_object('tank_id', p_tank.id, 'refill_at', ${isoTimeSql('p.refill_at')},
                       'kind', p.kind, 'pinned_by', p.pinned_by,
                       'created_at', ${isoTimeSql('p.created_at')}) order by p.no)
              from note_pins p join tanks p_tank on p_tank.no = p.tank_no
              where p.note_no = n.no
            ), '[]') as pins,
            coalesce((
              select json_agg(json_build_object('at', ${isoTimeSql('f.at')}, 'precision', f.precision,
                       'volume', f.volume, 'unit', f.unit, 'status', case when f.is_cancelled then 'cancelled' else 'valid' end,
                       'changed_at', ${isoTimeSql('f.changed_at')}, 'changed_by', f.changed_by,
                       'changed_by_name', coalesce(p.name, p.email)) order by f.no desc)
              from (select * from former_notes where note_no = n.no order by no desc limit ${SHOWN_EARLIER}) f
              left join contacts p on p.organization_no = $1
                and p.id = ${contactIdSql('f.changed_by')}
            ), '[]') as earlier,
            n.created_at, n.updated_at
     from ${
       isById
         ? 'unnest($2::uuid[]) as g (id) join delivery_notes n on n.id = g.id'
         : 'unnest($2::text[], $3::text[]) as g (series, number) join delivery_notes n on n.series = g.series and n.number = g.number'
     }
     ${NOTE_JOINS}
     where n.organization_no = $1`,
    isById
      ? [organizationNo, where.ids]
      : [organizationNo, where.keys.map(({ series }) => series), where.keys.map(({ number }) => number)],
  );
  return rows.map(({ no, customer_no, product, tank_product, ...object }) => ({
    no,
    customerNo: customer_no,
    object: { ...object, ...productsOfNote({ product, tank_product }) },
  }));
}
