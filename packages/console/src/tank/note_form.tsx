import type { Note, Notes as NoteList } from '@tankwatch/client';
import { useState } from 'react';
import { ChangedNotice, ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { Field, useFieldProblem } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

const MAX_LENGTH = 2_000;

export const isValidNote = (text: string): boolean => text.trim() !== '' && text.trim().length <= MAX_LENGTH;

export function PrintsBox({ prints, onChange }: { prints: boolean; onChange: (prints: boolean) => void }) {
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  return (
    <label className="box">
      <input type="checkbox" checked={prints} onChange={({ target }) => onChange(target.checked)} /> {texts.prints}
    </label>
  );
}

export interface NoteItemProps {
  note: Note;
  tankName: string;
  readAgain: () => Promise<NoteList | undefined>;
}

/** Changes a stored note. */
export function NoteForm({ note, tankName, readAgain, onDone }: NoteItemProps & { onDone: () => void }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  const [text, setText] = useState(note.text);
  const [prints, setPrints] = useState(note.prints);
  /** The etag when the form was opened. The list below may be newer. */
  const [etag, setEtag] = useState(note.etag);
  const fieldProblem = useFieldProblem();
  const change = useChange(
    () => {
      void readAgain();
      onDone();
    },
    // Reads the stored note again, to show who changed it and when.
    ({ status }) => status === 412 && void readAgain(),
  );
  const { state } = change;
  const isChanged = state.kind === 'refused' && state.status === 412;
  const save = (ifMatch: string): void => {
    if (!isValidNote(text)) return;
    change.begin({
      method: 'PATCH',
      path: `/notes/${note.id}`,
      body: { text: text.trim(), prints },
      ifMatch,
      label: texts.label(tankName),
    });
  };
  const keepMine = async (): Promise<void> => {
    const newest = (await readAgain())?.data.find(({ id }) => id === note.id);
    if (newest === undefined) return;
    setEtag(newest.etag);
    save(newest.etag);
  };
  const takeTheirs = async (): Promise<void> => {
    await readAgain();
    onDone();
  };
  return (
    <li>
      <OpenedFields
        onClose={onDone}
        aria-label={texts.editOf(note.text.slice(0, 40))}
        noValidate
        onSubmit={() => save(etag)}
      >
        <fieldset disabled={change.isBusy}>
          <Field
            label={texts.edit}
            problem={isValidNote(text) ? fieldProblem(state, 'text') : changeTexts.fieldProblems.text}
          >
            {(attributes) => (
              <textarea {...attributes} rows={3} value={text} onChange={({ target }) => setText(target.value)} />
            )}
          </Field>
          <PrintsBox prints={prints} onChange={setPrints} />
          <FormButtons change={change} onCancel={onDone} />
        </fieldset>
        {isChanged && (
          <ChangedNotice
            objectId={note.id}
            at={note.updated_at}
            theirs={changeTexts.stored(`“${note.text}”`)}
            onMine={() => void keepMine()}
            onTheirs={() => void takeTheirs()}
          />
        )}
        <ChangeNotice change={change} fields={['text']} />
      </OpenedFields>
    </li>
  );
}
