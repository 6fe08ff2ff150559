import type { TankStatus } from '@tankwatch/client';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import '../styles/act.css';

/** The notes on a tank, for those who may not write any. */
export function ReadNotes({ notes }: Pick<TankStatus, 'notes'>) {
  const texts = ACT_WORDS[usePreferences().language].notes;
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
