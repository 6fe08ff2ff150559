import type { Deletion as DeletionCounts } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MAX_DELETED_TANKS } from '../../../../src/values/interface_limits.ts';
import { client } from '../api.ts';
import { useChange } from '../change/use_change.ts';
import { OpenedForm } from '../forms/opened_form.tsx';
import { RemovalForm } from '../forms/removal.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';

interface DeletionProps {
  kind: 'customer' | 'tank';
  id: string;
  onDeleted: () => void;
  onClose: () => void;
}

/** Deletes a customer with all tanks, or a tank: says first what is erased, and asks for the name. */
export function Deletion({ kind, id, onDeleted, onClose }: DeletionProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(CATALOG_TEXTS).deletion;
  const queryClient = useQueryClient();
  const noun = kind === 'customer' ? client.manage.customers : client.manage.tanks;
  // The name, the etag and the counts are read together, so that a deletion does not erase more tanks than were shown.
  const { data, error, refetch } = useQuery({
    queryKey: ['deletion', id],
    queryFn: async ({ signal }) => {
      const [stored, counts] = await Promise.all([noun.retrieve(id, { signal }), noun.previewDeletion(id, { signal })]);
      return { stored, counts };
    },
    gcTime: 0,
  });
  const change = useChange(
    () => {
      onDeleted();
      // The queries of the deleted object are not repeated: there is nothing left to read.
      for (const key of ['customer', 'customers', 'tank', 'tanks'])
        void queryClient.invalidateQueries({ queryKey: [key], predicate: ({ queryKey }) => queryKey[1] !== id });
    },
    ({ status }) => (status === 412 || status === 409) && void refetch(),
  );
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const { stored, counts } = data;
  if ('deleted' in stored) return <p className="notice">{changeTexts.gone}</p>;
  const { name, etag } = stored;
  const changed = `${changeTexts.notSaved} ${changeTexts.changedMeanwhile(changeTexts.somebody)} ${texts.lookAgain}`;
  const query =
    kind === 'customer' && counts.tanks > 0
      ? `?with_tanks=true&max_tanks=${Math.min(counts.tanks, MAX_DELETED_TANKS)}`
      : '';
  return (
    <OpenedForm title={texts.title(name)} onClose={onClose}>
      {() => (
        <>
          <Consequences kind={kind} counts={counts} />
          <RemovalForm
            name={name}
            consequence={texts.final}
            change={change}
            conflict={counts.tanks > MAX_DELETED_TANKS ? texts.tooMany : changed}
            changed={changed}
            onConfirm={() =>
              change.begin({
                method: 'DELETE',
                path: `/${kind}s/${id}${query}`,
                ifMatch: etag,
                label: texts.label(name),
              })
            }
            onCancel={onClose}
          />
        </>
      )}
    </OpenedForm>
  );
}

/** What the deletion erases and what stays, with counts. */
function Consequences({ kind, counts }: { kind: DeletionProps['kind']; counts: DeletionCounts }) {
  const { format } = usePreferences();
  const texts = useTexts(CATALOG_TEXTS).deletion;
  const { tanks, readings, open_stops: stops, notes, delivery_notes: deliveryNotes } = counts;
  const lines = [
    kind === 'customer' && texts.access,
    kind === 'customer' && (tanks === 0 ? texts.noTanks : texts.tanks(tanks, format.count(tanks))),
    readings > 0 && texts.readings(readings, format.count(readings)),
    stops > 0 && texts.stops(stops, format.count(stops)),
    notes > 0 && texts.notes(notes, format.count(notes)),
    deliveryNotes > 0 && texts.deliveryNotes(deliveryNotes, format.count(deliveryNotes)),
    kind === 'tank' && texts.deliveryNotesStay,
    tanks > 0 && texts.devices(tanks),
  ];
  return (
    <>
      <ul className="consequences">{lines.map((line) => line !== false && <li key={line}>{line}</li>)}</ul>
      <p className="meta">{texts.stays}</p>
    </>
  );
}
