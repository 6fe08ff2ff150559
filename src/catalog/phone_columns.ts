import type { FieldProblem } from '../values/change_refusal.ts';
import { MAX_PHONES, type Phone } from '../values/phones.ts';
import { CUSTOMER_FIELDS, type CustomerValues } from './customer_fields.ts';

/** The columns that store the phones of a customer, and what is wrong with the phones. The first one has its own columns. */
export function phoneValues(phones: readonly Phone[]): {
  values: Pick<CustomerValues, 'phone' | 'phone_whose' | 'is_phone_texted' | 'other_phones'>;
  problems: FieldProblem[];
} {
  const problems: FieldProblem[] = [];
  const parse = (at: number, part: 'number' | 'whose', text: string): string | null => {
    const parsed = CUSTOMER_FIELDS[part === 'number' ? 'phone' : 'phone_whose'](text);
    const isMissing = part === 'number' && 'value' in parsed && parsed.value === null;
    if ('value' in parsed && !isMissing) return parsed.value;
    problems.push({ field: `phones[${at}].${part}`, reason: 'reason' in parsed ? parsed.reason : 'must not be empty' });
    return null;
  };
  const [first, ...others] = phones.map(({ number, whose, text_for_loss }, at) => ({
    number: parse(at, 'number', number) ?? '',
    whose: parse(at, 'whose', whose ?? ''),
    text_for_loss,
  }));
  if (phones.length > MAX_PHONES) problems.push({ field: 'phones', reason: `must have at most ${MAX_PHONES} phones` });
  const values = {
    phone: first?.number ?? null,
    phone_whose: first?.whose ?? null,
    is_phone_texted: first?.text_for_loss ?? false,
    other_phones: others.length === 0 ? null : JSON.stringify(others),
  };
  return { values, problems };
}
