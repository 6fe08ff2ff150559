import type { Readers } from '../db/readers.ts';
import { cutPage, decodeCursor } from '../status/cursor.ts';
import { type FleetScope, SqlValues } from '../status/tank_filter.ts';
import { type DeliveryFilter, deliveryConditions } from './delivery_filter.ts';
import { type ManagedNote, NOTE_COLUMNS, NOTE_JOINS } from './managed_delivery_note.ts';

export type ListedNote = Omit<ManagedNote, 'pins' | 'earlier' | 'is_other_product' | 'written_by'>;

/** Cursors contain the names of these fields. */
export interface NoteFilter extends DeliveryFilter {
  sinceMs: number | null;
  status: ManagedNote['status'] | null;
  number: string | null;
  reference: string | null;
}

function conditionOf(scope: FleetScope, filter: NoteFilter, values: SqlValues): string {
  const { conditions, numberOf } = deliveryConditions('n', scope, { ...filter, fromMs: filter.sinceMs }, values);
  const { tankId, status, number, reference } = filter;
  if (tankId !== null) conditions.push(`n.tank_no = ${numberOf('tanks', tankId)}`);
  if (status !== null) conditions.push(`${status === 'cancelled' ? '' : 'not '}n.is_cancelled`);
  if (number !== null) conditions.push(`n.number = ${values.add(number, 'text')}`);
  if (reference !== null) conditions.push(`n.reference = ${values.add(reference, 'text')}`);
  return conditions.join(' and ');
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
