import type { Pool } from 'pg';
import { CUSTOMER_COLUMNS, TANK_COLUMNS } from '../catalog/v1_columns.ts';
import { contactIdSql } from '../db/contact_of_actor.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import type { RetractionReason } from '../evaluation/pure/alerts/event_types.ts';
import { uuid8 } from '../values/uuid8.ts';
import { changeData, type NotifiedChange } from './follow_changes.ts';

interface Notified {
  /** The id of the event, or of the message about a change. */
  event_id: string;
  type: string;
  /** When the event occurred, or when the change was found. */
  occurred_at: string;
  /** Not null if the event was retracted. The message then is the retraction. */
  retracted_at: string | null;
  retracted_because: RetractionReason | null;
  /** The attempts so far, of all messages about the event. */
  attempts: readonly Attempt[];
}

/** An event that is sent to an endpoint, or whose retraction is sent. */
interface NotifiedEvent extends Notified {
  change_kind: null;
  data: Record<string, unknown>;
  tank_no: number;
  owner_no: number;
}

/** The event or the change that a delivery sends. */
export type Notification = NotifiedEvent | (Notified & NotifiedChange);

export interface Attempt {
  at: string;
  status: number | null;
  error?: string;
  ms: number;
  /** Present for a message that the event was retracted. */
  type?: typeof RETRACTED_TYPE;
}

/** The type of the message that an event was retracted. */
export const RETRACTED_TYPE = 'event.retracted';

/**
 * The id of a message, the same in every attempt: the id of the event, or another id for its retraction, so that a
 * receiver that ignores the ids it knows does not ignore the retraction. An event that is valid again has a new id as
 * well.
 */
export function messageId({ event_id, retracted_at, attempts }: Notification): string {
  if (retracted_at !== null) return uuid8(`${event_id} ${RETRACTED_TYPE} ${retracted_at}`);
  const lastRetraction = attempts.findLast(({ type }) => type !== undefined);
  return lastRetraction === undefined ? event_id : uuid8(`${event_id} valid again ${lastRetraction.at}`);
}

type CatalogRow = Record<string, unknown> & { id: string; object: string };

/**
 * The message, with the tank and its owner as /v1 returns them now. External keys are not part of /v1. They are beside
 * the objects, so that a receiver finds its own objects without another request. All keys of a deleted object are null.
 */
export async function messageOf(pool: Pool, event: Notification): Promise<object> {
  const { type, occurred_at } = event;
  if (event.change_kind !== null)
    return { type, timestamp: occurred_at, data: { id: messageId(event), ...(await changeData(pool, event)) } };
  const { tank_no, owner_no, retracted_at } = event;
  const readObject = async (
    columns: string,
    table: 'tanks' | 'customers',
    no: number,
  ): Promise<{ object: CatalogRow; externalKey: string | null }> => {
    const { rows } = await pool.query<{ external_key: string | null; deleted: boolean } & CatalogRow>(
      `select ${columns}, i.external_key, i.deleted_at is not null as deleted from ${table} i where i.no = $1`,
      [no],
    );
    const { external_key, deleted, ...row } = onlyRow(rows);
    return { object: deleted ? { id: row.id, object: row.object, deleted: true } : row, externalKey: external_key };
  };
  const [tank, customer, work] = await Promise.all([
    readObject(TANK_COLUMNS, 'tanks', tank_no),
    readObject(CUSTOMER_COLUMNS, 'customers', owner_no),
    workOf(pool, event),
  ]);
  return {
    type: retracted_at === null ? type : RETRACTED_TYPE,
    timestamp: retracted_at ?? occurred_at,
    data: {
      ...dataOf(event),
      ...work,
      tank: tank.object,
      customer: customer.object,
      tank_custom_id: tank.object['custom_id'] ?? null,
      tank_external_key: tank.externalKey,
      customer_external_key: customer.externalKey,
    },
  };
}

/**
 * The comment and the name of an acknowledgement or mute. The event has only ids, so that no copy of a comment outlives
 * its tank.
 */
async function workOf(db: Db, event: NotifiedEvent): Promise<object> {
  const { rows } = await db.query<{ until: string }>('select until from muted_tanks where tank_no = $1', [
    event.tank_no,
  ]);
  const [mute] = rows;
  return { ...(await detailsOf(db, event)), ...(mute === undefined ? {} : { muted_until: mute.until }) };
}

async function detailsOf(db: Db, { type, data }: NotifiedEvent): Promise<object> {
  if (type === 'tank.acknowledged') {
    const { rows } = await db.query<{ comment: string | null; acknowledged_by: string; name: string | null }>(
      `select a.comment, a.acknowledged_by, coalesce(c.name, c.email) as name from acknowledgements a
       left join contacts c on c.id = ${contactIdSql('a.acknowledged_by')}
       where a.id = any (array(select jsonb_array_elements_text($1::jsonb -> 'acknowledgement_ids')::uuid)) order by a.no limit 1`,
      [JSON.stringify(data)],
    );
    return rows[0] ?? {};
  }
  if (type !== 'tank.muted') return {};
  const { rows } = await db.query<{ reason: string | null; muted_by: string }>(
    `select reason, muted_by from mutes where id = ($1::jsonb ->> 'mute_id')::uuid`,
    [JSON.stringify(data)],
  );
  return rows[0] ?? {};
}

/** The data of the event in the message. */
function dataOf(event: NotifiedEvent): object {
  const { event_id, type, occurred_at, data, retracted_at, retracted_because } = event;
  if (retracted_at === null) return { id: event_id, ...data };
  return {
    id: messageId(event),
    event_id,
    event_type: type,
    event_occurred_at: occurred_at,
    reason: retracted_because ?? 'late_readings',
  };
}
