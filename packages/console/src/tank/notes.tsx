import type { Note, Notes as NoteList, TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { Field, useFieldProblem } from '../forms/field.tsx';
import { FormProblem } from '../forms/form_problem.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';
import { isValidNote, NoteForm, type NoteItemProps, PrintsBox } from './note_form.tsx';

/** Notes of other people appear within this time, because the live stream does not report notes. */
const REFRESH_MS = 10_000;

/** The notes on a tank for drivers and technicians. */
export function Notes({ status: { tank, notes } }: { status: TankStatus }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  const queryClient = useQueryClient();
  const queryKey = ['notes', tank.id];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.manage.notes.list(tank.id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  const readAgain = async (): Promise<NoteList | undefined> => {
    void queryClient.invalidateQueries({ queryKey: ['tank', tank.id, 'timeline'] });
    await queryClient.invalidateQueries({ queryKey });
    return queryClient.getQueryData<NoteList>(queryKey);
  };
  const name = nameOf(tank);
  const [isAdding, setAdding] = useState(false);
  const [deleted, setDeleted] = useState<Note | null>(null);
  const undo = useChange(() => {
    setDeleted(null);
    void readAgain();
  });
  const add = (
    <Button className="small" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
      {texts.open}
    </Button>
  );
  return (
    <Panel id="notes" title={texts.title} className="notes" action={add}>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <p className="meta">{texts.none}</p>}
      <ul className="note-list">
        {data?.data.map((note) => (
          <NoteItem
            key={note.id}
            note={note}
            author={notes.find(({ id }) => id === note.id)?.name ?? null}
            tankName={name}
            readAgain={readAgain}
            onDeleted={setDeleted}
          />
        ))}
      </ul>
      {deleted !== null && (
        <p className="undo" role="status">
          {texts.removed}{' '}
          <Button
            className="small"
            disabled={undo.isBusy}
            onClick={() =>
              undo.begin({
                method: 'POST',
                path: `/tanks/${tank.id}/notes`,
                body: { text: deleted.text, prints: deleted.prints },
                label: texts.label(name),
              })
            }
          >
            {changeTexts.undo}
          </Button>
        </p>
      )}
      <ChangeNotice change={undo} conflict={() => texts.full} />
      {isAdding && (
        <NewNote
          tankId={tank.id}
          tankName={name}
          onClose={() => setAdding(false)}
          onSaved={() => {
            setAdding(false);
            void readAgain();
          }}
        />
      )}
    </Panel>
  );
}

interface NewNoteProps {
  tankId: string;
  tankName: string;
  onClose: () => void;
  onSaved: () => void;
}

function NewNote({ tankId, tankName, onClose, onSaved }: NewNoteProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  const [text, setText] = useState('');
  const [prints, setPrints] = useState(true);
  const [isSubmitted, setSubmitted] = useState(false);
  const fieldProblem = useFieldProblem();
  const change = useChange(onSaved);
  const save = (): void => {
    setSubmitted(true);
    if (!isValidNote(text)) return;
    const body = { text: text.trim(), prints };
    change.begin({ method: 'POST', path: `/tanks/${tankId}/notes`, body, label: texts.label(tankName) });
  };
  return (
    <OpenedFields onClose={onClose} aria-label={texts.add} onSubmit={save} noValidate>
      <fieldset disabled={change.isBusy}>
        <Field
          label={texts.text}
          problem={
            isSubmitted && !isValidNote(text) ? changeTexts.fieldProblems.text : fieldProblem(change.state, 'text')
          }
        >
          {(attributes) => (
            <textarea {...attributes} rows={2} value={text} onChange={({ target }) => setText(target.value)} />
          )}
        </Field>
        <PrintsBox prints={prints} onChange={setPrints} />
        <Button type="submit">{change.state.kind === 'sending' ? changeTexts.saving : texts.add}</Button>
      </fieldset>
      <ChangeNotice change={change} fields={['text']} conflict={() => texts.full} />
    </OpenedFields>
  );
}

interface StoredNoteProps extends NoteItemProps {
  /** Who wrote the note. Null if it is not known yet, or if it was a program or somebody who was removed. */
  author: string | null;
  onDeleted: (note: Note) => void;
}

function NoteItem({ note, author, tankName, readAgain, onDeleted }: StoredNoteProps) {
  const { format } = usePreferences();
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).notes;
  const [isOpen, setOpen] = useState(false);
  const removal = useChange(
    () => {
      onDeleted(note);
      void readAgain();
    },
    ({ status }) => status === 412 && void readAgain(),
  );
  const hasChanged = removal.state.kind === 'refused' && removal.state.status === 412;
  if (isOpen) return <NoteForm note={note} tankName={tankName} readAgain={readAgain} onDone={() => setOpen(false)} />;
  const start = note.text.slice(0, 40);
  return (
    <li>
      <p>{note.text}</p>
      <p className="meta">
        {author !== null && `${author}, `}
        {format.fullTime(note.updated_at)}
        {note.prints && ` · ${texts.printed}`}
        <span className="note-acts">
          <button type="button" className="link" aria-label={texts.editOf(start)} onClick={() => setOpen(true)}>
            {texts.edit}
          </button>
          {' · '}
          <button
            type="button"
            className="link"
            aria-label={texts.removeOf(start)}
            disabled={removal.isBusy}
            onClick={() =>
              removal.begin({
                method: 'DELETE',
                path: `/notes/${note.id}`,
                ifMatch: note.etag,
                label: texts.label(tankName),
              })
            }
          >
            {changeTexts.remove}
          </button>
        </span>
      </p>
      <ChangeNotice change={removal} />
      {hasChanged && (
        <FormProblem>
          {changeTexts.changed(changeTexts.somebody, format.time(note.updated_at))} {changeTexts.notSaved}
        </FormProblem>
      )}
    </li>
  );
}
