import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { type Db, transaction } from '../db/pool.ts';
import { readsOf } from '../db/readers.ts';
import { DELIVERY_SOURCES } from '../deliveries/changed_deliveries.ts';
import {
  CUSTOMER_SOURCE,
  type FeedSource,
  readChangesAfter,
  type SourcePosition,
  TANK_SOURCE,
} from '../status/change_feed.ts';
import { uuid8 } from '../values/uuid8.ts';
import { CHANGED_KINDS, type ChangedKind, changedType } from './webhook_types.ts';

/** Stored positions have the index of a source: add others at the end only. */
const SOURCES: readonly FeedSource<ChangedKind>[] = [CUSTOMER_SOURCE, TANK_SOURCE, ...DELIVERY_SOURCES];

const PAGE_CHANGES = 200;
/**
 * An endpoint with this many pending deliveries gets no more changes until some are sent. The changes stay in the feed,
 * where several changes of one object are merged. Deliveries without an attempt have a lower limit than all: a receiver
 * that refuses some objects must not wait for days.
 */
const MAX_UNTRIED = 1_000;
const MAX_PENDING = 10_000;

interface Follower extends SourcePosition {
  endpoint_no: number;
  organization_no: number;
  types: string[];
  final_number: string;
}

/**
 * Adds deliveries of new changes for the endpoints that want some. Returns the number of endpoints with new changes. An
 * endpoint without types of changes costs nothing, because it is not in the table. An error of one endpoint does not
 * delay the others.
 */
export async function followChanges(
  pool: Pool,
  onError: (error: unknown, endpointNo: number) => void,
): Promise<number> {
  const { rows } = await pool.query<Follower>({
    name: 'webhook_followers',
    text: `select f.endpoint_no, w.organization_no, w.types, f.change_number::text as number, f.source, f.key,
             final_change_number(w.organization_no)::text as final_number
      from webhook_followers f join webhook_endpoints w on w.no = f.endpoint_no and w.disabled_at is null
      where (select count(*) < ${MAX_PENDING} and count(*) filter (where tries = 0) < ${MAX_UNTRIED} from (
        select d.tries from webhook_deliveries d
        where d.endpoint_no = f.endpoint_no and d.status = 'pending' limit ${MAX_PENDING}
      ) as pending)`,
  });
  let moved = 0;
  for (const follower of rows) {
    try {
      if (await followPage(pool, follower)) moved++;
    } catch (error) {
      onError(error, follower.endpoint_no);
    }
  }
  return moved;
}

/**
 * An endpoint without changes of its types is moved forward after this many change numbers, so that a type that is
 * added later does not begin with old changes. It is not moved each time, because all organizations share the change
 * numbers.
 */
const MAX_BEHIND = 1_000n;

/**
 * Adds deliveries for one page of changes of one endpoint. Returns whether there were changes. The statement that adds
 * deliveries also moves the position from the beginning of the page, so that of two workers only one adds them. It does
 * neither if the endpoint was disabled or wants other types meanwhile. A transaction whose changes are on two pages has
 * one message for each object.
 */
async function followPage(db: Db, follower: Follower): Promise<boolean> {
  const { endpoint_no, organization_no, types, number, source, key, final_number } = follower;
  const { changes, last } = await readChangesAfter(readsOf(db), organization_no, {
    sources: SOURCES,
    kinds: CHANGED_KINDS.filter((kind) => types.includes(changedType(kind))),
    position: follower,
    size: PAGE_CHANGES,
  });
  const isBehind = BigInt(final_number) - BigInt(number) > MAX_BEHIND;
  const next = last ?? (isBehind ? { number: final_number, source: 0, key: '0' } : undefined);
  if (next === undefined) return false;
  await db.query(
    `with moved as (
       update webhook_followers f set change_number = $2, source = $3, key = $4
       from (select no from webhook_endpoints where no = $1 and disabled_at is null and types = $11::text[] for share) as w
       where f.endpoint_no = w.no and (f.change_number, f.source, f.key) = ($5, $6, $7) returning f.endpoint_no
     )
     insert into webhook_deliveries (endpoint_no, message_id, change_kind, change_id)
     select moved.endpoint_no, change.* from moved, unnest($8::uuid[], $9::text[], $10::text[]) as change
     on conflict (endpoint_no, message_id) where message_id is not null do nothing`,
    [
      endpoint_no,
      next.number,
      next.source,
      next.key,
      number,
      source,
      key,
      changes.map((change) => uuid8(`${change.kind} ${change.id} ${change.number}`)),
      changes.map((change) => change.kind),
      changes.map((change) => change.id),
      types,
    ],
  );
  return last !== undefined;
}

/** A change that is sent to an endpoint. */
export interface NotifiedChange {
  organization_no: number;
  change_kind: ChangedKind;
  change_id: string;
}

/**
 * The object as it is when the message is sent, so that a late attempt does not send an old state. Attempts about one
 * object can run at the same time: `read_at`, of the same snapshot, says which one is newer.
 */
export function changeData(
  pool: Pool,
  { organization_no, change_kind: kind, change_id: id }: NotifiedChange,
): Promise<object> {
  return transaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    const { rows } = await tx.query<{ read_at: string }>(
      `select to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as read_at`,
    );
    const source = SOURCES.find((candidate) => candidate.kind === kind && candidate.readOne !== undefined);
    const object = (await source?.readOne?.(readsOf(tx), organization_no, id)) ?? null;
    return { object_id: id, read_at: onlyRow(rows).read_at, deleted: object === null, [kind]: object };
  });
}
