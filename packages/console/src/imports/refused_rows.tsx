import type { ImportReport } from '@tankwatch/client';
import { useState } from 'react';
import { csvOf, download } from '../csv.ts';
import { Button } from '../parts/button.tsx';
import { NumberCell, numeric, Table } from '../parts/table.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import { fieldNames } from './field_names.ts';
import type { Correction, RefusedRow } from './use_import.ts';

interface RefusedRowsProps {
  report: ImportReport;
  /** Reads all refused rows, including those that the report does not contain. */
  readAll: () => Promise<ImportReport>;
  /** Without this function, the rows are only shown. */
  onCorrect?: (taken: readonly Correction[]) => void;
  /** True if the last corrections were not taken, because there are too many. */
  isOverLimit?: boolean;
  isBusy?: boolean;
}

const proposalsOf = ({ line, errors }: RefusedRow): Correction[] =>
  errors.flatMap(({ field, proposal }) =>
    field === null || proposal === null ? [] : [{ line, field, value: proposal }],
  );

/** The rows that are not imported, each with its wrong cell framed, the reason, and a proposed correction. */
export function RefusedRows({ report, readAll, onCorrect, isOverLimit = false, isBusy = false }: RefusedRowsProps) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const { refused_rows: rows, counts, columns } = report;
  if (rows.length === 0) return null;
  const shown = columns.flatMap(({ heading, field }, index) => (field === null ? [] : [{ heading, field, index }]));
  const take = isBusy ? undefined : onCorrect;
  const proposals = rows.flatMap(proposalsOf);
  return (
    <section className="refused" aria-labelledby="refused">
      <div className="page-head">
        <h2 id="refused">
          {texts.refused} <span className="meta">{format.count(counts?.refused ?? rows.length)}</span>
        </h2>
        <DownloadRefused report={report} readAll={readAll} isBusy={isBusy} />
        {take !== undefined && proposals.length > 1 && (
          <Button onClick={() => take(proposals)}>{texts.takeAll(format.count(proposals.length))}</Button>
        )}
      </div>
      {isOverLimit && (
        <p className="notice" role="alert">
          {texts.tooManyCorrections}
        </p>
      )}
      <div className="refused-rows">
        <Table
          className="stacked refused-table"
          columns={[
            numeric(texts.row),
            ...shown.map(({ heading }) => heading),
            texts.problem,
            take !== undefined && null,
          ]}
        >
          {rows.map((row) => {
            const wrong = new Set(row.errors.map(({ field }) => field));
            return (
              <tr key={row.line}>
                <NumberCell label={texts.row}>{format.count(row.line)}</NumberCell>
                {shown.map(({ heading, field, index }) => (
                  <td key={index} data-label={heading} className={wrong.has(field) ? 'wrong' : ''}>
                    {row.cells[index]?.trim() === '' ? texts.empty : row.cells[index]}
                  </td>
                ))}
                <td className="why">
                  <Problems row={row} report={report} />
                </td>
                {take !== undefined && (
                  <td className="number">
                    {proposalsOf(row).map((proposal) => (
                      <Button key={proposal.field} className="small" onClick={() => take([proposal])}>
                        {texts.take(proposal.value)}
                      </Button>
                    ))}
                  </td>
                )}
              </tr>
            );
          })}
        </Table>
      </div>
      {counts !== null && counts.refused > rows.length && <p className="meta">{texts.firstRows(rows.length)}</p>}
    </section>
  );
}

/** What is wrong with the cells of a row. */
function useProblems({ what }: ImportReport) {
  const texts = useTexts(IMPORT_TEXTS);
  const names = fieldNames(texts, what);
  const wanted: Readonly<Record<string, string>> = texts.wanted;
  return ({ errors }: RefusedRow): { key: string; name: string; problem: string }[] =>
    errors.map(({ field, code }) => ({
      key: `${field} ${code}`,
      name: field === null ? '' : `${names[field] ?? field}: `,
      problem: code === 'invalid' ? (wanted[field ?? ''] ?? texts.problems.invalid) : texts.problems[code],
    }));
}

function Problems({ row, report }: { row: RefusedRow; report: ImportReport }) {
  return useProblems(report)(row).map(({ key, name, problem }) => (
    <span key={key} className="problem">
      {name !== '' && <strong>{name}</strong>}
      {problem}
    </span>
  ));
}

/** Downloads the refused rows with the same headings, to be corrected and imported. An import ignores the column of reasons. */
function DownloadRefused({ report, readAll, isBusy }: Pick<RefusedRowsProps, 'report' | 'readAll' | 'isBusy'>) {
  const texts = useTexts(IMPORT_TEXTS);
  const problemsOf = useProblems(report);
  const [state, setState] = useState<'ready' | 'reading' | 'failed'>('ready');
  const isComplete = report.refused_rows.length >= (report.counts?.refused ?? 0);
  const save = async (): Promise<void> => {
    setState('reading');
    const complete = isComplete ? report : await readAll();
    const rows = complete.refused_rows.map((row) => [
      ...complete.columns.map((_, index) => row.cells[index] ?? ''),
      problemsOf(row)
        .map(({ name, problem }) => name + problem)
        .join(' '),
    ]);
    const headings = [...complete.columns.map(({ heading }) => heading), 'reason'];
    download('refused.csv', csvOf([headings, ...rows], { isOwn: true }));
    setState('ready');
  };
  return (
    <>
      <Button
        disabled={isBusy === true || state === 'reading'}
        onClick={() => void save().catch(() => setState('failed'))}
      >
        {texts.downloadRefused}
      </Button>
      {state === 'failed' && <span role="alert">{texts.downloadFailed}</span>}
    </>
  );
}
