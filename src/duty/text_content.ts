import type { Db } from '../db/pool.ts';
import { type SummarizedEvent, summarizeAlert } from '../mail/alert_summary.ts';
import { formatsFor, type Language } from '../mail/locale.ts';
import type { MailOrganization } from '../mail/mail_organization.ts';
import { CODE_MINUTES, phoneCode } from './contact_reach.ts';

/** What a text says, and to whom. */
export interface TextFacts {
  contact_no: number;
  purpose: 'alert' | 'code' | 'test';
  is_false_alarm: boolean;
  phone: string;
  code_at: string | null;
  has_console: boolean;
  organization: MailOrganization;
  event: SummarizedEvent | null;
}

export interface TextSettings {
  /** The key from which codes are computed. */
  apiSecretsKey: string;
  /** The public address; empty if it is not known. Without it there are no reports and no links. */
  publicUrl: string;
  hasConsole: boolean;
}

/** The largest length, about four parts of a text. The link at the end of the text is never cut. */
const MAX_LENGTH = 600;

const ENGLISH = {
  code: (name: string, code: string) =>
    `${code} is the code for your number at ${name}. It is valid for ${CODE_MINUTES} minutes.`,
  test: (name: string) => `Test of ${name}: texts about losses reach you at this number.`,
  take: 'Handle it:',
  falseAlarm: (name: string, tank: string) => `${name}: false alarm. The loss at ${tank} was not one.`,
};
const WORDS: Readonly<Record<Language, typeof ENGLISH>> = {
  en: ENGLISH,
  es: {
    code: (name, code) => `${code} es el código para su número en ${name}. Vale ${CODE_MINUTES} minutos.`,
    test: (name) => `Prueba de ${name}: los avisos de fugas le llegan a este número.`,
    take: 'Atender:',
    falseAlarm: (name, tank) => `${name}: falsa alarma. La pérdida en ${tank} no lo era.`,
  },
};

/** The content of a text in the language of the person; undefined if its tank was deleted. */
export async function textContent(
  db: Db,
  {
    purpose,
    is_false_alarm: isFalseAlarm,
    organization,
    contact_no: contactNo,
    phone,
    code_at,
    event,
    has_console,
  }: TextFacts,
  { apiSecretsKey, publicUrl, hasConsole }: TextSettings,
): Promise<string | undefined> {
  const words = WORDS[formatsFor(organization).language];
  if (purpose === 'test') return words.test(organization.name);
  if (purpose === 'code') {
    const known = { organizationNo: organization.no, contactNo, phone, codeAt: code_at ?? '' };
    return words.code(organization.name, phoneCode(apiSecretsKey, known));
  }
  const alert = event === null ? undefined : await summarizeAlert(db, organization, event);
  if (alert === undefined) return undefined;
  const { tank, subject, address } = alert;
  if (isFalseAlarm) return words.falseAlarm(organization.name, tank.name);
  const hasLink = has_console && hasConsole && publicUrl !== '';
  const link = hasLink ? `\n${words.take} ${publicUrl}/console/tanks/${tank.id}` : '';
  return `${organization.name}: ${subject}\n${address}`.slice(0, MAX_LENGTH - link.length) + link;
}
