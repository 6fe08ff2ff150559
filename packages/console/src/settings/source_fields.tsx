import type { ReactNode } from 'react';
import { Field, type FieldAttributes } from '../forms/field.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { SOURCE_TEXTS } from '../translations/sources.ts';
import type { SourceKind } from './source_list.ts';
import { type SourceValues, settingsOf } from './source_values.ts';

interface SourceFieldsProps {
  kind: SourceKind;
  values: SourceValues;
  onChange: (values: SourceValues) => void;
  /** True if the person has sent the form. Missing values are reported only then. */
  isSubmitted: boolean;
  /** True if the source already has a secret. It stays if the field is empty. */
  hasSecret: boolean;
}

/** The fields of a source. The secret is never shown again. */
export function SourceFields({ kind, values, onChange, isSubmitted, hasSecret }: SourceFieldsProps) {
  const texts = useTexts(SOURCE_TEXTS);
  const isWrong = isSubmitted && settingsOf(kind, values) === null;
  const line = (key: keyof SourceValues, attributes: FieldAttributes): ReactNode => (
    <input
      {...attributes}
      type="text"
      autoComplete="off"
      spellCheck={false}
      value={values[key]}
      onChange={({ target }) => onChange({ ...values, [key]: target.value })}
    />
  );
  const area = (key: keyof SourceValues, rows: number, attributes: FieldAttributes): ReactNode => (
    <textarea
      {...attributes}
      className="code"
      rows={rows}
      spellCheck={false}
      value={values[key]}
      onChange={({ target }) => onChange({ ...values, [key]: target.value })}
    />
  );
  return (
    <>
      <Field label={texts.name} problem={isSubmitted && values.name.trim() === '' ? texts.noName : ''}>
        {(attributes) => line('name', attributes)}
      </Field>
      {(kind === 'mqtt' || kind === 'home_assistant') && (
        <>
          <Field label={texts.address} help="mqtts://broker.example.com" problem={isWrong ? texts.noBroker : ''}>
            {(attributes) => line('url', attributes)}
          </Field>
          <Field label={texts.user}>{(attributes) => line('user', attributes)}</Field>
          {kind === 'mqtt' ? (
            <Field label={texts.topics} help={texts.topicsHelp}>
              {(attributes) => area('topics', 3, attributes)}
            </Field>
          ) : (
            <Field label={texts.tanksToPublish} help={texts.tanksHelp}>
              {(attributes) => area('tanks', 3, attributes)}
            </Field>
          )}
        </>
      )}
      {kind === 'nws' && (
        <Field label={texts.contact} help={texts.contactHelp} problem={isWrong ? texts.noContact : ''}>
          {(attributes) => line('contact', attributes)}
        </Field>
      )}
      {kind === 'weather_csv' && (
        <Field label={texts.address} help={texts.fileHelp} problem={isWrong ? texts.noFile : ''}>
          {(attributes) => line('url', attributes)}
        </Field>
      )}
      {kind === 'json' && (
        <Field label={texts.settings} help={texts.settingsHelp} problem={isWrong ? texts.noSettings : ''}>
          {(attributes) => area('json', 8, attributes)}
        </Field>
      )}
      {kind !== 'nws' && kind !== 'dwd' && kind !== 'weather_csv' && (
        <Field label={texts.secrets[kind]} help={hasSecret ? texts.secretStays : texts.secretHelp}>
          {(attributes) => (
            <input
              {...attributes}
              type="password"
              autoComplete="new-password"
              value={values.secret}
              onChange={({ target }) => onChange({ ...values, secret: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
