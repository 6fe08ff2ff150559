import type { Reads, Statement } from '../db/readers.ts';
import { alongIndex, type Change, type FeedSource, readById, readByNumber } from '../status/change_feed.ts';
import { REMOVAL_DAYS } from '../status/feed_state.ts';
import { type CapacityUnit, fromLiters } from '../values/capacity_unit.ts';
import { tenth } from '../values/tenth.ts';
import { readLedgerEntries } from './ledger/ledger_page.ts';
import { NOTE_COLUMNS, NOTE_JOINS } from './managed_delivery_note.ts';
import { OPEN_HOURS_AFTER_DAY } from './round.ts';

type Kind = 'round' | 'stop' | 'delivery_note' | 'verdict';

interface StopRow {
  ref: string;
  round_id: string;
  number: number;
  volume_unit: CapacityUnit;
  planned_volume: number;
  delivered_volume: number | null;
}

/** The outcomes of stops `s`. Volumes are in liters. */
const stopsSql = (ref: string, from: string): string =>
  `select ${ref}::text as ref, r.id as round_id, s.number, r.date::text as date, k.id as truck_id, i.id as tank_id, i.custom_id,
     k.capacity_unit as volume_unit, s.litres as planned_volume, o.outcome, o.outcome_from, coalesce(s.said_at, o.seen_at) as outcome_at,
     s.said_reason as reason, case when o.outcome = 'delivered' then coalesce(s.said_litres, o.seen_litres) end as delivered_volume
   from ${from} join rounds r on r.no = s.round_no join trucks k on k.no = r.truck_no
   join round_stop_outcomes o on o.stop_no = s.no left join tanks i on i.no = s.tank_no and i.deleted_at is null`;

const STOPS: Statement = {
  name: 'changed_stops',
  text: `${stopsSql('s.no', 'round_stops s')} where s.no = any ($1::bigint[])`,
};
/** The stops that a refill can have closed, by the rule of round_stop_outcomes. Retracted refills count too. */
const STOPS_OF_REFILLS: Statement = {
  name: 'stops_of_changed_refills',
  text: `${stopsSql('e.no', 'events e join round_stops s on s.tank_no = e.tank_no')}
    where e.no = any ($1::bigint[]) and e.occurred_at >= r.day_begins_at and e.occurred_at < r.day_ends_at + interval '${OPEN_HOURS_AFTER_DAY} hours'`,
};

const STOP: Statement = {
  name: 'changed_stop',
  text: `${stopsSql('s.no', 'round_stops s')} where r.id = split_part($1, '/', 1)::uuid and s.number = split_part($1, '/', 2)::int`,
};

const readStops =
  (statement: Statement) =>
  async (readers: Reads, _organizationNo: number, refs: readonly string[]): Promise<Map<string, Change<'stop'>[]>> => {
    const changes = new Map<string, Change<'stop'>[]>();
    for (const row of await readers.query<StopRow>(statement, [refs])) {
      const change = { kind: 'stop' as const, id: `${row.round_id}/${row.number}`, object: stopOf(row) };
      changes.set(row.ref, [...(changes.get(row.ref) ?? []), change]);
    }
    return changes;
  };

/** The stop, with volumes in the unit of the truck. */
function stopOf({ ref: _ref, ...row }: StopRow): object {
  const shown = (liters: number | null): number | null =>
    liters === null ? null : tenth(fromLiters(liters, row.volume_unit));
  return { ...row, planned_volume: shown(row.planned_volume), delivered_volume: shown(row.delivered_volume) };
}

async function readStop(readers: Reads, _organizationNo: number, id: string): Promise<object | null> {
  const [row] = await readers.query<StopRow>(STOP, [id]);
  return row === undefined ? null : stopOf(row);
}

const roundsSql = (
  condition: string,
): string => `select r.no::text as ref, false as is_deleted, r.id, r.date::text as date, r.state, k.id as truck_id, d.id as driver_id,
    r.started_at, r.ended_at, r.created_at, r.updated_at
  from rounds r join trucks k on k.no = r.truck_no left join drivers d on d.no = r.driver_no where ${condition}`;

const notesSql = (condition: string): string =>
  `select n.no::text as ref, false as is_deleted, ${NOTE_COLUMNS}, n.created_at, n.updated_at
   from delivery_notes n ${NOTE_JOINS} where ${condition}`;

/** Reads the removed objects of a kind. A removed verdict can return, because its id is made from its first note or refill. */
const removedSource = <K extends Kind>(kind: K): FeedSource<K> => ({
  kind,
  key: 'bigint',
  keptDays: REMOVAL_DAYS,
  positions: alongIndex('feed_removals', { ref: 'id', condition: `and kind = '${kind}'` }),
  read: (_readers, _organizationNo, refs) =>
    Promise.resolve(new Map(refs.map((id): [string, Change<K>[]] => [id, [{ kind, id, object: null }]]))),
});

/** Rounds, the outcomes of their stops, delivery notes and verdicts. */
export const DELIVERY_SOURCES: readonly FeedSource<Kind>[] = [
  {
    kind: 'round',
    key: 'bigint',
    positions: alongIndex('rounds'),
    read: readByNumber('round', { name: 'changed_rounds', text: roundsSql('r.no = any ($1::int[])') }),
    readOne: readById({ name: 'changed_round', text: roundsSql('r.id = $1::uuid') }),
  },
  { kind: 'stop', key: 'bigint', positions: alongIndex('round_stops'), read: readStops(STOPS), readOne: readStop },
  {
    kind: 'stop',
    key: 'bigint',
    positions: alongIndex('events', { condition: `and type = 'tank.refilled'` }),
    read: readStops(STOPS_OF_REFILLS),
  },
  {
    kind: 'delivery_note',
    key: 'bigint',
    positions: alongIndex('delivery_notes'),
    read: readByNumber('delivery_note', {
      name: 'changed_delivery_notes',
      text: notesSql('n.no = any ($1::bigint[])'),
    }),
    readOne: readById({ name: 'changed_delivery_note', text: notesSql('n.id = $1::uuid') }),
  },
  {
    kind: 'verdict',
    key: 'uuid',
    positions: alongIndex('ledger_entries', { key: 'id' }),
    read: async (readers, organizationNo, ids) =>
      new Map(
        (await readLedgerEntries(readers, organizationNo, ids)).map((object) => [
          object.id,
          [{ kind: 'verdict', id: object.id, object }],
        ]),
      ),
    readOne: async (readers, organizationNo, id) => (await readLedgerEntries(readers, organizationNo, [id]))[0] ?? null,
  },
  removedSource('stop'),
  removedSource('delivery_note'),
  removedSource('verdict'),
];
