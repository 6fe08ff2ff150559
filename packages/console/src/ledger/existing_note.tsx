import { useQuery } from '@tanstack/react-query';
import { client } from '../api.ts';
import { FormProblem } from '../forms/form_problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { LEDGER_TEXTS } from '../translations/ledger.ts';
import { printedNumber } from './note_body.ts';

interface ExistingNoteProps {
  series: string;
  number: string;
  onOpen: ((id: string) => void) | undefined;
}

/** Shows the stored note that has the same number. It stays unchanged until somebody corrects it. */
export function ExistingNote({ series, number, onOpen }: ExistingNoteProps) {
  const texts = useTexts(LEDGER_TEXTS).form;
  const { data } = useQuery({
    queryKey: ['delivery-note', series, number],
    queryFn: ({ signal }) => client.manage.deliveryNotes.retrieveByNumber(series, number, { signal }),
    gcTime: 0,
  });
  return (
    <FormProblem>
      {texts.exists(printedNumber({ series, number }))}{' '}
      {data !== undefined && onOpen !== undefined && (
        <button type="button" className="link" onClick={() => onOpen(data.id)}>
          {texts.openExisting}
        </button>
      )}
    </FormProblem>
  );
}
