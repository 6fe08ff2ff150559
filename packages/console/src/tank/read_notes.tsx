import type { TankStatus } from '@tankwatch/client';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import '../styles/forms.css';
import { Panel } from '../parts/panel.tsx';
import { FOLLOWED_TEXTS } from '../translations/followed.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

/** The notes on a tank for viewers who may not write notes. */
export function ReadNotes({ notes }: Pick<TankStatus, 'notes'>) {
  const { format } = usePreferences();
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  const followed = useTexts(FOLLOWED_TEXTS);
  return (
    <Panel id="notes" title={texts.title} className="notes">
      <ul className="note-list">
        {notes.map(({ id, text, name, since }) => (
          <li key={id}>
            <p>{text}</p>
            <p className="meta">{followed.noteBy(name ?? followed.program, format.dateTime(since))}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
