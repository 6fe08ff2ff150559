import type { ImportReport } from '@tankwatch/client';
import { Table } from '../parts/table.tsx';
import { useFormat, useTexts } from '../preferences.tsx';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import { fieldNames } from './field_names.ts';
import type { Correction, RefusedRow } from './use_import.ts';

interface RefusedRowsProps {
  report: ImportReport;
  /** Without it, the rows are only shown. */
  onCorrect?: (taken: readonly Correction[]) => void;
  hasTooMany?: boolean;
  isBusy?: boolean;
}

const proposalsOf = ({ line, errors }: RefusedRow): Correction[] =>
  errors.flatMap(({ field, proposal }) =>
    field === null || proposal === null ? [] : [{ line, field, value: proposal }],
  );

/** The rows that are left out, with the wrong cell framed, a sentence, and what is probably meant. */
export function RefusedRows({ report, onCorrect, hasTooMany = false, isBusy = false }: RefusedRowsProps) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const { refused_rows: rows, counts, columns } = report;
  if (rows.length === 0) return null;
  const shown = columns.flatMap(({ heading, field }, at) => (field === null ? [] : [{ heading, field, at }]));
  const take = isBusy ? undefined : onCorrect;
  const proposals = rows.flatMap(proposalsOf);
  return (
    <section className="refused" aria-labelledby="refused">
      <div className="page-head">
        <h2 id="refused">
          {texts.refused} <span className="meta">{format.count(counts?.refused ?? rows.length)}</span>
        </h2>
        {take !== undefined && proposals.length > 1 && (
          <button type="button" className="button" onClick={() => take(proposals)}>
            {texts.takeAll(format.count(proposals.length))}
          </button>
        )}
      </div>
      {hasTooMany && (
        <p className="notice" role="alert">
          {texts.tooManyCorrections}
        </p>
      )}
      <div className="refused-rows">
        <Table className="refused-table" columns={[texts.row, ...shown.map(({ heading }) => heading), texts.problem]}>
          {rows.map((row) => {
            const wrong = new Set(row.errors.map(({ field }) => field));
            return (
              <tr key={row.line}>
                <td className="number">{format.count(row.line)}</td>
                {shown.map(({ heading, field, at }) => (
                  <td key={at} data-heading={heading} className={wrong.has(field) ? 'wrong' : ''}>
                    {row.cells[at]?.trim() === '' ? texts.empty : row.cells[at]}
                  </td>
                ))}
                <td className="why">
                  <Problems row={row} report={report} />
                  {take !== undefined &&
                    proposalsOf(row).map((proposal) => (
                      <button
                        key={proposal.field}
                        type="button"
                        className="button small"
                        onClick={() => take([proposal])}
                      >
                        {texts.take(proposal.value)}
                      </button>
                    ))}
                </td>
              </tr>
            );
          })}
        </Table>
      </div>
      {counts !== null && counts.refused > rows.length && <p className="meta">{texts.firstRows(rows.length)}</p>}
    </section>
  );
}

function Problems({ row: { errors }, report }: { row: RefusedRow; report: ImportReport }) {
  const texts = useTexts(IMPORT_TEXTS);
  const names = fieldNames(texts, report.what);
  const wanted: Readonly<Record<string, string>> = texts.wanted;
  return errors.map(({ field, code }) => {
    const problem = code === 'invalid' ? (wanted[field ?? ''] ?? texts.problems.invalid) : texts.problems[code];
    return (
      <span key={`${field} ${code}`} className="problem">
        {field !== null && <strong>{names[field] ?? field}: </strong>}
        {problem}
      </span>
    );
  });
}
