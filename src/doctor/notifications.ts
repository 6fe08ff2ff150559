import type { Db } from '../db/pool.ts';
import { readOpenHold, readWaiting } from '../notifications/holds.ts';
import { type CheckFinding, warning } from './finding.ts';

/** Whether somebody has held notifications back. It is easily forgotten, and nobody misses a mail that never came. */
export async function checkNotifications(db: Db): Promise<CheckFinding[]> {
  const hold = await readOpenHold(db);
  if (hold === undefined) return [];
  const waiting = (await readWaiting(db)).reduce((sum, each) => sum + each.waiting, 0);
  return [
    warning(
      `notifications are held since ${hold.held_at} by ${hold.held_by} (${hold.reason}): ${waiting.toLocaleString('en')} wait`,
      'when the reason is gone: tankwatch notifications release',
    ),
  ];
}
