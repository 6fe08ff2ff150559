import type { Db } from '../db/pool.ts';
import type { MailOutcome } from './event_mails.ts';
import type { Language } from './layout.ts';
import type { Mailer } from './mailer.ts';
import { TRANSLATIONS } from './translations.ts';

/** Asks a customer to confirm the e-mail address. */
export async function mailInvitation(db: Db, mailer: Mailer, customerNo: number): Promise<MailOutcome> {
  const { rows } = await db.query<{
    id: string;
    name: string;
    email: string;
    organization_no: number;
    organization_code: string;
    organization_name: string;
    language: Language;
  }>(
    `select c.id, c.name, c.email, o.no as organization_no, o.code as organization_code, o.name as organization_name, o.language
     from customers c join organizations o on o.no = c.organization_no
     where c.no = $1 and c.deleted_at is null and not c.is_verified`,
    [customerNo],
  );
  const [customer] = rows;
  if (customer === undefined) return 'skipped';
  const { language, organization_name } = customer;
  const texts = TRANSLATIONS[language];
  const organization = { no: customer.organization_no, code: customer.organization_code };
  const verifyUrl = await mailer.linkFor(db, 'verify', { id: customer.id, email: customer.email, organization });
  const isSent = await mailer.send({
    to: customer.email,
    content: {
      language,
      subject: texts.invitation.subject(organization_name),
      paragraphs: [texts.greeting(customer.name), ...texts.invitation.sentences(organization_name)],
      action: { label: texts.invitation.button, url: verifyUrl },
      footer: [texts.sentBy(organization_name)],
    },
    messageKey: `${customer.id}.invitation.${Date.now()}`,
  });
  return isSent ? 'sent' : 'rejected';
}

/** Informs all contacts of an organization that one of its endpoints was disabled. */
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
    const texts = TRANSLATIONS[row.language];
    const { disabled } = texts;
    await mailer.send({
      to: row.email,
      content: {
        language: row.language,
        subject: disabled.subject,
        // Only the host: the path of a URL may contain a secret.
        paragraphs: [disabled.endpoint(new URL(row.url).host), disabled[row.disabled_because], disabled.remedy],
        footer: [texts.sentBy(row.organization_name)],
      },
      messageKey: `${row.id}.disabled.${Date.parse(row.disabled_at)}.${row.contact_no}`,
    });
  }
  return rows.length > 0 ? 'sent' : 'skipped';
}
