import { onlyRow } from '../db/only_row.ts';
import { arrayLiteral, type Tx } from '../db/pool.ts';
import { isStillCurrent } from './pure/alerts/compare_events.ts';
import {
  type BatteryEvent,
  type EventRetraction,
  IS_CAUSED_BY_READINGS_SQL,
  type NewEvent,
  type RetractionReason,
} from './pure/alerts/event_types.ts';
import type { TankEvent } from './pure/alerts/tank_event.ts';
import type { TankState } from './pure/alerts/tank_state.ts';

/** The event to record. `state` is the state of the tank after the event. */
export function newEvent(
  { tankNo, organizationNo }: { tankNo: number; organizationNo: number },
  event: TankEvent,
  state: TankState,
  nowMs: number,
): NewEvent {
  const { atMs, ...content } = event;
  const occurredAt = new Date(atMs).toISOString();
  return { ...content, organizationNo, tankNo, occurredAt, notify: isStillCurrent(event, state, nowMs) };
}

/** The retraction of an event that evaluation has retracted, or that late readings have shown to be wrong. */
export const retractionOf = (
  tankNo: number,
  { type, atMs, reason }: Pick<TankEvent, 'type' | 'atMs'> & { reason?: RetractionReason },
): EventRetraction => ({ tankNo, type, occurredAt: new Date(atMs).toISOString(), reason });

export interface RecordedEvents {
  /** Events that were not recorded before. */
  recorded: number;
  /** Events that were retracted before and are valid again. */
  restored: number;
}

/**
 * Records each event once, and adds the jobs for its notifications in the same transaction. For an event that was
 * retracted and is valid again, only recipients that were not notified before are notified.
 */
export async function recordEvents(tx: Tx, events: readonly (NewEvent | BatteryEvent)[]): Promise<RecordedEvents> {
  if (events.length === 0) return { recorded: 0, restored: 0 };
  const { rows } = await tx.query<RecordedEvents>(
    `with recorded as (
       insert into events as e (id, organization_no, tank_no, type, occurred_at, data, readings, notify)
       select distinct on (n.tank_no, n.type, n.occurred_at)
              derive_event_id(t.tank_id, n.type, n.occurred_at), n.organization_no, n.tank_no, n.type, n.occurred_at,
              n.data, n.readings, n.notify
       from json_to_recordset($1) as n (organization_no int, tank_no int, type text, occurred_at timestamptz(3),
         data jsonb, readings jsonb, notify boolean)
       join tank_settings t using (tank_no)
       order by n.tank_no, n.type, n.occurred_at
       on conflict (tank_no, type, occurred_at) do update
       set retracted_at = null, retracted_because = null, data = excluded.data, readings = excluded.readings,
           notify = excluded.notify, change_number = next_change_number()
       where e.retracted_at is not null
       returning no, notify, xmax = 0 as is_new
     )
     select count(*) filter (where is_new) as recorded, count(*) filter (where not is_new) as restored,
            enqueue_events(coalesce(array_agg(no) filter (where notify), '{}'))
     from recorded`,
    [JSON.stringify(events.map(toRow))],
  );
  const { recorded, restored } = onlyRow(rows);
  return { recorded, restored };
}

const toRow = ({
  organizationNo,
  tankNo,
  type,
  occurredAt,
  data,
  readings,
  notify,
}: NewEvent | BatteryEvent): object => ({
  organization_no: organizationNo,
  tank_no: tankNo,
  type,
  occurred_at: occurredAt,
  data,
  readings,
  notify,
});

/** A retraction is notified only if its event was recorded within this many days. */
const RETRACTION_NOTIFIED_DAYS = 14;

/**
 * Retracts events and returns their number. Notifications that were not sent yet will not be sent, and a job notifies
 * those who were notified of the event.
 */
export async function retractEvents(tx: Tx, keys: readonly EventRetraction[]): Promise<number> {
  if (keys.length === 0) return 0;
  const { rows } = await tx.query<{ retracted: number }>(
    `with retracted as (
       update events e set retracted_at = now(), retracted_because = k.reason, change_number = next_change_number()
       from unnest($1::int[], $2::text[], $3::timestamptz[], $4::text[], $5::bool[])
         as k (tank_no, type, occurred_at, reason, notifies)
       where e.tank_no = k.tank_no and e.type = k.type and e.occurred_at = k.occurred_at and e.retracted_at is null
       returning e.no, k.notifies and e.notify and e.recorded_at > now() - make_interval(days => ${RETRACTION_NOTIFIED_DAYS}) as notifies
     )
     select count(*) as retracted, enqueue_retractions(coalesce(array_agg(no order by no) filter (where notifies), '{}'))
     from retracted`,
    [
      keys.map((key) => key.tankNo),
      keys.map((key) => key.type),
      keys.map((key) => key.occurredAt),
      keys.map((key) => key.reason ?? null),
      keys.map((key) => key.notifiesRecipients ?? true),
    ],
  );
  return onlyRow(rows).retracted;
}

/** Replaces the data and readings of recorded events without a new notification. */
export async function correctEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `update events e set data = k.data, readings = k.readings, change_number = next_change_number()
     from json_to_recordset($1) as k (tank_no int, type text, occurred_at timestamptz(3), data jsonb, readings jsonb)
     where e.tank_no = k.tank_no and e.type = k.type and e.occurred_at = k.occurred_at`,
    [JSON.stringify(events.map(toRow))],
  );
}

/** Reads the events that readings caused, for each tank those after a time, in the form that evaluation returns. */
export async function readEventsOfTanks(
  tx: Tx,
  starts: readonly { tankNo: number; atMs: number }[],
): Promise<Map<number, TankEvent[]>> {
  if (starts.length === 0) return new Map();
  const { rows } = await tx.query<Omit<TankEvent, 'atMs'> & { tank_no: number; occurred_at: string }>(
    `select e.tank_no, e.type, e.occurred_at, e.data, e.readings
     from unnest($1::int[], $2::float8[]) as s (tank_no, after_ms)
     join events e on e.tank_no = s.tank_no and e.occurred_at > to_timestamp(s.after_ms / 1000)
     where e.retracted_at is null and ${IS_CAUSED_BY_READINGS_SQL}
     order by e.tank_no, e.occurred_at`,
    [arrayLiteral(starts.map(({ tankNo }) => tankNo)), arrayLiteral(starts.map(({ atMs }) => atMs))],
  );
  const events = new Map<number, TankEvent[]>();
  for (const { tank_no, type, occurred_at, data, readings } of rows) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only recordEvents writes them, from the same type
    const event = { type, atMs: Date.parse(occurred_at), data, readings } as TankEvent;
    const own = events.get(tank_no);
    if (own === undefined) events.set(tank_no, [event]);
    else own.push(event);
  }
  return events;
}

/** Called after a restore: continues the change numbers above all numbers that readers of the event feed have seen. */
export async function raiseChangeEpoch(tx: Tx): Promise<void> {
  await tx.query('select raise_change_epoch()');
}
