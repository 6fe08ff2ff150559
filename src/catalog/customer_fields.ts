import { isWritableWhose, MAX_PHONES, MAX_WHOSE, parsePhones } from '../values/phones.ts';
import { boolean, creationTime, type Field, type FieldValues, identifier, orNull, text, time } from './field.ts';

const email: Field<string> = (given) => {
  const parsed = text(320)(given);
  if ('value' in parsed && !/^[^\s@]+@[^\s@]+$/.test(parsed.value)) return { reason: 'must be an e-mail address' };
  return parsed;
};

const phone = identifier(50);
const phoneWhose: Field<string> = (given) =>
  isWritableWhose(given.trim())
    ? text(MAX_WHOSE)(given)
    : { reason: 'must not have semicolons or line breaks, or end with [text]' };

/** Several phones in one text. The value is the JSON text that is stored. */
const phones: Field<string> = (given) => {
  const parsed = parsePhones(given);
  const wanted = 'must be phone numbers, each with a name after it or not, separated by semicolons';
  if (parsed === undefined) return { reason: wanted };
  if (parsed.length > MAX_PHONES - 1)
    return { reason: `must have at most ${MAX_PHONES - 1} phones beside the first one` };
  for (const { number: digits, whose } of parsed) {
    const problem = [phone(digits), whose === null ? { value: null } : phoneWhose(whose)].find(
      (one) => 'reason' in one,
    );
    if (problem !== undefined) return problem;
  }
  return { value: JSON.stringify(parsed) };
};

export const CUSTOMER_FIELDS = {
  external_key: orNull(identifier(200)),
  email,
  name: text(500),
  phone: orNull(phone),
  phone_whose: orNull(phoneWhose),
  is_phone_texted: boolean,
  other_phones: orNull(phones),
  is_verified: boolean,
  verified_at: orNull(time),
  created_at: creationTime,
};

export type CustomerValues = FieldValues<typeof CUSTOMER_FIELDS>;
