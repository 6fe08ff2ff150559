import type { ImportReport } from '@tankwatch/client';
import { HeadingIndex } from '../../../../src/values/headings.ts';
import { Select } from '../forms/select.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import { fieldNames } from './field_names.ts';
import type { ImportState } from './use_import.ts';

/** The columns of the file, and the field to which each column is assigned. */
export function ColumnTable({ state, report }: { state: ImportState; report: ImportReport }) {
  const texts = useTexts(IMPORT_TEXTS);
  const format = useFormat();
  const names = fieldNames(texts, report.what);
  const readAs: Readonly<Record<string, string>> = texts.readAs;
  const headings = new HeadingIndex(report.columns.map(({ heading }) => heading));
  const read = Object.entries(state.reading.mapping?.columns ?? {}).map(([field, theirs]) => ({
    field,
    places: headings.find(theirs),
  }));
  const unit = state.reading.mapping?.constants['capacity_unit'];
  const units: Readonly<Record<string, string>> = texts.units;
  const firstAt = report.levels?.first_at ?? null;
  const howRead = (field: string): string =>
    field === 'measured_at' && firstAt !== null ? texts.firstLevel(format.fullTime(firstAt)) : (readAs[field] ?? '');
  const [, ...rows] = report.columns[0]?.examples.map((_, index) => texts.example(index + 1)) ?? [];
  return (
    <Panel id="columns" title={texts.columns}>
      <fieldset className="what">
        <legend className="hidden">{texts.what}</legend>
        {(['tanks', 'customers'] as const).map((what) => (
          <label key={what}>
            <input type="radio" name="what" checked={report.what === what} onChange={() => state.setWhat(what)} />
            {texts.kinds[what]}
          </label>
        ))}
      </fieldset>
      {state.reading.mappedAsAt && (
        <p className="meta">{texts.mappedAs(format.recent(state.reading.mappedAsAt, Date.now()))}</p>
      )}
      <Table
        className="stacked column-table"
        columns={[texts.heading, texts.example(1), ...rows, texts.field, texts.how]}
      >
        {report.columns.map(({ heading, examples }, index) => {
          const [field = '', ...others] = read.filter(({ places }) => places.includes(index)).map((one) => one.field);
          return (
            <tr key={`${index} ${heading}`} className={field === '' ? 'unread' : ''}>
              <th scope="row">{heading}</th>
              {examples.map((example, number) => (
                <td key={number} className="example" data-label={texts.example(number + 1)}>
                  {example}
                </td>
              ))}
              <td>
                <Select
                  aria-label={texts.fieldOf(heading)}
                  value={field}
                  options={[
                    ['', texts.notImported],
                    ...report.fields.map(({ field: name }) => [name, names[name] ?? name] as const),
                  ]}
                  onChange={(chosen) => state.setField(heading, chosen)}
                />
              </td>
              <td className="meta">
                {field === 'capacity' && unit !== undefined ? (
                  <span className="constant">{texts.inUnit(units[unit] ?? unit)}</span>
                ) : (
                  <>
                    {howRead(field)}
                    {field === 'measured_at' && (
                      <Select
                        aria-label={texts.dateOrder}
                        value={state.reading.mapping?.date_order ?? ''}
                        options={(['', 'dmy', 'mdy'] as const).map((order) => [order, texts.dateOrders[order]])}
                        onChange={state.setDateOrder}
                      />
                    )}
                  </>
                )}
                {others.length > 0 && (
                  <div>{texts.alsoFor(others.map((other) => names[other] ?? other).join(', '))}</div>
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </Panel>
  );
}
