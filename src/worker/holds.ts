import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';

/** While a hold is open, no worker sends webhooks, mails, texts and pushes. They wait in the database. */
export interface NotificationHold {
  held_at: string;
  held_by: string;
  reason: string;
  /** True if sign-in mails wait too. */
  holds_sign_in_mails: boolean;
}

/** Notifications of one kind that wait to be sent: webhooks, or the mails, texts or push notifications of a task. */
export interface WaitingNotifications {
  kind: string;
  waiting: number;
  oldest_at: string;
}

/** Undefined if nothing is held. */
export async function readOpenHold(db: Db): Promise<NotificationHold | undefined> {
  const { rows } = await db.query<NotificationHold>({
    name: 'open_hold',
    text: 'select held_at, held_by, reason, holds_sign_in_mails from notification_holds where released_at is null',
  });
  return rows[0];
}

/** Begins a hold. If a hold is open already, it stays, and only the sign-in mails can be added to it. */
export async function holdNotifications(
  tx: Tx,
  reason: string,
  holdsSignInMails: boolean,
): Promise<{ is_new: boolean; held_at: string }> {
  const { rows } = await tx.query<{ is_new: boolean; held_at: string }>(
    'select is_new, held_at from hold_notifications($1, $2)',
    [reason, holdsSignInMails],
  );
  return onlyRow(rows);
}

/** Ends the hold. Returns when it began, or null if nothing was held. */
export async function releaseNotifications(tx: Tx): Promise<string | null> {
  const { rows } = await tx.query<{ held_at: string | null }>('select release_notifications() as held_at');
  return onlyRow(rows).held_at;
}

export async function readWaiting(db: Db): Promise<WaitingNotifications[]> {
  const { rows } = await db.query<WaitingNotifications>('select kind, waiting, oldest_at from waiting_notifications()');
  return rows;
}
