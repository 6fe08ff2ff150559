import { LISTED_DAYS, UNDO_DAYS } from '../catalog/import_record.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import type { RetentionConfig } from '../settings/worker_settings.ts';
import { FOLLOWED_DAYS, REMOVAL_DAYS } from '../status/feed_state.ts';

const BATCH_ROWS = 5_000;

/** Deletes rows older than their retention, in batches, so that every transaction is short. Returns the counts by table. */
export async function deleteExpiredRows(db: Db, retention: RetentionConfig): Promise<Record<string, number>> {
  // Events come last, because deleting them also deletes their remaining deliveries and mails.
  const days = {
    rejected_readings: retention.rejectedDays,
    webhook_deliveries: retention.deliveryDays,
    event_mails: retention.mailDays,
    audit_log: retention.auditDays,
    events: retention.eventDays,
  };
  const counts: Record<string, number> = {};
  // Failed mails, texts and pushes are kept as long as sent mails and not as long as their events, because the newest event of each
  // type of a tank is never deleted.
  if (retention.mailDays > 0) {
    counts['failed_mails'] = await deleteBefore(db, 'failed_mails', 'failed_at', retention.mailDays);
    counts['texts'] = await deleteBefore(db, 'texts', 'created_at', retention.mailDays);
    counts['pushes'] = await deleteBefore(db, 'pushes', 'created_at', retention.mailDays);
    await db.query('delete from text_usage where day < now() - make_interval(days => $1)', [retention.mailDays]);
  }
  for (const [table, keptDays] of Object.entries(days)) {
    if (keptDays > 0) counts[table] = await deleteOlderThan(db, table, keptDays);
  }
  counts['imports'] = await deleteOldImports(db);
  // Kept for a day longer than documented, because a transaction may have begun long before it became visible.
  counts['reading_batches'] = await deleteBefore(db, 'reading_batches', 'stored_at', FOLLOWED_DAYS + 1);
  counts['feed_removals'] = await deleteBefore(db, 'feed_removals', 'removed_at', REMOVAL_DAYS + 1);
  // A reader that was away for longer begins again from the start.
  await db.query('delete from reading_followers where asked_at < now() - make_interval(days => $1)', [
    FOLLOWED_DAYS + 1,
  ]);
  if (retention.keyActivityDays > 0)
    counts['key_activity'] = await deleteInBatches(db, 'delete_old_key_activity', [retention.keyActivityDays]);
  return counts;
}

async function deleteBefore(
  db: Db,
  table: 'failed_mails' | 'feed_removals' | 'pushes' | 'reading_batches' | 'texts',
  column: 'failed_at' | 'removed_at' | 'stored_at' | 'created_at',
  days: number,
): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await db.query(
      `delete from ${table} where ctid = any (array(
         select ctid from ${table} where ${column} < now() - make_interval(days => $1) order by ${column} limit $2))`,
      [days, BATCH_ROWS],
    );
    total += rowCount ?? 0;
    if (rowCount !== BATCH_ROWS) return total;
  }
}

/** The previous contents of imported rows have personal data, so they are kept only while the import can be undone. */
async function deleteOldImports(db: Db): Promise<number> {
  const olderThan = 'created_at < now() - make_interval(days => $1)';
  await db.query(`delete from imported_rows where import_no in (select no from imports where ${olderThan})`, [
    UNDO_DAYS,
  ]);
  const { rowCount } = await db.query(`delete from imports where ${olderThan}`, [LISTED_DAYS]);
  return rowCount ?? 0;
}

async function deleteOlderThan(db: Db, table: string, days: number): Promise<number> {
  let total = 0;
  let afterNo: number | null = 0;
  while (afterNo !== null) {
    const batch = await deleteBatch(db, table, days, afterNo);
    total += batch.deleted;
    afterNo = batch.last_no;
  }
  return total;
}

interface DeletedBatch {
  deleted: number;
  /** The next batch begins after this number. Null if there are no more expired rows. */
  last_no: number | null;
}

async function deleteBatch(db: Db, table: string, days: number, afterNo: number): Promise<DeletedBatch> {
  const { rows } = await db.query<DeletedBatch>(
    'select deleted, last_no from delete_expired_rows($1, now() - make_interval(days => $2), $3, $4)',
    [table, days, afterNo, BATCH_ROWS],
  );
  return onlyRow(rows);
}

/**
 * Erases deleted organizations as far as possible now, in steps with short transactions. Returns the number of organizations that are
 * erased completely.
 */
export async function eraseDeletedOrganizations(db: Db): Promise<number> {
  const { rows } = await db.query<{ no: number }>(
    'select no from organizations where deleted_at is not null and erased_at is null order by no',
  );
  for (const table of ['alert_scores', 'imports', 'reading_batches', 'reading_followers', 'feed_removals'])
    await db.query(`delete from ${table} where organization_no = any ($1::int[])`, [rows.map(({ no }) => no)]);
  for (const { no } of rows) await eraseOrganization(db, no);
  if (rows.length > 0) await eraseDeletedTanks(db);
  for (const { no } of rows) await eraseOrganization(db, no);
  const { rows: erased } = await db.query(
    'select from organizations where erased_at is not null and no = any ($1::int[])',
    [rows.map(({ no }) => no)],
  );
  return erased.length;
}

async function eraseOrganization(db: Db, organizationNo: number): Promise<void> {
  let hasMore = true;
  while (hasMore) {
    const { rows } = await db.query<{ has_more: boolean }>('select erase_deleted_organization($1) as has_more', [
      organizationNo,
    ]);
    hasMore = onlyRow(rows).has_more;
  }
}

/** Deletes the readings and events of deleted tanks, one tank per transaction. Returns the number of tanks. */
export async function eraseDeletedTanks(db: Db): Promise<number> {
  let count = 0;
  let tankNo = await eraseNextTank(db, 0);
  while (tankNo !== null) {
    count++;
    tankNo = await eraseNextTank(db, tankNo);
  }
  return count;
}

async function eraseNextTank(db: Db, afterNo: number): Promise<number | null> {
  const { rows } = await db.query<{ tank_no: number | null }>('select erase_deleted_tank($1) as tank_no', [afterNo]);
  return onlyRow(rows).tank_no;
}

/** Deletes ended sessions and old requests for sign-in mails. Returns their number. */
export const deleteEndedSessions = (db: Db): Promise<number> => deleteInBatches(db, 'delete_ended_sessions');

/** Deletes stored responses of /manage/v1 that are too old to be repeated. Returns their number. */
export const deleteOldIdempotencyKeys = (db: Db): Promise<number> => deleteInBatches(db, 'delete_old_idempotency_keys');

async function deleteInBatches(
  db: Db,
  deleteSome: 'delete_ended_sessions' | 'delete_old_idempotency_keys' | 'delete_old_key_activity',
  values: readonly number[] = [],
): Promise<number> {
  const parameters = values.map((_, index) => `$${index + 1}`).join();
  let total = 0;
  for (;;) {
    const { rows } = await db.query<{ deleted: number }>(`select ${deleteSome}(${parameters}) as deleted`, [...values]);
    const { deleted } = onlyRow(rows);
    if (deleted === 0) return total;
    total += deleted;
  }
}
