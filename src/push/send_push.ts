import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { type Db, transaction } from '../db/pool.ts';
import { SUMMARIZED_EVENT_SQL, type SummarizedEvent, summarizeAlert } from '../mail/alert_summary.ts';
import { IS_CURRENT_SQL, IS_HANDLED_SQL, IS_MUTED_SQL } from '../mail/handled_events.ts';
import { formatsFor, type Language } from '../mail/locale.ts';
import { type MailOrganization, organizationForContactSql } from '../mail/mail_organization.ts';
import { IS_MOVED_SQL } from '../mail/retraction_mails.ts';
import { FALSE_ALARM_STEP } from '../values/false_alarm_step.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { authorizePush, encryptPush } from './encrypt_push.ts';
import { openPushKey, type StoredPushKey } from './push_key.ts';
import { enqueueFalsePushes } from './push_queue.ts';

/** `skipped` means that the message is no longer needed, `rejected` that it cannot be sent. */
export type PushOutcome = 'sent' | 'skipped' | 'rejected';

export interface PushSender {
  sender: WebhookSender;
  /** The keys that decrypt the key pair of the installation. */
  secretsKeys: readonly string[];
  /** The address for operators of push services: the result of pushContactOf. */
  contact: string;
  /** Throws if another worker may send the message. */
  beforeSend?: () => Promise<void>;
}

/** The message that the service worker of the console gets. */
interface PushMessage {
  title: string;
  body: string;
  language: Language;
  /** A page of the console. */
  url: string;
  /** Messages about one event replace each other. */
  tag: string;
  /** The number of the message. If a message arrives twice, the browser makes a sound once. */
  id: number;
  isUrgent: boolean;
}

/** The time that a push service keeps a message for a browser that is off. The console shows older events. */
const KEPT_SECONDS = 4 * 3_600;
const MAX_BODY_LENGTH = 500;
/** The number of days that a browser gets messages after its last session by an issuer. A session by mail lasts as long. */
const PROVEN_DAYS = 7;

interface WaitingPush extends StoredPushKey {
  no: number;
  subscription_no: number;
  step: number;
  endpoint: string;
  p256dh: Buffer;
  auth: Buffer;
  organization: MailOrganization;
  /** Null for a test. */
  event_no: number | null;
  event_id: string | null;
  event: SummarizedEvent | null;
}

/**
 * Sends one message to one browser, unless it is no longer needed: somebody handles the condition, or the condition has ended. If it is
 * unknown whether the push service accepted the message, the message is sent again and replaces the first one in the browser. Throws if
 * the message must be tried again.
 */
export async function sendPush(
  db: Pool,
  { sender, secretsKeys, contact, beforeSend }: PushSender,
  no: number,
): Promise<PushOutcome> {
  const push = await readNeededPush(db, no);
  if (push === undefined) {
    await finish(db, no, 'canceled');
    return 'skipped';
  }
  const message = await messageOf(db, push);
  if (message === undefined) return fail(db, no, 'the tank is gone');
  const { endpoint } = push;
  const headers = {
    authorization: authorizePush(endpoint, openPushKey(secretsKeys, push), { contact }),
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    ttl: String(KEPT_SECONDS),
    urgency: message.isUrgent ? 'high' : 'normal',
    // A push service keeps only the last message of a topic for a browser that is off.
    topic: createHash('sha256').update(message.tag).digest('base64url').slice(0, 32),
  };
  const body = encryptPush(Buffer.from(JSON.stringify(message)), push);
  // Stored before the request, because the message may arrive even if this worker dies during it.
  await setError(db, no, 'the push service has not answered');
  await beforeSend?.();
  const { status, error } = await sender.exchange(endpoint, headers, body);
  if (status !== null && status >= 200 && status < 300) {
    await finish(db, no, 'sent');
    return 'sent';
  }
  const reason = status === null ? (error ?? 'no answer') : `the push service answered ${status}`;
  if (status === 404 || status === 410) {
    await db.query('delete from push_subscriptions where no = $1', [push.subscription_no]);
    return fail(db, no, 'the browser has ended its subscription');
  }
  if (status !== null && status < 500 && status !== 408 && status !== 429) return fail(db, no, reason);
  await setError(db, no, reason);
  throw new Error(`a push service: ${reason}`);
}

/**
 * Ends a message. If its event was retracted after the attempt began, a message about the retraction is enqueued in the same transaction
 * for a browser that got the message, or may have got it.
 */
