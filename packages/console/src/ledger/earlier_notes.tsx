import type { DeliveryNote } from '@tankwatch/client';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { LEDGER_TEXTS } from '../translations/ledger.ts';

/** What the note said before it was changed, who changed it and when, the last change first. */
export function EarlierNotes({ note: { earlier } }: { note: DeliveryNote }) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS).form;
  if (earlier.length === 0) return null;
  return (
    <section className="earlier-notes">
      <h3>{texts.earlier}</h3>
      <ul>
        {earlier.map(({ changed_at: changedAt, changed_by_name: who, volume, unit, at, precision, status }) => (
          <li key={changedAt}>
            {texts.was(
              [
                format.volume(volume, unit),
                precision === 'day' ? format.dateWithYear(at) : format.fullTime(at),
                ...(status === 'cancelled' ? [texts.withdrawn] : []),
              ].join(', '),
            )}{' '}
            <span className="meta">{[format.fullTime(changedAt), who].filter(Boolean).join(' · ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
