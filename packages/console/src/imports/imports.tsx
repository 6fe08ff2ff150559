import { Link } from 'wouter';
import type { Session } from '../api.ts';
import { Select } from '../forms/select.tsx';
import { useTitle } from '../frame/title.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import { ColumnTable } from './column_table.tsx';
import { Constants } from './constants.tsx';
import { DryRun } from './dry_run.tsx';
import { EarlierImports, UndoImport } from './earlier_imports.tsx';
import { RefusedRows } from './refused_rows.tsx';
import { type ImportState, useImport } from './use_import.ts';
import '../styles/forms.css';
import '../styles/imports.css';

const ACCEPTED = '.csv,.tsv,.txt,.xlsx,.xlsm';

/** Imports customers and tanks from a file: choose the file, assign columns, preview, import, and undo. */
export function ImportPage({ session }: { session: Session }) {
  const texts = useTexts(IMPORT_TEXTS);
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  useTitle(texts.title);
  const state = useImport(texts.nameOfTank);
  const { file, report, importing } = state;
  const canImport = session.rights.includes('catalog');
  return (
    <div className="imports">
      <p className="meta">
        <Link href="/customers">{texts.customers}</Link>
      </p>
      <div className="page-head">
        <h1>{texts.title}</h1>
        {file !== null && (
          <>
            <span className="meta">
              {[file.name, report?.sheets.length === 1 ? texts.sheet(report.sheets[0] ?? '') : '']
                .filter(Boolean)
                .join(' · ')}
            </span>
            {report !== undefined && report.sheets.length > 1 && importing.data === undefined && (
              <label>
                <span className="meta">{texts.sheetLabel}</span>{' '}
                <Select
                  value={report.sheets[0] ?? ''}
                  options={report.sheets.map((name) => [name, name])}
                  onChange={state.setSheet}
                />
              </label>
            )}
            <Button onClick={() => state.choose(null)}>{texts.anotherFile}</Button>
          </>
        )}
      </div>
      {!canImport && <p className="notice">{askAdministrator}</p>}
      {canImport && file === null && <ChooseFile onChoose={(chosen) => state.choose(chosen)} />}
      {file !== null && importing.data === undefined && <Mapping state={state} />}
      {importing.data !== undefined && <Imported state={state} />}
      {canImport && <EarlierImports />}
    </div>
  );
}

function ChooseFile({ onChoose }: { onChoose: (file: File | null) => void }) {
  const texts = useTexts(IMPORT_TEXTS);
  return (
    <Panel id="choose-file" title={texts.choose} className="choose">
      <p>{texts.chooseHelp}</p>
      <label className="button primary">
        {texts.chooseButton}
        <input
          type="file"
          accept={ACCEPTED}
          className="hidden"
          onChange={({ target }) => onChoose(target.files?.[0] ?? null)}
        />
      </label>
      <p className="meta">{texts.nothingYet}</p>
    </Panel>
  );
}

function Mapping({ state }: { state: ImportState }) {
  const { report, error, isTrying, tryAgain } = state;
  if (error !== null && !isTrying) return <ProblemNotice error={error} onRetry={tryAgain} />;
  if (report === undefined) return <Skeleton rows={8} />;
  return (
    <>
      <div className="import-beside">
        <div>
          <ColumnTable state={state} report={report} />
          <Constants state={state} report={report} />
        </div>
        <DryRun state={state} report={report} />
      </div>
      <RefusedRows
        report={report}
        readAll={state.readRefused}
        onCorrect={state.correct}
        isOverLimit={state.isOverLimit}
        isBusy={isTrying}
      />
    </>
  );
}

function Imported({ state: { importing, readRefused } }: { state: ImportState }) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const { data } = importing;
  if (data === undefined || data.counts === null) return null;
  const { created, updated, refused } = data.counts;
  return (
    <>
      <div className="notice" role="status">
        <p>
          <strong>{texts.imported(format.count(created), format.count(updated))}</strong>{' '}
          {refused > 0 && texts.leftOut(format.count(refused))}
        </p>
        {data.levels !== null && <p>{texts.levels(format.count(data.levels.stored))}</p>}
        {data.import !== null && <UndoImport imported={data.import} />}
      </div>
      <RefusedRows report={data} readAll={readRefused} />
    </>
  );
}
