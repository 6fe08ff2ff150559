import type { DeliveryNote } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, fleet } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useZone } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { LEDGER_TEXTS } from '../translations/ledger.ts';
import { NoteForm } from './ledger_form.tsx';
import { bodyOf, printedNumber, putNote } from './note_body.ts';

/** A note before and after it was corrected or withdrawn. */
export interface DoneChange {
  before: DeliveryNote;
  saved: DeliveryNote;
}

interface NoteCorrectionProps {
  id: string;
  onDone: () => void;
  onSaved: (changed: DoneChange) => void;
}

/** The form that corrects a stored note. */
export function NoteCorrection({ id, onDone, onSaved }: NoteCorrectionProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['delivery-note', id],
    queryFn: async ({ signal }) => {
      const note = await client.manage.deliveryNotes.retrieve(id, { signal });
      return { note, tank: note.tank_id === null ? null : await fleet.tank(note.tank_id, { signal }) };
    },
    staleTime: Number.POSITIVE_INFINITY, // never read again: the form keeps the etag that the person began with
    gcTime: 0,
  });
  return (
    <>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={2} />}
      {data !== undefined && (
        <NoteForm
          stored={data}
          onDone={onDone}
          onSaved={(before, saved) => before !== null && onSaved({ before, saved })}
        />
      )}
    </>
  );
}

/** Says what was changed, with a button that restores the previous note. */
export function NoteUndo({ before, saved, onUndone }: DoneChange & { onUndone: () => void }) {
  const { format } = usePreferences();
  const { undo } = useTexts(CHANGE_TEXTS);
  const texts = useTexts(LEDGER_TEXTS);
  const zone = useZone();
  const [isUndone, setUndone] = useState(false);
  const change = useChange(() => {
    setUndone(true);
    onUndone();
  });
  const number = printedNumber(saved);
  const volume = (note: DeliveryNote): string => format.volume(note.volume, note.unit);
  const text = isUndone
    ? texts.done.undone(number)
    : saved.status === 'cancelled'
      ? texts.done.withdrawn(number)
      : texts.done.corrected(number, volume(before), volume(saved));
  return (
    <div className="undo">
      <span role="status">{text}</span>
      {!isUndone && (
        <Button
          className="small"
          disabled={change.isBusy}
          onClick={() =>
            change.begin({ ...putNote(saved, bodyOf(before, zone), texts.form.label(number)), ifMatch: saved.etag })
          }
        >
          {undo}
        </Button>
      )}
      <ChangeNotice change={change} changed={texts.done.changed} />
    </div>
  );
}
