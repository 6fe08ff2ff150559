import type { Db } from '../db/pool.ts';
import { makeCode, makeToken } from '../keys/sign_in_token.ts';
import type { MailOutcome } from './event_mails.ts';
import type { MailContent } from './layout.ts';
import { listOf } from './locale.ts';
import { frameOf, type MailOrganization, organizationForContactSql, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import { mailPersonInvitation } from './person_invitations.ts';

/**
 * Mails a link and a code to the address of a sign-in, if a person with this address may use the console; an invitation
 * has the link only. Both are generated here and exist only in the mail; the database stores their hashes. A repeated
 * attempt replaces them.
 */
export async function mailSignIn(db: Db, mailer: Mailer, signInNo: number): Promise<MailOutcome> {
  const [token, code] = [makeToken(), makeCode()];
  const link = mailer.consoleUrl === null ? null : mailer.signInUrl(token.text);
  const { rows: begun } = await db.query<{ address: string | null }>(
    'select begin_sign_in_mail($1, $2, $3) as address',
    [signInNo, token.sha256, code.sha256],
  );
  const address = begun[0]?.address ?? null;
  if (address === null || link === null || mailer.consoleUrl === null) return 'skipped';
  const { rows: invited } = await db.query<{ contact_no: number; issuer_label: string | null }>(
    'select contact_no, issuer_label from invitation_of_sign_in($1)',
    [signInNo],
  );
  if (invited[0] !== undefined) {
    const { contact_no: contactNo, issuer_label: issuerLabel } = invited[0];
    const invitation = { signInNo, contactNo, consoleUrl: mailer.consoleUrl };
    return mailPersonInvitation(db, mailer, invitation, issuerLabel === null ? { link } : { issuerLabel });
  }
  const { rows } = await db.query<{ email: string; organization: MailOrganization }>(
    `select distinct on (o.no) i.email, ${organizationForContactSql('c')} as organization
     from sign_in_identities i join organizations o on o.no = i.organization_no and o.deleted_at is null
     left join contacts c on c.no = i.contact_no
     where i.address = $1 order by o.no, i.contact_no`,
    [address],
  );
  const [first] = rows;
  if (first === undefined) return 'skipped';
  const organizations = rows.map(({ organization }) => organization);
  const isSent = await mailer.send({
    // The address as the organization has stored it, not as it was typed.
    to: first.email,
    replyTo: first.organization.reply_to,
    content: signInMail([first.organization, ...organizations.slice(1)], link, code.text),
    messageKey: `sign-in.${signInNo}.${Date.now()}`,
  });
  return isSent ? 'sent' : 'rejected';
}

/** The mail in the language of the person at the first organization. */
export function signInMail(
  organizations: readonly [MailOrganization, ...MailOrganization[]],
  link: string,
  code: string,
): MailContent {
  const [first] = organizations;
  const writer = writerFor(first);
  const { signIn } = writer.texts;
  const frame = frameOf(first, writer, { hasTimes: false });
  const names = listOf(
    first.language,
    organizations.map(({ name }) => name),
  );
  return {
    ...frame,
    from: names,
    footer: organizations.length === 1 ? frame.footer : [],
    subject: signIn.subject(names),
    heading: signIn.heading,
    tone: 'neutral',
    blocks: [
      { kind: 'paragraph', text: signIn.typeCode },
      { kind: 'code', text: code },
      { kind: 'paragraph', text: signIn.orOpen },
      { kind: 'button', label: signIn.button, url: link },
      { kind: 'paragraph', text: signIn.validity },
      { kind: 'paragraph', text: signIn.notYou(names) },
    ],
  };
}
