import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { MAIL_TEXTS } from '../translations/mails.ts';

const USUAL_TIMES = ['05:00', '06:00', '07:00', '08:00', '12:00', '18:00', '20:00'] as const;

/** The times of a daily digest in the organization's time zone. `chosen` may be another time, or empty for no digest. */
export function DigestOptions({ chosen }: { chosen: string }) {
  const { format } = usePreferences();
  const texts = useTexts(MAIL_TEXTS);
  const times = [...new Set([...USUAL_TIMES, ...(chosen === '' ? [] : [chosen])])].toSorted();
  return (
    <>
      <option value="">{texts.noDigest}</option>
      {times.map((time) => (
        <option key={time} value={time}>
          {format.clock(time)}
        </option>
      ))}
    </>
  );
}
