import type { Import, UndoneImport } from '@tankwatch/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api.ts';
import { useNow } from '../clock.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { NumberCell, numeric, Table } from '../parts/table.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import { sendInOrder } from './send_in_order.ts';
import { IMPORT_TIMEOUT_MS } from './use_import.ts';

const LIST_KEY = ['manage', 'imports'];

export function EarlierImports() {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const { data } = useQuery({ queryKey: LIST_KEY, queryFn: ({ signal }) => client.manage.imports.list({ signal }) });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier">{texts.earlier}</h2>
      <Table
        className="stacked earlier-table"
        columns={[
          texts.when,
          texts.who,
          texts.file,
          numeric(texts.counts.created),
          numeric(texts.counts.updated),
          null,
        ]}
      >
        {data.data.map((imported) => (
          <tr key={imported.id}>
            <td>{format.fullTime(imported.created_at)}</td>
            <td>{imported.name ?? texts.byProgram}</td>
            <td>{imported.file_name}</td>
            <NumberCell label={texts.counts.created}>{format.count(imported.created)}</NumberCell>
            <NumberCell label={texts.counts.updated}>{format.count(imported.updated)}</NumberCell>
            <td>
              {imported.undone_at === null ? (
                <UndoImport imported={imported} />
              ) : (
                <span className="meta">{texts.undoneAt(format.fullTime(imported.undone_at))}</span>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** Shows what an undo would change and what would stay, then asks for a confirmation. */
export function UndoImport({ imported: { id, undo_until: until } }: { imported: Import }) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const nowMs = useNow();
  const cache = useQueryClient();
  const planning = useMutation({
    mutationFn: () => sendInOrder(() => client.manage.imports.undo(id, { dryRun: true, timeoutMs: IMPORT_TIMEOUT_MS })),
  });
  const undoing = useMutation({
    mutationFn: () =>
      sendInOrder(() => client.manage.imports.undo(id, { timeoutMs: IMPORT_TIMEOUT_MS, maxRetries: 0 })),
    onSuccess: () => {
      planning.reset();
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'import' });
    },
  });
  const error = undoing.error ?? planning.error;
  if (undoing.data !== undefined) return <Outcome undone={undoing.data} isDone />;
  if (until === null || Date.parse(until) <= nowMs) return null;
  if (planning.data === undefined)
    return (
      <span className="import-undo">
        <Button className="small" disabled={planning.isPending} onClick={() => planning.mutate()}>
          {texts.undo}
        </Button>{' '}
        <span className="meta">{texts.undoUntil(format.fullTime(until))}</span>
        {error !== null && <ProblemNotice error={error} onRetry={() => planning.mutate()} />}
      </span>
    );
  return (
    <div className="import-undo" role="group" aria-label={texts.undo}>
      <Outcome undone={planning.data} isDone={false} />
      <p className="button-row">
        <Button className="primary" disabled={undoing.isPending} onClick={() => undoing.mutate()}>
          {undoing.isPending ? texts.undoing : texts.undoNow}
        </Button>
        <Button disabled={undoing.isPending} onClick={() => planning.reset()}>
          {texts.keep}
        </Button>
      </p>
      {error !== null && <ProblemNotice error={error} onRetry={() => undoing.mutate()} />}
    </div>
  );
}

function Outcome({ undone, isDone }: { undone: UndoneImport; isDone: boolean }) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const { deleted, restored, kept, kept_rows: rows } = undone;
  const describe = isDone ? texts.undone : texts.wouldUndo;
  return (
    <div role={isDone ? 'status' : undefined}>
      <p>{describe(format.count(deleted), format.count(restored))}</p>
      {kept > 0 && (
        <>
          <p>{texts.kept(format.count(kept))}</p>
          <ul>
            {rows.map(({ object, id, name, because }) => (
              <li key={id}>
                <Link href={`/${object === 'tank' ? 'tanks' : 'customers'}/${id}`}>{name}</Link>:{' '}
                {texts.because[because]}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
