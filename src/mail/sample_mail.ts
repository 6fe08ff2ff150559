import type { MailContent } from './layout.ts';
import { frameOf, type MailOrganization, writerFor } from './mail_organization.ts';

/** A mail that shows a contact how mails look: their sender, and the format of numbers and times. */
export function sampleMail(organization: MailOrganization, email: string, nowMs: number): MailContent {
  const writer = writerFor(organization);
  const { formats, texts } = writer;
  const time = formats.time(new Date(nowMs).toISOString());
  return {
    ...frameOf(organization, writer),
    subject: texts.sample.subject(organization.name),
    heading: texts.sample.heading,
    tone: 'neutral',
    blocks: [
      { kind: 'paragraph', text: texts.sample.sentence(email) },
      {
        kind: 'facts',
        facts: [
          { label: texts.labels.time, value: time },
          { label: texts.sample.example, value: `${formats.percent(17.9)}, ${formats.volume(1_234.5, 'liters')}` },
          ...(organization.phone === null ? [] : [{ label: texts.labels.phone, value: organization.phone }]),
        ],
      },
    ],
  };
}
