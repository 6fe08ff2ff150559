import { InvalidArgumentError, Option } from 'commander';
import { CUSTOMER_FIELDS } from '../../catalog/customer_fields.ts';
import { parseLanguageTag } from '../../mail/locale.ts';
import { parseTimeZone } from '../../values/zoned_time.ts';
import { parseField } from './field.ts';

/** The options of an organization that decide how its mails are written. */
export const mailOptions = (): Option[] => [
  new Option(
    '--language <language>',
    'language of mails, en or es, with the region that decides how numbers and times are written, such as es-MX',
  ).argParser((text) => {
    const tag = parseLanguageTag(text);
    if (tag === undefined)
      throw new InvalidArgumentError('Must be en or es, also with a region, such as es-MX or en-US.');
    return tag;
  }),
  new Option(
    '--time-zone <zone>',
    'time zone of the times in mails and of digests, such as America/Mexico_City',
  ).argParser((text) => {
    const zone = parseTimeZone(text);
    if (zone === undefined)
      throw new InvalidArgumentError('Must be the name of a time zone, such as America/Mexico_City.');
    return zone;
  }),
  new Option('--reply-to <email>', 'address that replies to its mails go to; "" removes it').argParser((text) =>
    text.trim() === '' ? null : parseField(CUSTOMER_FIELDS.email, text),
  ),
  new Option('--phone <number>', 'number that its mails ask to call; "" removes it').argParser((text) =>
    parseField(CUSTOMER_FIELDS.phone, text),
  ),
  new Option(
    '--emergency-phone <number>',
    'number to call about a leak; "" removes it (default: 911 or 112, by the region of --language)',
  ).argParser((text) => parseField(CUSTOMER_FIELDS.phone, text)),
  new Option(
    '--safety-steps <step...>',
    'what people beside a leaking tank should do, in this order, in its own words; "" removes them',
  ).argParser((text, before: string[] | null | undefined) => {
    if (text.trim() === '') return null;
    if (text.length > 300) throw new InvalidArgumentError('A step must have at most 300 characters.');
    return [...(before ?? []), text.trim()];
  }),
];
