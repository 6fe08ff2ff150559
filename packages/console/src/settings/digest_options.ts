import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { MAIL_TEXTS } from '../translations/mails.ts';

const USUAL_TIMES = ['05:00', '06:00', '07:00', '08:00', '12:00', '18:00', '20:00'] as const;

/** The times of a daily digest in the organization's time zone. `chosen` may be another time, or empty for no digest. */
export function useDigestOptions(chosen: string): (readonly [time: string, text: string])[] {
  const { format } = usePreferences();
  const texts = useTexts(MAIL_TEXTS);
  const times = [...new Set([...USUAL_TIMES, ...(chosen === '' ? [] : [chosen])])].toSorted();
  return [['', texts.noDigest], ...times.map((time) => [time, format.clock(time)] as const)];
}
