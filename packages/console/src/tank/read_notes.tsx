import type { TankStatus } from '@tankwatch/client';
import { useTexts } from '../preferences.tsx';
import '../styles/forms.css';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

/** The notes on a tank, for those who may not write any. */
export function ReadNotes({ notes }: Pick<TankStatus, 'notes'>) {
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  return (
    <section className="panel notes" aria-labelledby="notes">
      <h2 id="notes">{texts.title}</h2>
      <ul className="note-list">
        {notes.map(({ id, text }) => (
          <li key={id}>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
