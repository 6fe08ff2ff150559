import { useTranslation } from '../preferences_and_words.tsx';

export function Phone({ phone }: { phone: string | null }) {
  const { values } = useTranslation();
  if (phone === null) return values.none;
  return <a href={`tel:${phone.replaceAll(' ', '')}`}>{phone}</a>;
}
