import type { Phone } from '@tankwatch/client';
import { useTexts } from '../preferences_and_words.tsx';
import { PHONE_TEXTS } from '../translations/phones.ts';
import { telOf } from './phone.tsx';

/** The phones of a customer, in the order in which they are called. */
export function Phones({ phones }: { phones: readonly Phone[] }) {
  const texts = useTexts(PHONE_TEXTS);
  return phones.map(({ number, whose, text_for_loss: isTexted }, index) => {
    const isFirst = index === 0 && phones.length > 1;
    const marks = [whose, isFirst && texts.callFirst, isTexted && texts.texted].filter(Boolean);
    return (
      <span key={`${index} ${number}`}>
        <a href={telOf(number)}>{number}</a>
        {marks.length > 0 && <span className="meta"> {marks.join(', ')}</span>}
      </span>
    );
  });
}
