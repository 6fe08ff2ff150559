import { isoTimeSql } from '../../db/iso_time.ts';
import type { Readers, Reads } from '../../db/readers.ts';
import { cutPage, decodeCursor } from '../../status/cursor.ts';
import { productSql } from '../../status/product_fields.ts';
import { type FleetScope, SqlValues } from '../../status/tank_filter.ts';
import { type CapacityUnit, fromLiters } from '../../values/capacity_unit.ts';
import { MAX_PINNED_MATCH_HOURS } from '../../values/match_hours.ts';
import { tenth } from '../../values/tenth.ts';
import { type DeliveryFilter, deliveryConditions } from '../delivery_filter.ts';
import { type ManagedNote, type ProductsOfNote, productsOfNote } from '../managed_delivery_note.ts';
import type { VerdictCode } from '../verdict_texts.ts';
import type { EntryRow } from './customer_ledger.ts';

/** Cursors contain the names of these fields. */
export interface LedgerFilter extends DeliveryFilter {
  fromMs: number | null;
  verdict: VerdictCode | null;
}

export interface Named {
  id: string;
  name: string;
}

export interface NamedTank extends Named {
  custom_id: string | null;
}

type NoteOfEntry = Pick<
  ManagedNote,
  'id' | 'series' | 'number' | 'at' | 'precision' | 'volume' | 'unit' | 'product' | 'is_other_product'
>;

/** An entry of the ledger, in the unit of its notes or tanks. */
export interface LedgerItem {
  id: string;
  at: string;
  verdict: VerdictCode;
  reason: string | null;
  unlike_earlier: boolean;
  pinned: boolean;
  notes: NoteOfEntry[];
  refills: { tank_id: string; at: string }[];
  tanks: NamedTank[];
  owner: Named & { external_key: string | null };
  truck: Named | null;
  driver: Named | null;
  unit: CapacityUnit;
  note_volume: number | null;
  pumped_volume: number | null;
  gauge_volume: number | null;
  from_volume: number | null;
  to_volume: number | null;
  may_belong_to: { tank: NamedTank; refill_at: string; gauge_volume: number } | null;
}

type LedgerRow = Omit<
  LedgerItem,
  'notes' | 'note_volume' | 'pumped_volume' | 'gauge_volume' | 'from_volume' | 'to_volume' | 'may_belong_to'
> &
  Pick<EntryRow, 'written_litres' | 'note_litres' | 'gauge_litres' | 'from_litres' | 'to_litres'> & {
    notes: (NoteOfEntry & ProductsOfNote)[];
    candidate: { tank: NamedTank; refill_at: string; gauge_litres: number } | null;
  };

/** The condition on entries `e`, without the verdict. */
function conditionOf(scope: FleetScope, filter: LedgerFilter, values: SqlValues): string {
  const { conditions, numberOf } = deliveryConditions('e', scope, filter, values);
  // The entries of a tank are found by its owner, because there is an index by customer and none by tank.
  if (filter.tankId !== null)
    conditions.push(
      `e.customer_no = (select owner_no from tanks where no = ${numberOf('tanks', filter.tankId)} and deleted_at is null)`,
      `e.tank_nos @> array[${numberOf('tanks', filter.tankId)}]`,
    );
  return conditions.join(' and ');
}

/** The entries of `page`, with the names of everything in them. */
const ITEMS_SQL = `select e.id, e.at, e.verdict, e.reason, e.is_unlike_earlier as unlike_earlier, e.is_pinned as pinned,
    coalesce(n.notes, '[]') as notes,
    coalesce((select json_agg(json_build_object('tank_id', t.id, 'at', ${isoTimeSql('r.at')}) order by r.at, t.no)
              from unnest(e.refill_tank_nos, e.refill_ats) as r (tank_no, at) join tanks t on t.no = r.tank_no
              where t.deleted_at is null), '[]') as refills,
    coalesce(t.tanks, '[]') as tanks,
    json_build_object('id', c.id, 'name', c.name, 'external_key', c.external_key) as owner,
    case when k.no is not null then json_build_object('id', k.id, 'name', k.name) end as truck,
    case when d.no is not null and d.deleted_at is null then json_build_object('id', d.id, 'name', d.name) end as driver,
    coalesce(n.unit, t.unit, 'liters') as unit,
    e.written_litres, e.note_litres, e.gauge_litres, e.from_litres, e.to_litres, m.candidate
  from page e
  join customers c on c.no = e.customer_no
  left join trucks k on k.no = e.truck_no
  left join drivers d on d.no = e.driver_no
  left join lateral (
    select json_agg(json_build_object('id', n.id, 'series', n.series, 'number', n.number, 'at', ${isoTimeSql('n.at')},
             'precision', n.precision, 'volume', n.volume, 'unit', n.unit, 'product', n.product,
             'tank_product', (select ${productSql('t')} from tanks t where t.no = n.tank_no)) order by n.at, n.no) as notes,
           min(n.unit) as unit
    from delivery_notes n where n.no = any (e.note_nos)
  ) as n on true
  left join lateral (
    select json_agg(json_build_object('id', t.id, 'name', t.name, 'custom_id', t.custom_id) order by t.no) as tanks,
           min(t.capacity_unit) as unit
    from tanks t where t.no = any (e.tank_nos) and t.deleted_at is null
  ) as t on true
  -- A refill without a note of the same customer, near in time and volume: the note may name another tank.
  left join lateral (
    select json_build_object('tank', json_build_object('id', o.id, 'name', o.name, 'custom_id', o.custom_id),
             'refill_at', ${isoTimeSql('r.refill_ats[1]')}, 'gauge_litres', r.gauge_litres) as candidate
    from ledger_entries r join tanks o on o.no = r.refill_tank_nos[1]
    where e.refill_ats = '{}' and r.customer_no = e.customer_no and r.verdict = 'refill_without_note'
      and r.at between e.at - interval '${MAX_PINNED_MATCH_HOURS} hours' and e.at + interval '${MAX_PINNED_MATCH_HOURS} hours'
      and abs(r.gauge_litres - e.written_litres) <= 0.25 * e.written_litres
    order by abs(extract(epoch from r.at - e.at)), r.id limit 1
  ) as m on true`;

