import { createHmac } from 'node:crypto';
import type { ChangeContext } from '../catalog/change_context.ts';
import { lockOrganization } from '../catalog/organizations.ts';
import { isoTimeSql } from '../db/iso_time.ts';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { findContact, normalizeChoices } from '../mail/contacts.ts';
import { ChangeRefusedError, NoSuchObjectError, refuseField } from '../values/change_refusal.ts';
import { CLOCK_TIME } from '../values/time.ts';
import { isPhone, readTextChannel } from './text_channel.ts';
import { enqueueText } from './text_queue.ts';

/** The channels that reach a person at once, even at night. */
export const QUICK_CHANNELS = ['text', 'push'] as const;
export type QuickChannel = (typeof QUICK_CHANNELS)[number];

/** The channels and quiet hours of a person, as /manage/v1 returns them. */
export interface ContactReach {
  contact_id: string;
  name: string;
  /** The number in the format E.164. */
  phone: string | null;
  verified_at: string | null;
  by_text: boolean;
  by_mail: boolean;
  by_push: boolean;
  /** The additional channels for low tanks. */
  low_by: QuickChannel[];
  /** The additional channels for other events of which the person gets mails. */
  other_by: QuickChannel[];
  /** The number of browsers in which the person gets notifications. */
  browsers: number;
  /** The quiet hours, such as `22:00`, in the organization's time zone. Both are null, or neither. */
  quiet_from: string | null;
  quiet_to: string | null;
  /** The last text to the person. */
  last_text: { status: string; purpose: string; at: string; error: string | null } | null;
}
/** The values of a change. Fields that are missing are not changed. */
export type ReachValues = Pick<ContactReach, 'phone' | 'by_text' | 'by_mail' | 'quiet_from' | 'quiet_to'> &
  Partial<Pick<ContactReach, 'by_push' | 'low_by' | 'other_by'>>;

export const CODE_MINUTES = 15;
const CODE_TRIES = 5;
/** The largest number of texts with a code or a test to one person in a day. */
const MAX_OTHER_TEXTS = 10;

/**
 * Computes the code in a text from the person, the number and the time, so that the code is not stored. The api checks the code, and
 * the worker sends it; both have the key.
 */
export function phoneCode(
  apiSecretsKey: string,
  {
    organizationNo,
    contactNo,
    phone,
    codeAt,
  }: Readonly<Record<'organizationNo' | 'contactNo', number>> & Readonly<Record<'phone' | 'codeAt', string>>,
): string {
  const mac = createHmac('sha256', apiSecretsKey)
    .update(`code ${organizationNo} ${contactNo} ${phone} ${new Date(codeAt).toISOString()}`)
    .digest();
  return String(mac.readUInt32BE(0) % 1_000_000).padStart(6, '0');
}

/** Reads the channels of the people of an organization, or of one person, in the order of their names. */
export async function listReach(
  db: Db,
  organizationNo: number,
  contactNo: number | null = null,
): Promise<ContactReach[]> {
  const { rows } = await db.query<ContactReach>(
    `select c.id as contact_id, coalesce(c.name, c.email) as name, r.phone, r.verified_at,
            coalesce(r.by_text, true) as by_text, coalesce(r.by_mail, true) as by_mail,
            coalesce(r.by_push, true) as by_push, coalesce(r.low_by, '{}') as low_by, coalesce(r.other_by, '{}') as other_by,
            (select count(*)::int from push_subscriptions s where s.contact_no = c.no) as browsers,
            to_char(r.quiet_from, 'HH24:MI') as quiet_from, to_char(r.quiet_to, 'HH24:MI') as quiet_to,
            (select json_build_object('status', t.status, 'purpose', t.purpose, 'error', t.error,
               'at', ${isoTimeSql('t.created_at')})
             from texts t where t.contact_no = c.no order by t.no desc limit 1) as last_text
     from contacts c left join contact_reach r on r.no = c.no
     where c.organization_no = $1 and c.deleted_at is null and ($2::int is null or c.no = $2)
     order by lower(coalesce(c.name, c.email)), c.no`,
    [organizationNo, contactNo],
  );
  return rows;
}

export const normalizeChannels = (chosen: readonly QuickChannel[]): QuickChannel[] =>
  normalizeChoices(QUICK_CHANNELS, chosen);

async function existingContactNo({ tx, organizationNo }: ChangeContext, reference: string): Promise<number> {
  await lockOrganization(tx, organizationNo);
  const found = await findContact(tx, organizationNo, reference);
  if (typeof found !== 'object') throw new NoSuchObjectError('contact');
  return found.no;
}

