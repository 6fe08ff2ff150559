import type { ImportReport } from '@tankwatch/client';
import { NO_EMAIL } from '../../../../src/values/no_email.ts';
import { SelectField, TextField } from '../forms/field.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { IMPORT_TEXTS } from '../translations/imports.ts';
import { fieldNames } from './field_names.ts';
import type { ImportState } from './use_import.ts';

/**
 * The values for rows without one: their field has no column, or their cell is empty. The person sees and can change
 * each value.
 */
export function Constants({ state, report }: { state: ImportState; report: ImportReport }) {
  const texts = useTexts(IMPORT_TEXTS);
  const names = fieldNames(texts, report.what);
  const constants = state.reading.mapping?.constants ?? {};
  const columns = state.reading.mapping?.columns ?? {};
  const shown = report.fields.filter(({ field }) => constants[field] !== undefined || report.missing.includes(field));
  if (shown.length === 0) return null;
  const choices: Readonly<Record<string, readonly string[]>> = {
    assigned_device_id: ['pending', 'manual'],
    email: [NO_EMAIL],
    customer_email: [NO_EMAIL],
  };
  const choiceNames: Readonly<Record<string, string>> = { ...texts.choices, [NO_EMAIL]: texts.noEmail };
  return (
    <Panel id="constants" title={texts.everyRow}>
      <p className="meta">{texts.everyRowHelp}</p>
      <div className="constants">
        {shown.map(({ field, choices: fieldChoices }) => {
          const options = choices[field] ?? fieldChoices;
          const isMissing = report.missing.includes(field);
          const value = constants[field] ?? '';
          const change = (text: string): void => state.setConstant(field, text);
          const labels = {
            label: names[field] ?? field,
            problem: isMissing ? texts.missing : '',
            help: columns[field] === undefined ? '' : texts.whereEmpty,
          };
          return options.length > 0 ? (
            <SelectField
              key={field}
              {...labels}
              value={value}
              options={[['', texts.noValue], ...options.map((one) => [one, choiceNames[one] ?? one] as const)]}
              onChange={change}
            />
          ) : (
            <TextField key={field} {...labels} defaultValue={value} onBlur={({ target }) => change(target.value)} />
          );
        })}
      </div>
    </Panel>
  );
}
