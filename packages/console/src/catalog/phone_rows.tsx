import type { Phone } from '@tankwatch/client';
import { useId } from 'react';
import { MAX_PHONES, MAX_WHOSE } from '../../../../src/values/phones.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { PHONE_TEXTS } from '../translations/phones.ts';

const MAX_NUMBER = 50;
const EMPTY: Phone = { number: '', whose: null, text_for_loss: false };

/** Parses the phones in the draft of a form. A draft stores texts only, so the phones are JSON. */
export function phonesIn(text: string): Phone[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.map((one: unknown) => {
    const valueOf = (name: keyof Phone): unknown => Reflect.get(Object(one), name);
    const whose = valueOf('whose');
    return {
      number: String(valueOf('number')),
      whose: typeof whose === 'string' ? whose : null,
      text_for_loss: valueOf('text_for_loss') === true,
    };
  });
}

/** The phones of the form without its empty rows. */
export const filledPhones = (phones: readonly Phone[]): Phone[] =>
  phones
    .map((phone) => ({ ...phone, number: phone.number.trim(), whose: phone.whose?.trim() || null }))
    .filter(({ number, whose }) => number !== '' || whose !== null);

interface PhoneRowsProps {
  /** In the order in which they are called. */
  phones: readonly Phone[];
  problem: string;
  onChange: (phones: Phone[]) => void;
}

/** The phones of a customer in a form: whose they are, which is called first, and which get a text about a loss. */
export function PhoneRows({ phones, problem, onChange }: PhoneRowsProps) {
  const texts = useTexts(PHONE_TEXTS);
  const id = useId();
  const rows = phones.length === 0 ? [EMPTY] : phones;
  const change = (index: number, values: Partial<Phone>): void =>
    onChange(rows.map((row, other) => (other === index ? { ...row, ...values } : row)));
  const moveToFront = (index: number): void =>
    onChange([...rows.slice(index, index + 1), ...rows.slice(0, index), ...rows.slice(index + 1)]);
  return (
    <fieldset className="phones" aria-describedby={`${id}-help`}>
      <legend>{texts.title}</legend>
      {rows.map(({ number, whose, text_for_loss: isTexted }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a row has no other key, and numbers change while they are typed
        <div key={index} className="phone-row">
          <input
            type="tel"
            aria-label={texts.number}
            placeholder={texts.number}
            autoComplete="off"
            maxLength={MAX_NUMBER}
            aria-invalid={problem !== '' && number.trim() === '' ? 'true' : undefined}
            value={number}
            onChange={({ target }) => change(index, { number: target.value })}
          />
          <input
            type="text"
            aria-label={texts.whose}
            placeholder={texts.whoseHelp}
            autoComplete="off"
            maxLength={MAX_WHOSE}
            value={whose ?? ''}
            onChange={({ target }) => change(index, { whose: target.value })}
          />
          <label className="box">
            <input type="radio" name={`${id}-first`} checked={index === 0} onChange={() => moveToFront(index)} />{' '}
            {texts.first}
          </label>
          <label className="box">
            <input
              type="checkbox"
              checked={isTexted}
              onChange={({ target }) => change(index, { text_for_loss: target.checked })}
            />{' '}
            {texts.text}
          </label>
          <Button
            className="small"
            aria-label={texts.remove(number)}
            onClick={() => onChange(rows.filter((_, other) => other !== index))}
          >
            ×
          </Button>
        </div>
      ))}
      {problem !== '' && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {rows.length < MAX_PHONES && (
        <Button className="small" onClick={() => onChange([...rows, EMPTY])}>
          {texts.add}
        </Button>
      )}
      <p className="meta" id={`${id}-help`}>
        {texts.textHelp}
      </p>
    </fieldset>
  );
}