/** Sets the channels of a person. A new number gets a code, and no other text until the person has entered the code. */
export async function setReach(
  change: ChangeContext,
  reference: string,
  { phone, by_text, by_mail, by_push, low_by, other_by, quiet_from, quiet_to }: ReachValues,
): Promise<ContactReach> {
  const { tx, organizationNo } = change;
  if (phone !== null && !isPhone(phone))
    refuseField('phone', 'must be a number with its country, such as +18025550111');
  if ((quiet_from === null) !== (quiet_to === null)) refuseField('quiet_to', 'must be given with quiet_from');
  for (const [field, time] of Object.entries({ quiet_from, quiet_to }))
    if (time !== null && !CLOCK_TIME.test(time)) refuseField(field, 'must be a time such as 22:00');
  const no = await existingContactNo(change, reference);
  const { rows } = await tx.query<{ phone: string | null }>('select phone from contact_reach where no = $1', [no]);
  await tx.query('insert into contact_reach (no, organization_no) values ($1, $2) on conflict do nothing', [
    no,
    organizationNo,
  ]);
  await tx.query(
    `update contact_reach set phone = $2, by_text = $3, by_mail = $4, quiet_from = $5::time, quiet_to = $6::time, updated_at = now(),
       by_push = coalesce($7, by_push), low_by = coalesce($8, low_by), other_by = coalesce($9, other_by),
       verified_at = case when phone = $2 then verified_at end
     where no = $1`,
    [
      no,
      phone,
      by_text,
      by_mail,
      quiet_from,
      quiet_to,
      by_push,
      low_by && normalizeChannels(low_by),
      other_by && normalizeChannels(other_by),
    ],
  );
  const isNew = phone !== null && phone !== rows[0]?.phone;
  if (isNew && (await readTextChannel(tx, organizationNo)) !== undefined) await sendCode(change, no);
  return onlyRow(await listReach(tx, organizationNo, no));
}

/** Sends another code to a number that is not verified, or a test text to a verified number. */
export async function sendTestText(change: ChangeContext, reference: string): Promise<ContactReach> {
  const { tx, organizationNo, isDryRun } = change;
  const no = await existingContactNo(change, reference);
  const { phone, verified_at } = onlyRow(await listReach(tx, organizationNo, no));
  if (phone === null) throw new ChangeRefusedError('no_phone', 'the person has no phone number');
  if ((await readTextChannel(tx, organizationNo)) === undefined)
    throw new ChangeRefusedError('no_text_channel', 'the organization sends no texts');
  if (verified_at === null) await sendCode(change, no);
  else {
    await checkOtherTexts(change, no);
    await enqueueText(tx, { organizationNo, contactNo: no, purpose: 'test' }, { isDryRun });
  }
  return onlyRow(await listReach(tx, organizationNo, no));
}

async function sendCode(change: ChangeContext, no: number): Promise<void> {
  const { tx, organizationNo, isDryRun } = change;
  await checkOtherTexts(change, no);
  await tx.query('update contact_reach set code_at = now(), code_tries = 0 where no = $1', [no]);
  await enqueueText(tx, { organizationNo, contactNo: no, purpose: 'code' }, { isDryRun });
}

async function checkOtherTexts({ tx }: ChangeContext, no: number): Promise<void> {
  const { rows } = await tx.query<{ n: number }>(
    `select count(*)::int as n from texts where contact_no = $1 and purpose <> 'alert' and created_at > now() - interval '1 day'`,
    [no],
  );
  if (onlyRow(rows).n >= MAX_OTHER_TEXTS)
    throw new ChangeRefusedError('too_many_texts', `${MAX_OTHER_TEXTS} texts were sent to this person today`);
}

/**
 * Verifies a phone number by its code. A wrong code does not throw, because the transaction stores the number of tries; the phone
 * number then stays unverified. After five tries a new code is needed.
 */
export async function verifyPhone(
  change: ChangeContext,
  reference: string,
  code: string,
  apiSecretsKeys: readonly string[],
): Promise<ContactReach> {
  const { tx, organizationNo } = change;
  const no = await existingContactNo(change, reference);
  const { rows } = await tx.query<{ phone: string; code_at: string }>(
    `update contact_reach set code_tries = code_tries + 1
     where no = $1 and phone is not null and verified_at is null and code_tries < ${CODE_TRIES}
       and code_at > now() - make_interval(mins => ${CODE_MINUTES})
     returning phone, code_at`,
    [no],
  );
  const [reach] = rows;
  if (reach === undefined)
    throw new ChangeRefusedError(
      'no_code',
      'there is no code for this number, or it has expired or was tried too often',
    );
  const recipient = { organizationNo, contactNo: no, phone: reach.phone, codeAt: reach.code_at };
  if (apiSecretsKeys.some((key) => phoneCode(key, recipient) === code))
    await tx.query('update contact_reach set verified_at = now(), code_at = null, updated_at = now() where no = $1', [
      no,
    ]);
  return onlyRow(await listReach(tx, organizationNo, no));
}
