import { Command, InvalidArgumentError } from 'commander';
import type { Pool } from 'pg';
import { rolledBack } from '../db/pool.ts';
import { errorCode } from '../values/error_code.ts';
import { amount } from '../values/text_format.ts';
import {
  holdNotifications,
  readOpenHold,
  readWaiting,
  releaseNotifications,
  type WaitingNotifications,
} from '../worker/holds.ts';
import { countSenders, type SendingLock, untilSendersEnd } from '../worker/sending_locks.ts';
import {
  type CommonOptions,
  formatTable,
  parseWhole,
  printResult,
  readCommand,
  recordedCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

/** An attempt of a webhook ends within 15 s, a mail within a minute. */
const DEFAULT_WAIT_SECONDS = 90;
const LOCK_NOT_AVAILABLE = '55P03';

export function notificationsCommand(): Command {
  return new Command('notifications')
    .description('hold back all webhooks, mails, texts and notifications in browsers, and release them')
    .addCommand(holdCommand())
    .addCommand(releaseCommand())
    .addCommand(statusCommand());
}

interface HoldOptions extends WriteOptions {
  reason: string;
  all?: boolean;
  waitSeconds: number;
}

function holdCommand(): Command {
  return recordedCommand(
    'hold',
    'hold all notifications in the database until their release. Returns when nothing is being sent',
    'notifications hold --reason "levels are wrong since the upgrade"',
  )
    .requiredOption('--reason <text>', 'why, for the others who work here', parseReason)
    .option('--all', 'also hold the mails with which people sign in to the console')
    .option(
      '--wait-seconds <n>',
      'how long to wait until workers have sent what they had begun to send',
      parseWhole(0, 9_999, 'seconds'),
      DEFAULT_WAIT_SECONDS,
    )
    .action((options: HoldOptions) =>
      withDatabase(async ({ pool }) => {
        const holdsAll = options.all ?? false;
        const { is_new, held_at } = await runChange(pool, options, (tx) =>
          holdNotifications(tx, options.reason, holdsAll),
        );
        const isSilent =
          (await waitForSenders(pool, 'notifications', options.waitSeconds)) &&
          (!holdsAll || (await waitForSenders(pool, 'signInMails', options.waitSeconds)));
        const since = is_new ? 'notifications are held' : `notifications were held already, since ${held_at}`;
        printResult(
          options,
          { held_at, is_new, nothing_is_sent: isSilent },
          isSilent
            ? `${since}: nothing is sent until you run: tankwatch notifications release`
            : `${since}, but a worker is still sending what it has begun; look with: tankwatch notifications status`,
        );
        if (!isSilent) process.exitCode = 1;
      }),
    );
}

function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > 500) throw new InvalidArgumentError('Must have 1 to 500 characters.');
  return reason;
}

/** Returns false if a worker is still sending after this time. */
async function waitForSenders(pool: Pool, lock: SendingLock, waitSeconds: number): Promise<boolean> {
  try {
    await rolledBack(pool, async (tx) => {
      // 0 would mean that PostgreSQL waits without a limit.
      await tx.query(`select set_config('lock_timeout', $1, true)`, [`${Math.max(1, waitSeconds * 1_000)}ms`]);
      await untilSendersEnd(tx, lock);
    });
    return true;
  } catch (error) {
    if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}

function releaseCommand(): Command {
  return writeCommand(
    'release',
    'send what was held and still matters: all webhooks in their order, and the other notifications whose condition is not over',
    'notifications release --dry-run',
  ).action((options: WriteOptions) =>
    withDatabase(async ({ pool }) => {
      const waiting = await readWaiting(pool);
      const heldAt = await runChange(pool, options, releaseNotifications);
      printResult(
        options,
        { held_at: heldAt, waiting },
        heldAt === null
          ? 'nothing was held'
          : `released, after a hold since ${heldAt}; workers now send what still matters of ${describeWaiting(waiting)}`,
      );
    }),
  );
}

/** The names of the kinds of notifications. All other kinds are mails. */
const NOUNS: Readonly<Record<string, string>> = {
  webhooks: 'webhooks',
  send_text: 'texts',
  send_push: 'push notifications',
};

/** The numbers of waiting notifications, such as `12 webhooks and 3 mails, 1 text`. */
function describeWaiting(kinds: readonly WaitingNotifications[]): string {
  const sumOf = (nouns: string): number =>
    kinds.filter(({ kind }) => (NOUNS[kind] ?? 'mails') === nouns).reduce((sum, { waiting }) => sum + waiting, 0);
  const others = ['texts', 'push notifications'].filter((nouns) => sumOf(nouns) > 0);
  return [
    `${amount(sumOf('webhooks'), 'webhooks')} and ${amount(sumOf('mails'), 'mails')}`,
    ...others.map((nouns) => amount(sumOf(nouns), nouns)),
  ].join(', ');
}

function statusCommand(): Command {
  return readCommand(
    'status',
    'show whether notifications are held, by whom and why, and what waits',
    'notifications status',
  ).action((options: CommonOptions) =>
    withDatabase(async ({ pool }) => {
      const hold = await readOpenHold(pool);
      const waiting = await readWaiting(pool);
      const senders = await countSenders(pool, 'notifications');
      const state =
        hold === undefined
          ? 'notifications are not held'
          : [
              `notifications are held since ${hold.held_at} by ${hold.held_by}: ${hold.reason}`,
              `mails with which people sign in: ${hold.holds_sign_in_mails ? 'held too' : 'sent'}`,
            ].join('\n');
      printResult(
        options,
        { hold: hold ?? null, sending_workers: senders, waiting },
        [
          state,
          `workers that may send: ${senders}`,
          waiting.length === 0 ? 'nothing waits' : formatTable(waiting.map((row) => ({ ...row }))),
        ].join('\n'),
      );
    }),
  );
}
