import type { Readers, Statement } from '../../db/readers.ts';
import type { EventType } from '../../evaluation/pure/alerts/event_types.ts';
import { HOUR_MS } from '../../values/time.ts';

/** Event types that open pages show at once. */
const URGENT_TYPES = ['tank.rapid_loss', 'tank.low_fill'] as const satisfies readonly EventType[];

/** An urgent event as the live stream sends it. */
export interface UrgentEvent {
  event_id: string;
  type: (typeof URGENT_TYPES)[number];
  tank_id: string;
  at: string;
}

export interface FoundEvent {
  organizationNo: number;
  customerNo: number;
  event: UrgentEvent;
}

/**
 * The limit per organization, type and poll. In a mass incident, further events are not reported; a page that reads its
 * list again shows all of them.
 */
const MAX_OF_TYPE = 100;
/**
 * The first poll also reports events of the last 10 seconds, because the page may have read its list before they were
 * recorded.
 */
const MAX_AGE_AT_START_MS = 10_000;
/**
 * Older events are not reported, because they are only found here if they were corrected. One hour is longer than any
 * transaction that records events.
 */
const MAX_AGE_MS = HOUR_MS;

/**
 * The urgent events of each observed organization that changed since the organization's position, newest first. It
 * takes two lookups in the index events_of_type_by_change, independent of the number of tanks and events. Transactions
 * do not commit in the order of their numbers, so the next poll begins with the oldest transaction that runs now.
 * Events that were found before are left out.
 */
const URGENT: Statement = {
  name: 'urgent_events',
  text: `select w.organization_no, final_change_number(w.organization_no)::text as position, found.*
    from unnest($1::int[], $2::bigint[]) as w (organization_no, position)
    left join lateral (
      select e.id as event_id, e.type, t.id as tank_id, t.owner_no as customer_no, e.occurred_at as at,
             date_part('epoch', now() - e.recorded_at) * 1000 as age_ms
      from unnest($3::text[]) as urgent (type)
      cross join lateral (
        select * from events e
        where e.organization_no = w.organization_no and e.type = urgent.type and e.change_number >= w.position
        order by e.change_number desc, e.no desc limit ${MAX_OF_TYPE}
      ) as e
      join tanks t on t.no = e.tank_no and t.deleted_at is null
      where e.notify and e.retracted_at is null
    ) as found on true`,
};

/** All columns are null if an organization has no new event. */
type UrgentRow = { organization_no: number; position: string | null } & (
  | (UrgentEvent & { customer_no: number; age_ms: number })
  | { [Column in keyof UrgentEvent | 'customer_no' | 'age_ms']: null }
);

/** Finds each urgent event once on each server that serves reads, as soon as the server has the event. */
export class UrgentEvents {
  /** The positions by server and organization. */
  readonly #positions = new Map<string, Map<number, string>>();
  /** When each event was found, by server and id. */
  readonly #found = new Map<string, number>();

  clear(): void {
    this.#positions.clear();
    this.#found.clear();
  }

  async findNew(source: string, readers: Readers, organizationNos: readonly number[]): Promise<FoundEvent[]> {
    const positions = this.#positions.get(source) ?? new Map<number, string>();
    const starts = organizationNos.map((organizationNo) => positions.get(organizationNo) ?? '0');
    const rows = await readers.query<UrgentRow>(URGENT, [organizationNos, starts, URGENT_TYPES]);
    const nowMs = Date.now();
    const nextPositions = new Map<number, string>();
    const newEvents: FoundEvent[] = [];
    for (const row of rows) {
      const { organization_no: organizationNo, position, age_ms, customer_no, event_id, type, tank_id, at } = row;
      // On a standby, the position is null if the organization has no event yet.
      nextPositions.set(organizationNo, position ?? '0');
      if (event_id === null) continue;
      const key = `${source} ${event_id}`;
      const isKnown = this.#found.has(key);
      this.#found.set(key, nowMs);
      const isNew = age_ms < (positions.has(organizationNo) ? MAX_AGE_MS : MAX_AGE_AT_START_MS);
      if (!isKnown && isNew)
        newEvents.push({ organizationNo, customerNo: customer_no, event: { event_id, type, tank_id, at } });
    }
    this.#positions.set(source, nextPositions);
    for (const [key, foundMs] of this.#found) if (nowMs - foundMs > MAX_AGE_MS) this.#found.delete(key);
    // The rows of each type are newest first. Observers get the oldest event first.
    return newEvents.toReversed();
  }
}
