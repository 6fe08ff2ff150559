import type { Db } from '../db/pool.ts';
import { SUMMARIZED_EVENT_SQL } from '../mail/alert_summary.ts';
import { IS_CURRENT_SQL, IS_HANDLED_SQL, IS_MUTED_SQL } from '../mail/handled_events.ts';
import { organizationForContactSql } from '../mail/mail_organization.ts';
import { IS_MOVED_SQL } from '../mail/retraction_mails.ts';
import { FALSE_ALARM_STEP } from '../values/false_alarm_step.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { CODE_MINUTES } from './contact_reach.ts';
import { openChannelSecrets } from './text_channel.ts';
import { type TextFacts, type TextSettings, textContent } from './text_content.ts';
import { acceptedId, type ChannelSettings, requestOf, type TextProvider } from './text_providers.ts';

export const TEXT_REPORT_PATH = '/text-reports/:id';

/** `skipped` means that the text is no longer needed, `rejected` that it cannot be sent. */
export type TextOutcome = 'sent' | 'skipped' | 'rejected';

export interface TextSender extends TextSettings {
  sender: WebhookSender;
  /** The keys that open the secrets of channels. */
  secretsKeys: readonly string[];
  /** Throws if another worker may send the text. */
  beforeSend?: () => Promise<void>;
}

/** The share of the daily limit for texts about other events than losses, so that empty tanks do not use up the limit. */
const SHARE_OF_OTHERS = 0.75;
/** After this many requests with an unknown result, the text counts as failed. */
const MAX_UNKNOWN = 3;

/** A text to send, with its recipient and channel. */
interface WaitingText extends TextFacts {
  no: number;
  id: string;
  organization_no: number;
  channel_id: string;
  provider: TextProvider;
  settings: ChannelSettings;
  sealed_secret: string;
  daily_limit: number;
}

/**
 * Sends one text, unless it is no longer needed: somebody handles the condition, the condition has ended, or the number has changed. A
 * person gets a text twice only if it is unknown whether the provider accepted the first request. Throws if the text must be tried again.
 */
export async function sendText(db: Db, options: TextSender, textNo: number): Promise<TextOutcome> {
  const text = await readNeededText(db, textNo);
  if (text === undefined) return cancel(db, textNo);
  const content = await textContent(db, text, options);
  if (content === undefined) return fail(db, textNo, 'the tank is gone');
  const { id, provider, settings, channel_id: channelId, phone, sealed_secret: sealed } = text;
  const { sender, secretsKeys, publicUrl } = options;
  const reportUrl = publicUrl === '' ? null : `${publicUrl}${TEXT_REPORT_PATH.replace(':id', channelId)}`;
  const request = requestOf(provider, settings, openChannelSecrets(secretsKeys, channelId, sealed), {
    to: phone,
    text: content,
    reference: id,
    reportUrl,
  });
  await options.beforeSend?.();
  if (!(await countRequest(db, text))) return fail(db, textNo, 'the daily limit of texts is reached');
  const unknownResults = await recordRequest(db, textNo);
  if (unknownResults >= MAX_UNKNOWN) return fail(db, textNo, 'the provider did not answer');
  // A retraction from now on finds the recorded request, and sends a false alarm. An earlier one has not found it.
  if ((await readNeededText(db, textNo)) === undefined) {
    await uncountRequest(db, text);
    await db.query('update texts set asked_at = null where no = $1', [textNo]);
    return cancel(db, textNo);
  }
  const response = await sender.exchange(request.url, request.headers, request.body);
  const { status } = response;
  if (status !== null && status >= 200 && status < 300) {
    await db.query(
      `update texts set status = case status when 'waiting' then 'sent' else status end, sent_at = coalesce(sent_at, now()),
         asked_at = null, provider_id = coalesce(provider_id, $2) where no = $1`,
      [textNo, acceptedId(provider, response.body)],
    );
    return 'sent';
  }
  // The provider has not answered, but may have accepted the text. The next attempt counts it as unknown.
  if (status === null && response.isUnknown) throw new Error(`the provider of texts: ${response.error ?? 'no answer'}`);
  const reason = status === null ? (response.error ?? 'no answer') : `the provider answered ${status}`;
  const isRefused = status !== null && status < 500 && status !== 408;
  if (status === null || isRefused) await uncountRequest(db, text);
  if (isRefused && status !== 429) return fail(db, textNo, reason);
  await db.query('update texts set asked_at = null, error = $2 where no = $1', [textNo, reason]);
  throw new Error(`the provider of texts: ${reason}`);
}

