import type { ImportReport } from '@tankwatch/client';
import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import type { ImportState } from './use_import.ts';

const KINDS = ['created', 'updated', 'unchanged', 'refused'] as const;

/** What an import would do, counted on all rows. The counts add up to the rows. */
export function DryRun({ state, report }: { state: ImportState; report: ImportReport }) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const { counts } = report;
  const { importing, isTrying } = state;
  const changing = (counts?.created ?? 0) + (counts?.updated ?? 0);
  const levels = report.levels?.stored ?? 0;
  const label =
    changing === 0 && levels > 0
      ? texts.importLevels(format.count(levels))
      : texts.importRows(format.count(changing), changing);
  return (
    <section className="panel dry-run" aria-labelledby="dry-run" aria-busy={isTrying}>
      <h2 id="dry-run">{texts.dryRun}</h2>
      <p className="meta">{isTrying ? texts.trying : texts.nothingStored}</p>
      {counts === null && <p className="notice">{texts.cannotCount}</p>}
      {counts !== null && (
        <>
          <div className="count-bar" aria-hidden="true">
            {KINDS.map((kind) => (
              <span key={kind} className={kind} style={{ flexGrow: counts[kind] }} />
            ))}
          </div>
          <dl className="counts">
            {KINDS.map((kind) => (
              <div key={kind}>
                <dt>
                  <span className={`mark ${kind}`} aria-hidden="true" /> {texts.counts[kind]}
                </dt>
                <dd>{format.count(counts[kind])}</dd>
              </div>
            ))}
            <div className="total">
              <dt>{texts.counts.rows}</dt>
              <dd>{format.count(counts.rows)}</dd>
            </div>
          </dl>
          {report.levels !== null && <p>{texts.levels(format.count(levels))}</p>}
        </>
      )}
      <Button
        className="primary"
        disabled={isTrying || importing.isPending || changing + levels === 0}
        onClick={() => importing.mutate()}
      >
        {importing.isPending ? texts.importing : label}
      </Button>
      <p className="meta">
        {counts !== null && counts.refused > 0 && `${texts.leftOut(format.count(counts.refused))} `}
        {texts.undoDays}
      </p>
      {importing.error !== null && (
        <ProblemNotice error={importing.error} title={texts.failed} onRetry={() => importing.mutate()} />
      )}
    </section>
  );
}
