import { ApiError } from '@tankwatch/client';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../api.ts';
import { usePreferences } from '../preferences.tsx';
import { LEDGER_WORDS } from '../words/ledger_words.ts';

const FIELDS = ['series', 'number', 'at', 'volume', 'unit', 'tank', 'customer', 'truck', 'driver'] as const;
type FieldName = (typeof FIELDS)[number];
const REQUIRED: readonly FieldName[] = ['number', 'at', 'volume', 'tank'];

/** The time that an input of type datetime-local has, in the time zone of the viewer. */
function localNow(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Writes one note. Series and number identify it: the same note twice is one. */
export function NoteForm({ onDone, onSaved }: { onDone: () => void; onSaved: () => void }) {
  const texts = LEDGER_WORDS[usePreferences().language];
  const id = useId();
  const [values, setValues] = useState<Record<FieldName, string>>(() => ({
    series: '',
    number: '',
    at: localNow(),
    volume: '',
    unit: 'liters',
    tank: '',
    customer: '',
    truck: '',
    driver: '',
  }));
  const [problems, setProblems] = useState<Partial<Record<string, string>>>({});
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const [saved, setSaved] = useState<string | null>(null);

  const save = async (): Promise<void> => {
    const missing = REQUIRED.filter((name) => values[name].trim() === '');
    setProblems(Object.fromEntries(missing.map((name) => [name, texts.form.required])));
    setSaved(null);
    if (missing.length > 0) return;
    setState('busy');
    const orNull = (name: FieldName): string | null => (values[name].trim() === '' ? null : values[name].trim());
    try {
      const number = values.number.trim();
      await client.manage.deliveryNotes.put(values.series.trim(), number, {
        at: new Date(values.at).toISOString(),
        volume: Number(values.volume.replace(',', '.')),
        unit: values.unit,
        tank: orNull('tank'),
        customer: orNull('customer'),
        truck: orNull('truck'),
        driver: orNull('driver'),
      });
      setState('idle');
      setSaved(number);
      setValues((before) => ({ ...before, number: '', volume: '', tank: '', customer: '' }));
      onSaved();
    } catch (error) {
      const errors = error instanceof ApiError ? error.errors : [];
      setProblems(Object.fromEntries(errors.map(({ param, detail }) => [param, detail])));
      setState(errors.length === 0 ? 'failed' : 'idle');
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save();
  };
  return (
    <form className="note-form" onSubmit={submit} noValidate>
      {FIELDS.map((name) => {
        const problem = problems[name];
        const common = {
          value: values[name],
          'aria-invalid': problem !== undefined,
          'aria-describedby': problem === undefined ? undefined : `${id}${name}`,
          onChange: ({ target }: { target: { value: string } }) => setValues({ ...values, [name]: target.value }),
        };
        return (
          <label key={name}>
            <span className="meta">{texts.form[name]}</span>
            {name === 'unit' ? (
              <select {...common}>
                {(['liters', 'gallons'] as const).map((unit) => (
                  <option key={unit} value={unit}>
                    {texts.form.units[unit]}
                  </option>
                ))}
              </select>
            ) : (
              <input
                type={name === 'at' ? 'datetime-local' : 'text'}
                inputMode={name === 'volume' ? 'decimal' : undefined}
                autoComplete="off"
                {...common}
              />
            )}
            {problem !== undefined && (
              <span className="field-error" id={`${id}${name}`}>
                {problem}
              </span>
            )}
          </label>
        );
      })}
      <div className="form-actions">
        <button type="submit" className="button primary" disabled={state === 'busy'}>
          {texts.form.save}
        </button>
        <button type="button" className="button" onClick={onDone}>
          {texts.form.cancel}
        </button>
        <span role="status">{saved === null ? '' : texts.form.saved(saved)}</span>
        {state === 'failed' && <span role="alert">{texts.failed}</span>}
      </div>
    </form>
  );
}
