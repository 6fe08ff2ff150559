import type { Db } from '../db/pool.ts';
import { readOpenHold, readWaiting } from '../worker/holds.ts';
import { type CheckFinding, warning } from './finding.ts';

/**
 * Reports that notifications are held. An operator can forget a hold, because a mail that was never sent is not
 * noticed.
 */
export async function checkNotifications(db: Db): Promise<CheckFinding[]> {
  const hold = await readOpenHold(db);
  if (hold === undefined) return [];
  const count = (await readWaiting(db)).reduce((sum, { waiting }) => sum + waiting, 0);
  return [
    warning(
      `notifications are held since ${hold.held_at} by ${hold.held_by} (${hold.reason}): ${count.toLocaleString('en')} wait`,
      'when the reason is gone: tankwatch notifications release',
    ),
  ];
}
