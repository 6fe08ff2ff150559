import type { MailOutcome } from './event_mails.ts';
import { frameOf, type MailOrganization, type MailWriter, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';

/** A contact whom a mail warns. */
export interface WarnedContact {
  contact_no: number;
  email: string;
  organization: MailOrganization;
}

interface Warning {
  subject: string;
  sentences: readonly string[];
  remedy: string;
  /** Identifies the warning. Each contact gets it in a mail of its own. */
  key: string;
  hasTimes: boolean;
}

/** Mails a warning to contacts of an organization, each in the language of the contact. */
export async function warnContacts<Contact extends WarnedContact>(
  mailer: Mailer,
  contacts: readonly Contact[],
  warningFor: (contact: Contact, writer: MailWriter) => Warning,
): Promise<MailOutcome> {
  let isSent = false;
  for (const contact of contacts) {
    const { organization } = contact;
    const writer = writerFor(organization);
    const { subject, sentences, remedy, key, hasTimes } = warningFor(contact, writer);
    const isAccepted = await mailer.send({
      to: contact.email,
      replyTo: organization.reply_to,
      content: {
        ...frameOf(organization, writer, { hasTimes }),
        subject,
        heading: subject,
        tone: 'warning',
        blocks: [
          ...sentences.map((text) => ({ kind: 'paragraph', text }) as const),
          { kind: 'advice', title: writer.texts.whatToDo, text: remedy, tone: 'warning' },
        ],
      },
      messageKey: `${key}.${contact.contact_no}`,
    });
    isSent ||= isAccepted;
  }
  if (contacts.length === 0) return 'skipped';
  return isSent ? 'sent' : 'rejected';
}
