import type { DeliveryNote, NewDeliveryNote } from '@tankwatch/client';
import { type FormEvent, useId, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useFieldProblem } from '../forms/field.tsx';
import { useTexts } from '../preferences.tsx';
import { LEDGER_TEXTS } from '../translations/ledger.ts';

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
  const texts = useTexts(LEDGER_TEXTS);
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
  const [missing, setMissing] = useState<readonly FieldName[]>([]);
  const [saved, setSaved] = useState<string | null>(null);
  const fieldProblem = useFieldProblem();
  const change = useChange<DeliveryNote>(({ number }) => {
    setSaved(number);
    setValues((before) => ({ ...before, number: '', volume: '', tank: '', customer: '' }));
    onSaved();
  });
  const problemOf = (name: FieldName): string =>
    missing.includes(name) ? texts.form.required : fieldProblem(change.state, name);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const empty = REQUIRED.filter((name) => values[name].trim() === '');
    setMissing(empty);
    setSaved(null);
    if (empty.length > 0) return;
    const orNull = (name: FieldName): string | null => (values[name].trim() === '' ? null : values[name].trim());
    const number = values.number.trim();
    const body: NewDeliveryNote = {
      at: new Date(values.at).toISOString(),
      volume: Number(values.volume.replace(',', '.')),
      unit: values.unit,
      tank: orNull('tank'),
      customer: orNull('customer'),
      truck: orNull('truck'),
      driver: orNull('driver'),
    };
    const path = [orNull('series') ?? '-', number].map(encodeURIComponent).join('/');
    change.begin({ method: 'PUT', path: `/delivery-notes/${path}`, body, label: texts.form.label(number) });
  };
  return (
    <form className="note-form" onSubmit={submit} noValidate>
      {FIELDS.map((name) => {
        const problem = problemOf(name);
        const common = {
          value: values[name],
          'aria-invalid': problem !== '',
          'aria-describedby': problem === '' ? undefined : `${id}${name}`,
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
            {problem !== '' && (
              <span className="field-error" id={`${id}${name}`}>
                {problem}
              </span>
            )}
          </label>
        );
      })}
      <div className="form-actions">
        <button type="submit" className="button primary" disabled={change.isBusy}>
          {texts.form.save}
        </button>
        <button type="button" className="button" onClick={onDone}>
          {texts.form.cancel}
        </button>
        <span role="status">{saved === null ? '' : texts.form.saved(saved)}</span>
        <ChangeNotice change={change} fields={FIELDS} />
      </div>
    </form>
  );
}
