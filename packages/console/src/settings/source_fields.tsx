import { Field, TextField } from '../forms/field.tsx';
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
  const line = (key: 'name' | 'url' | 'user' | 'contact', label: string, problem = '', help = '') => (
    <TextField
      label={label}
      problem={problem}
      help={help}
      autoComplete="off"
      spellCheck={false}
      value={values[key]}
      onChange={(value) => onChange({ ...values, [key]: value })}
    />
  );
  const area = (key: 'topics' | 'tanks' | 'json', rows: number, label: string, help: string, problem = '') => (
    <Field label={label} problem={problem} help={help}>
      {(attributes) => (
        <textarea
          {...attributes}
          className="code"
          rows={rows}
          spellCheck={false}
          value={values[key]}
          onChange={({ target }) => onChange({ ...values, [key]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {line('name', texts.name, isSubmitted && values.name.trim() === '' ? texts.noName : '')}
      {(kind === 'mqtt' || kind === 'home_assistant') && (
        <>
          {line('url', texts.address, isWrong ? texts.noBroker : '', 'mqtts://broker.example.com')}
          {line('user', texts.user)}
          {kind === 'mqtt'
            ? area('topics', 3, texts.topics, texts.topicsHelp)
            : area('tanks', 3, texts.tanksToPublish, texts.tanksHelp)}
        </>
      )}
      {kind === 'nws' && line('contact', texts.contact, isWrong ? texts.noContact : '', texts.contactHelp)}
      {kind === 'weather_csv' && line('url', texts.address, isWrong ? texts.noFile : '', texts.fileHelp)}
      {kind === 'json' && area('json', 8, texts.settings, texts.settingsHelp, isWrong ? texts.noSettings : '')}
      {kind !== 'nws' && kind !== 'dwd' && kind !== 'weather_csv' && (
        <TextField
          label={texts.secrets[kind]}
          help={hasSecret ? texts.secretStays : texts.secretHelp}
          type="password"
          autoComplete="new-password"
          value={values.secret}
          onChange={(value) => onChange({ ...values, secret: value })}
        />
      )}
    </>
  );
}
