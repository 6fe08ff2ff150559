import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { DEFAULT_CONTENTS, type TankContents } from '../values/products.ts';
import { ENGLISH, type Translation } from './english.ts';
import type { MailContent } from './layout.ts';
import { type Formats, formatsFor, type Language, type MailLocale } from './locale.ts';
import { type ProductWords, productWords } from './product_words.ts';
import { SPANISH } from './spanish.ts';

/** The fields of an organization that its mails need. */
export interface MailOrganization extends MailLocale {
  no: number;
  code: string;
  name: string;
  /** The phone number for questions. */
  phone: string | null;
  /** The address for replies. */
  reply_to: string | null;
  /** The number to call in an emergency. If null, the number of the country is used. */
  emergency_phone: string | null;
  /** The organization's own steps for a leak. If null, those of Tankwatch are used. */
  safety_steps: readonly string[] | null;
  /** The product of its tanks that name none. */
  default_product: string;
}

const mailOrganizationSql = (language: string): string =>
  `json_build_object('no', o.no, 'code', o.code, 'name', o.name, 'language', ${language},
  'time_zone', o.time_zone, 'phone', o.phone, 'reply_to', o.reply_to, 'emergency_phone', o.emergency_phone,
  'safety_steps', o.safety_steps,
  'default_product', o.default_product)`;

/** SQL expression: the mail organization of the row `o` of organizations. */
export const MAIL_ORGANIZATION_SQL = mailOrganizationSql('o.language');

/** Reads the fields of an organization that its mails need. */
export async function readMailOrganization(db: Db, organizationNo: number): Promise<MailOrganization> {
  const { rows } = await db.query<{ organization: MailOrganization }>(
    `select ${MAIL_ORGANIZATION_SQL} as organization from organizations o where o.no = $1`,
    [organizationNo],
  );
  return onlyRow(rows).organization;
}

/**
 * SQL expression: the mail organization in the language of a contact, with the region of the organization. `contact` is
 * the row of contacts, which may be missing.
 */
export const organizationForContactSql = (contact: string): string =>
  mailOrganizationSql(`coalesce(${contact}.language || substr(o.language, 3), o.language)`);

type Translate = (formats: Formats, contents: TankContents, words: ProductWords) => Translation;
const TRANSLATIONS: Readonly<Record<Language, Translate>> = { en: ENGLISH, es: SPANISH };

export interface MailWriter {
  formats: Formats;
  texts: Translation;
}

/** The texts in the language of the organization, and its numbers and times. A mail about a tank has the words of its product. */
export function writerFor(organization: MailLocale, contents: TankContents = DEFAULT_CONTENTS): MailWriter {
  const formats = formatsFor(organization);
  const { language } = formats;
  return { formats, texts: TRANSLATIONS[language](formats, contents, productWords(language, contents)) };
}

/** The parts of a mail that name its sender. The footer names the zone of the times, unless the mail shows no time. */
export const frameOf = (
  { name, phone }: MailOrganization,
  { formats, texts }: MailWriter,
  { hasTimes = true } = {},
): Pick<MailContent, 'tag' | 'from' | 'footer'> => ({
  tag: formats.tag,
  from: name,
  footer: [texts.sentBy(name, phone), ...(hasTimes ? [texts.timesIn(formats.zoneName)] : [])],
});
