import { expect, test } from 'vitest';
import { CUSTOMER_FIELDS } from '../../src/catalog/customer_fields.ts';
import { formatPhones, parsePhones } from '../../src/values/phones.ts';

test('phones are written to a cell and read from it unchanged, with their owners and marks', () => {
  const phones = [
    { number: '+1 802 555 0177', whose: 'Ann Church, owner', text_for_loss: true },
    { number: '(802) 555-0160', whose: null, text_for_loss: false },
    { number: '461/555.01', whose: 'Kitchen', text_for_loss: false },
    { number: '802 555 0177', whose: '24 h', text_for_loss: true },
    { number: '802 555 0178', whose: '(night)', text_for_loss: false },
  ];
  expect(formatPhones(phones)).toBe(
    '+1 802 555 0177: Ann Church, owner [text]; (802) 555-0160; 461/555.01: Kitchen; 802 555 0177: 24 h [text]; 802 555 0178: (night)',
  );
  expect(parsePhones(formatPhones(phones))).toEqual(phones);
  expect(parsePhones('802 555 0160 (Kitchen)\n8025550161: Ann; ')).toEqual([
    { number: '802 555 0160', whose: 'Kitchen', text_for_loss: false },
    { number: '8025550161', whose: 'Ann', text_for_loss: false },
  ]);
  expect(parsePhones(' ')).toEqual([]);
  for (const wrong of ['none', 'Ann 802 555 0160', '12', '802 555 0160; ask Ann'])
    expect(parsePhones(wrong)).toBeUndefined();
});

test('the owner of a phone cannot contain a separator of the cell or end in the mark [text]', () => {
  for (const wrong of ['Ann; Bob', 'Ann\nBob', 'Ann [text]'])
    expect(CUSTOMER_FIELDS.phone_whose(wrong)).toHaveProperty('reason');
  expect(CUSTOMER_FIELDS.phone_whose('Ann [text] only')).toEqual({ value: 'Ann [text] only' });
});

test('a customer has at most 9 phones beside the first one', () => {
  const others = (count: number) => CUSTOMER_FIELDS.other_phones(Array(count).fill('802 555 0160').join('; '));
  expect(others(9)).toHaveProperty('value');
  expect(others(10)).toEqual({ reason: 'must have at most 9 phones beside the first one' });
});