const finish = (pool: Pool, no: number, status: 'sent' | 'canceled'): Promise<void> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ event_no: number | null }>(
      `update pushes set status = $2, finished_at = now(), error = case when $2 = 'sent' then null else error end
       where no = $1 and status = 'waiting' returning event_no`,
      [no, status],
    );
    const eventNo = rows[0]?.event_no ?? null;
    if (eventNo !== null) await enqueueFalsePushes(tx, [eventNo]);
  });

const setError = (db: Db, no: number, reason: string) =>
  db.query('update pushes set error = $2 where no = $1', [no, reason]);

async function fail(db: Db, no: number, reason: string): Promise<PushOutcome> {
  await db.query(
    `update pushes set status = 'failed', finished_at = now(), error = $2 where no = $1 and status = 'waiting'`,
    [no, reason],
  );
  return 'rejected';
}

/** Marks a message as failed after its last attempt. */
export const giveUpPush = (db: Db, no: number): Promise<PushOutcome> => fail(db, no, 'all attempts have failed');

/** Reads a message; undefined if it was already sent or is not needed. */
async function readNeededPush(db: Db, no: number): Promise<WaitingPush | undefined> {
  const { rows } = await db.query<WaitingPush>(
    `select p.no, p.subscription_no, p.step, p.event_no, s.endpoint, s.p256dh, s.auth, k.public_key, k.sealed_private_key,
            ${organizationForContactSql('c')} as organization, e.id as event_id, ${SUMMARIZED_EVENT_SQL} as event
     from pushes p
     -- An issuer does not report which accounts it has disabled, so the last session must be recent.
     join push_subscriptions s on s.no = p.subscription_no and s.contact_no = p.contact_no
       and (s.issuer_no is null or s.proven_at > now() - make_interval(days => ${PROVEN_DAYS}))
     join contacts c on c.no = s.contact_no and c.deleted_at is null and c.roles <> '{}'
     join organizations o on o.no = p.organization_no and o.deleted_at is null
     cross join push_keys k
     left join events e on e.no = p.event_no
     where p.no = $1 and p.status = 'waiting' and case
       when p.event_no is null then true
       when p.step = ${FALSE_ALARM_STEP} then e.retracted_at is not null and not (${IS_MOVED_SQL})
       else e.retracted_at is null and not ${IS_HANDLED_SQL} and not ${IS_MUTED_SQL}
         -- After an outage of the push service, the browser gets only the last step.
         and not exists (
           select from pushes later where later.event_no = p.event_no and later.subscription_no = p.subscription_no
             and later.step > p.step and p.created_at < now() - interval '1 minute'
         )
         and ${IS_CURRENT_SQL} end`,
    [no],
  );
  return rows[0];
}

const WORDS: Readonly<
  Record<
    Language,
    { test: string; tested: (name: string) => string; falseAlarm: (tank: string) => string; wrong: string }
  >
> = {
  en: {
    test: 'Test',
    tested: (name) => `Notifications of ${name} reach this browser.`,
    falseAlarm: (tank) => `${tank}: false alarm`,
    wrong: 'The last notification about this tank was wrong.',
  },
  es: {
    test: 'Prueba',
    tested: (name) => `Los avisos de ${name} llegan a este navegador.`,
    falseAlarm: (tank) => `${tank}: falsa alarma`,
    wrong: 'El último aviso sobre este tanque era erróneo.',
  },
};

/** Writes the message in the language of the person; undefined if the tank was deleted. */
async function messageOf(
  db: Db,
  { no, organization, event, event_id: eventId, step }: WaitingPush,
): Promise<PushMessage | undefined> {
  const { language } = formatsFor(organization);
  const words = WORDS[language];
  const common = { language, id: no };
  if (event === null || eventId === null)
    return {
      ...common,
      title: words.test,
      body: words.tested(organization.name),
      url: '/console/',
      tag: 'test',
      isUrgent: false,
    };
  const alert = await summarizeAlert(db, organization, event);
  if (alert === undefined) return undefined;
  const { tank, heading, address, advice } = alert;
  const about = { ...common, url: `/console/tanks/${tank.id}`, tag: eventId };
  if (step === FALSE_ALARM_STEP)
    return { ...about, title: words.falseAlarm(tank.name), body: `${address}\n${words.wrong}`, isUrgent: false };
  const body = [address, advice].filter(Boolean).join('\n').slice(0, MAX_BODY_LENGTH);
  return { ...about, title: heading, body, isUrgent: event.type === 'tank.rapid_loss' || step > 0 };
}
