import type { Db } from '../db/pool.ts';
import type { MailOutcome } from './event_mails.ts';
import type { MailContent } from './layout.ts';
import {
  frameOf,
  MAIL_ORGANIZATION_SQL,
  type MailOrganization,
  organizationForContactSql,
  writerFor,
} from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import { type WarnedContact, warnContacts } from './warn_contacts.ts';

/** Asks a customer to confirm the e-mail address. */
export async function mailInvitation(db: Db, mailer: Mailer, customerNo: number): Promise<MailOutcome> {
  const { rows } = await db.query<{ id: string; name: string; email: string; organization: MailOrganization }>(
    `select c.id, c.name, c.email, ${MAIL_ORGANIZATION_SQL} as organization
     from customers c join organizations o on o.no = c.organization_no and o.deleted_at is null
     where c.no = $1 and c.deleted_at is null and not c.is_verified`,
    [customerNo],
  );
  const [customer] = rows;
  if (customer === undefined) return 'skipped';
  const { organization } = customer;
  const verifyUrl = await mailer.linkFor(db, 'verify', customer);
  const isSent = await mailer.send({
    to: customer.email,
    replyTo: organization.reply_to,
    content: invitationMail(organization, customer.name, verifyUrl),
    messageKey: `${customer.id}.invitation.${Date.now()}`,
  });
  return isSent ? 'sent' : 'rejected';
}

export function invitationMail(organization: MailOrganization, customerName: string, verifyUrl: string): MailContent {
  const writer = writerFor(organization);
  const { invitation, greeting } = writer.texts;
  return {
    ...frameOf(organization, writer, { hasTimes: false }),
    subject: invitation.subject(organization.name),
    heading: invitation.heading,
    tone: 'good',
    blocks: [
      { kind: 'paragraph', text: greeting(customerName) },
      ...invitation.sentences(organization.name).map((text) => ({ kind: 'paragraph', text }) as const),
      { kind: 'button', label: invitation.button, url: verifyUrl },
      { kind: 'paragraph', text: invitation.validity },
    ],
  };
}

/** Informs a contact, or all contacts of the organization, that an endpoint was disabled. */
export async function mailDisabledEndpoint(
  db: Db,
  mailer: Mailer,
  endpointNo: number,
  contactNo: number | null,
): Promise<MailOutcome> {
  const { rows } = await db.query<
    WarnedContact & { id: string; url: string; disabled_because: 'gone' | 'failing'; disabled_at: string }
  >(
    `select w.id, w.url, w.disabled_because, w.disabled_at, c.no as contact_no, c.email,
            ${organizationForContactSql('c')} as organization
     from webhook_endpoints w
     join organizations o on o.no = w.organization_no
     join contacts c on c.organization_no = w.organization_no and c.deleted_at is null
     where w.no = $1 and w.disabled_because in ('gone', 'failing') and ($2::int is null or c.no = $2)`,
    [endpointNo, contactNo],
  );
  return warnContacts(mailer, rows, ({ id, url, disabled_because, disabled_at }, { texts: { disabled } }) => ({
    subject: disabled.subject,
    // The mail names only the host, because the path of a URL may contain a secret.
    sentences: [disabled.endpoint(new URL(url).host), disabled[disabled_because]],
    remedy: disabled.remedy,
    key: `${id}.disabled.${Date.parse(disabled_at)}`,
    hasTimes: false,
  }));
}
