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
 * An endpoint with so many pending deliveries gets no more of changes until some are sent. They stay in the feed, where several changes
 * of an object are one.
 */
const MAX_PENDING = 1_000;

interface Follower extends SourcePosition {
  endpoint_no: number;
  organization_no: number;
  types: string[];
}

/**
 * Adds deliveries of new changes for the endpoints that want some. Returns their number. An endpoint without types of changes costs
 * nothing: it is not in the table.
 */
export async function followChanges(pool: Pool): Promise<number> {
  const { rows } = await pool.query<Follower>({
    name: 'webhook_followers',
    text: `select f.endpoint_no, w.organization_no, w.types, f.change_number::text as number, f.source, f.key
      from webhook_followers f join webhook_endpoints w on w.no = f.endpoint_no and w.disabled_at is null
      where (select count(*) from (
        select from webhook_deliveries d where d.endpoint_no = f.endpoint_no and d.status = 'pending' limit ${MAX_PENDING}
      ) as pending) < ${MAX_PENDING}`,
  });
  let added = 0;
  for (const follower of rows) added += await followPage(pool, follower);
  return added;
}

/**
 * One page for one endpoint. The statement that adds deliveries moves the position from where the page began, so that of two workers
 * only one adds them. A transaction whose changes are on two pages has one message for each object.
 */
async function followPage(db: Db, follower: Follower): Promise<number> {
  const { endpoint_no, organization_no, types, number, source, key } = follower;
  const { changes, last } = await readChangesAfter(readsOf(db), organization_no, {
    sources: SOURCES,
    kinds: CHANGED_KINDS.filter((kind) => types.includes(changedType(kind))),
    position: follower,
    size: PAGE_CHANGES,
  });
  if (last === undefined) return 0;
  const { rowCount } = await db.query(
    `with moved as (
       update webhook_followers set change_number = $2, source = $3, key = $4
       where endpoint_no = $1 and (change_number, source, key) = ($5, $6, $7) returning endpoint_no
     )
     insert into webhook_deliveries (endpoint_no, message_id, change_kind, change_id)
     select moved.endpoint_no, change.* from moved, unnest($8::uuid[], $9::text[], $10::text[]) as change
     on conflict (endpoint_no, message_id) where message_id is not null do nothing`,
    [
      endpoint_no,
      last.number,
      last.source,
      last.key,
      number,
      source,
      key,
      changes.map((change) => uuid8(`${change.kind} ${change.id} ${change.number}`)),
      changes.map((change) => change.kind),
      changes.map((change) => change.id),
    ],
  );
  return rowCount ?? 0;
}

/** A change that is sent to an endpoint. */
export interface NotifiedChange {
  organization_no: number;
  change_kind: ChangedKind;
  change_id: string;
}

/**
 * The object as it is when the message is sent, so that a late attempt does not tell of an old state. Attempts about one object can run
 * at the same time: `read_at`, of the same snapshot, says which one is newer.
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
    const source = SOURCES.find((one) => one.kind === kind && one.readOne !== undefined);
    const object = (await source?.readOne?.(readsOf(tx), organization_no, id)) ?? null;
    return { object_id: id, read_at: onlyRow(rows).read_at, deleted: object === null, [kind]: object };
  });
}
