import { useTranslation } from '../preferences_and_words.tsx';

/** The URL that calls a number. */
export const telOf = (number: string): string => `tel:${number.replaceAll(' ', '')}`;

export function Phone({ phone }: { phone: string | null }) {
  const { values } = useTranslation();
  if (phone === null) return values.none;
  return <a href={telOf(phone)}>{phone}</a>;
}
