import type { Db } from '../db/pool.ts';
import type { MailOutcome } from './event_mails.ts';
import type { Language } from './layout.ts';
import type { Mailer } from './mailer.ts';
import { TRANSLATIONS } from './translations.ts';

/** Asks a customer to confirm the address. */
export async function mailInvitation(db: Db, mailer: Mailer, customerNo: number): Promise<MailOutcome> {
  const { rows } = await db.query<{
    id: string;
    name: string;
    email: string;
    organization_name: string;
    language: Language;
  }>(
    `select c.id, c.name, c.email, o.name as organization_name, o.language
     from customers c join organizations o on o.no = c.organization_no
     where c.no = $1 and c.deleted_at is null and not c.is_verified`,
    [customerNo],
  );
  const [customer] = rows;
  if (customer === undefined) return 'void';
  const { language, organization_name } = customer;
  const words = TRANSLATIONS[language];
  const isSent = await mailer.send({
    to: customer.email,
    letter: {
      language,
      subject: words.invitation.subject(organization_name),
      paragraphs: [words.greeting(customer.name), ...words.invitation.sentences(organization_name)],
      action: { label: words.invitation.button, url: mailer.linkFor('verify', customer.id, customer.email) },
      footer: [words.from(organization_name)],
    },
    messageKey: `${customer.id}.invitation.${Date.now()}`,
  });
  return isSent ? 'sent' : 'refused';
}

/** Tells all contacts of an organization that one of its endpoints gets nothing any more. */
export async function mailDisabledEndpoint(db: Db, mailer: Mailer, endpointNo: number): Promise<MailOutcome> {
  const { rows } = await db.query<{
    id: string;
    url: string;
    disabled_because: 'gone' | 'failing';
    disabled_at: string;
    contact_no: number;
    email: string;
    organization_name: string;
    language: Language;
  }>(
    `select w.id, w.url, w.disabled_because, w.disabled_at, c.no as contact_no, c.email,
            o.name as organization_name, o.language
     from webhook_endpoints w
     join organizations o on o.no = w.organization_no
     join contacts c on c.organization_no = w.organization_no and c.deleted_at is null
     where w.no = $1 and w.disabled_because in ('gone', 'failing')`,
    [endpointNo],
  );
  for (const row of rows) {
    const words = TRANSLATIONS[row.language];
    const { disabled } = words;
    await mailer.send({
      to: row.email,
      letter: {
        language: row.language,
        subject: disabled.subject,
        // The path may hold a secret; the host does not.
        paragraphs: [disabled.endpoint(new URL(row.url).host), disabled[row.disabled_because], disabled.remedy],
        footer: [words.from(row.organization_name)],
      },
      messageKey: `${row.id}.disabled.${Date.parse(row.disabled_at)}.${row.contact_no}`,
    });
  }
  return rows.length > 0 ? 'sent' : 'void';
}