async function cancel(db: Db, textNo: number): Promise<TextOutcome> {
  await db.query(`update texts set status = 'canceled', finished_at = now() where no = $1 and status = 'waiting'`, [
    textNo,
  ]);
  return 'skipped';
}

async function fail(db: Db, textNo: number, reason: string): Promise<TextOutcome> {
  await db.query(
    `update texts set status = 'failed', finished_at = now(), asked_at = null, error = $2 where no = $1 and status = 'waiting'`,
    [textNo, reason],
  );
  return 'rejected';
}

/** Marks a text as failed after its last attempt. */
export const giveUpText = (db: Db, textNo: number): Promise<TextOutcome> =>
  fail(db, textNo, 'all attempts have failed');

/** Reads a text; undefined if it was already sent or is not needed. */
async function readNeededText(db: Db, textNo: number): Promise<WaitingText | undefined> {
  const { rows } = await db.query<WaitingText>(
    `select t.no, t.id, t.organization_no, t.contact_no, t.purpose, t.step is not distinct from ${FALSE_ALARM_STEP} as is_false_alarm, r.phone, r.code_at, c.has_console, n.id as channel_id, n.provider,
            n.settings, n.sealed_secret, n.daily_limit, ${organizationForContactSql('c')} as organization,
            ${SUMMARIZED_EVENT_SQL} as event
     from texts t
     join contacts c on c.no = t.contact_no and c.deleted_at is null
     join contact_reach r on r.no = c.no and r.phone is not null
     join text_channels n on n.organization_no = t.organization_no and n.deleted_at is null
     join organizations o on o.no = t.organization_no and o.deleted_at is null
     left join escalations x on x.no = t.escalation_no
     left join events e on e.no = coalesce(x.event_no, t.event_no)
     where t.no = $1 and t.status = 'waiting' and case t.purpose
       when 'code' then r.verified_at is null and r.code_at > now() - make_interval(mins => ${CODE_MINUTES})
       when 'test' then r.verified_at is not null
       else r.verified_at is not null and (t.event_no is null and r.by_text or t.event_no is not null and e.retracted_at is null) and case when t.step = ${FALSE_ALARM_STEP}
         then e.retracted_at is not null and not (${IS_MOVED_SQL})
         else not ${IS_HANDLED_SQL} and not ${IS_MUTED_SQL}
         -- After an outage of the provider, the person gets only the last step.
         and not (t.created_at < now() - interval '1 minute' and exists (
           select from texts later where later.escalation_no = t.escalation_no and later.contact_no = t.contact_no and later.no > t.no
             and later.step <> ${FALSE_ALARM_STEP}
         ))
         and ${IS_CURRENT_SQL} end end`,
    [textNo],
  );
  return rows[0];
}

/** Counts a request of today. Returns false without counting it if the limit is reached. */
async function countRequest(db: Db, { organization_no, daily_limit, event }: WaitingText): Promise<boolean> {
  const limit = event?.type === 'tank.rapid_loss' ? daily_limit : Math.ceil(daily_limit * SHARE_OF_OTHERS);
  const { rowCount } = await db.query(
    `insert into text_usage as u (organization_no, day, requests) values ($1, (now() at time zone 'UTC')::date, 1)
     on conflict (organization_no, day) do update set requests = u.requests + 1 where u.requests < $2`,
    [organization_no, limit],
  );
  return rowCount === 1;
}

/** Subtracts a counted request that the provider certainly did not accept, because it costs nothing. */
async function uncountRequest(db: Db, { organization_no }: WaitingText): Promise<void> {
  await db.query(
    `update text_usage set requests = requests - 1
     where organization_no = $1 and day = (now() at time zone 'UTC')::date and requests > 0`,
    [organization_no],
  );
}

/** Records that a request begins. An earlier request that is still recorded has an unknown result. Returns the number of these requests. */
async function recordRequest(db: Db, textNo: number): Promise<number> {
  const { rows } = await db.query<{ unknown: number }>(
    `update texts set unknown = unknown + case when asked_at is null then 0 else 1 end, asked_at = now() where no = $1
     returning unknown`,
    [textNo],
  );
  return rows[0]?.unknown ?? 0;
}
