import type { Readers } from '../db/readers.ts';
import { cutPage, decodeCursor } from '../status/cursor.ts';
import { type FleetScope, SqlValues } from '../status/tank_filter.ts';
import { type ManagedNote, NOTE_COLUMNS, NOTE_JOINS } from './managed_delivery_note.ts';

export type ListedNote = Omit<ManagedNote, 'pins' | 'earlier' | 'is_other_product' | 'written_by'>;

export interface NoteFilter {
  /** The half-open period of the notes in milliseconds; null for no limit. */
  sinceMs: number | null;
  untilMs: number | null;
  status: ManagedNote['status'] | null;
  number: string | null;
  reference: string | null;
  ownerId: string | null;
  tankId: string | null;
  truckId: string | null;
  driverId: string | null;
}

/**
 * The scope comes first. Conditions that are not requested are left out: with "is null or", a generic plan reads all
 * notes.
 */
function conditionOf({ organizationNo, customerNo }: FleetScope, filter: NoteFilter, { add }: SqlValues): string {
  const organization = add(organizationNo, 'int');
  const hasId = (column: string, table: string, id: string | null): string =>
    id === null
      ? ''
      : `n.${column} = (select no from ${table} where organization_no = ${organization} and id = ${add(id, 'uuid')})`;
  return [
    `n.organization_no = ${organization}`,
    customerNo === null ? '' : `n.customer_no = ${add(customerNo, 'int')}`,
    hasId('customer_no', 'customers', filter.ownerId),
    hasId('tank_no', 'tanks', filter.tankId),
    hasId('truck_no', 'trucks', filter.truckId),
    hasId('driver_no', 'drivers', filter.driverId),
    filter.status === null ? '' : `${filter.status === 'cancelled' ? '' : 'not '}n.is_cancelled`,
    filter.number === null ? '' : `n.number = ${add(filter.number, 'text')}`,
    filter.reference === null ? '' : `n.reference = ${add(filter.reference, 'text')}`,
    filter.sinceMs === null ? '' : `n.at >= ${add(iso(filter.sinceMs), 'timestamptz')}`,
    filter.untilMs === null ? '' : `n.at < ${add(iso(filter.untilMs), 'timestamptz')}`,
  ]
    .filter((condition) => condition !== '')
    .join(' and ');
}

/** Reads one page, oldest first, and the cursor to the next page. */
export async function readNotePage(
  readers: Readers,
  scope: FleetScope,
  { filter, after, size }: { filter: NoteFilter; after: string | undefined; size: number },
): Promise<{ notes: ListedNote[]; next: string | null }> {
  const identity = JSON.stringify(['delivery_notes', scope, filter]);
  const values = new SqlValues();
  const condition = conditionOf(scope, filter, values);
  const [afterMs, afterNo = '0'] = after === undefined ? [] : decodeCursor(after, identity, ['unix_ms', 'bigint']);
  const position =
    afterMs === undefined
      ? ''
      : `and (n.at, n.no) > (${values.add(iso(Number(afterMs)), 'timestamptz')}, ${values.add(afterNo, 'bigint')})`;
  const text = `select n.no::text as no, ${NOTE_COLUMNS}, n.created_at, n.updated_at
    from (select * from delivery_notes n where ${condition} ${position} order by n.at, n.no limit ${size + 1}) as n ${NOTE_JOINS}
    order by n.at, n.no`;
  const rows = await readers.query<ListedNote & { no: string }>({ text }, values.list);
  const { page, next } = cutPage(rows, size, identity, ({ at, no }) => [String(Date.parse(at)), no]);
  return { notes: page.map(({ no: _no, ...note }) => note), next };
}

const iso = (ms: number): string => new Date(ms).toISOString();