/** Reads entries by their ids, in no particular order. */
export async function readLedgerEntries(
  readers: Reads,
  organizationNo: number,
  ids: readonly string[],
): Promise<LedgerItem[]> {
  const text = `with page as materialized (
      select e.* from ledger_entries e where e.organization_no = $1 and e.id = any ($2::uuid[])
    )
    ${ITEMS_SQL}`;
  return (await readers.query<LedgerRow>({ name: 'ledger_entries_by_id', text }, [organizationNo, ids])).map(itemOf);
}

/**
 * Reads one page, newest first, and the cursor to the next page. An entry that exists all the time is neither skipped nor
 * repeated.
 */
export async function readLedgerPage(
  readers: Readers,
  scope: FleetScope,
  { filter, after, size }: { filter: LedgerFilter; after: string | undefined; size: number },
): Promise<{ items: LedgerItem[]; next: string | null }> {
  const identity = JSON.stringify(['ledger', scope, filter]);
  const values = new SqlValues();
  const condition = conditionOf(scope, filter, values);
  const [beforeMs, beforeId] = after === undefined ? [] : decodeCursor(after, identity, ['unix_ms', 'uuid']);
  const position =
    beforeMs === undefined
      ? ''
      : `and (e.at, e.id) < (${values.add(iso(Number(beforeMs)), 'timestamptz')}, ${values.add(beforeId, 'uuid')})`;
  const verdict = filter.verdict === null ? '' : `and e.verdict = ${values.add(filter.verdict, 'text')}`;
  const text = `with page as materialized (
      select e.* from ledger_entries e where ${condition} ${verdict} ${position}
      order by e.at desc, e.id desc limit ${size + 1}
    )
    ${ITEMS_SQL}
    order by e.at desc, e.id desc`;
  const rows = await readers.query<LedgerRow>({ text }, values.list);
  const { page, next } = cutPage(rows, size, identity, ({ at, id }) => [String(Date.parse(at)), id]);
  return { items: page.map(itemOf), next };
}

function itemOf({
  written_litres,
  note_litres,
  gauge_litres,
  from_litres,
  to_litres,
  candidate,
  notes,
  ...item
}: LedgerRow): LedgerItem {
  const volume = (liters: number | null): number | null =>
    liters === null ? null : tenth(fromLiters(liters, item.unit));
  return {
    ...item,
    notes: notes.map(({ product, tank_product, ...note }) => ({
      ...note,
      ...productsOfNote({ product, tank_product }),
    })),
    note_volume: volume(written_litres),
    pumped_volume: volume(note_litres),
    gauge_volume: volume(gauge_litres),
    from_volume: volume(from_litres),
    to_volume: volume(to_litres),
    may_belong_to:
      candidate === null
        ? null
        : {
            tank: candidate.tank,
            refill_at: candidate.refill_at,
            gauge_volume: volume(candidate.gauge_litres) ?? 0,
          },
  };
}

export interface LedgerCount {
  verdict: VerdictCode;
  entries: number;
  notes: number;
  written_litres: number;
}

/** Counts the entries by verdict, with the same filter except for its verdict. */
export async function countLedger(readers: Readers, scope: FleetScope, filter: LedgerFilter): Promise<LedgerCount[]> {
  const values = new SqlValues();
  const text = `select e.verdict, count(*)::int as entries, sum(cardinality(e.note_nos))::int as notes,
      coalesce(sum(e.written_litres), 0) as written_litres
    from ledger_entries e where ${conditionOf(scope, filter, values)} group by e.verdict`;
  return readers.query<LedgerCount>({ text }, values.list);
}

const COMMON_OFFSET = {
  name: 'common_offset',
  text: 'select common_offset from ledger_organizations where organization_no = $1 and is_off',
};

/**
 * By how much all gauges of the organization differ from its notes, as the logarithm of gauge / note; null if they do
 * not.
 */
export async function readCommonOffset(readers: Readers, { organizationNo }: FleetScope): Promise<number | null> {
  const [row] = await readers.query<{ common_offset: number }>(COMMON_OFFSET, [organizationNo]);
  return row?.common_offset ?? null;
}

const iso = (ms: number): string => new Date(ms).toISOString();
