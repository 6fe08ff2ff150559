import type { DeliveryNote, NewDeliveryNote, TankStatus } from '@tankwatch/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { doubtVolume, type VolumeDoubt } from '../../../../src/values/volume_doubt.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import type { VolumeUnit } from '../format.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { Field, SelectField, TextField, useFieldProblem } from '../forms/field.tsx';
import { useOpenedForm } from '../forms/opened_form.tsx';
import { type PickedTank, pickedTank, TankPicker } from '../forms/tank_picker.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { VolumeQuestion } from '../forms/volume_question.tsx';
import { searchQuery } from '../frame/search_query.ts';
import { useVolumeUnit, useZone } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { isOtherZone, timeOnDay } from '../rounds/record_time.ts';
import { LEDGER_TEXTS } from '../translations/ledger.ts';
import { EarlierNotes } from './earlier_notes.tsx';
import { ExistingNote } from './existing_note.tsx';
import { bodyOf, printedNumber, putNote } from './note_body.ts';
import { dayOf, localTime } from './note_day.ts';
import { roomAtNote } from './note_room.ts';
import { TransportSelect } from './transport_select.tsx';
import '../styles/forms.css';

const FIELDS = ['series', 'number', 'at', 'volume', 'unit', 'tank', 'customer', 'truck', 'driver'] as const;
type FieldName = (typeof FIELDS)[number];
type Values = Record<Exclude<FieldName, 'tank' | 'unit'>, string> & { unit: VolumeUnit; tank: PickedTank };

/** A stored note with its tank. */
interface StoredNote {
  note: DeliveryNote;
  tank: TankStatus | null;
}

interface NoteFormProps {
  /** The note that is corrected. Null for a new one. */
  stored: StoredNote | null;
  onDone: () => void;
  /** Opens the stored note that has the same number as the new note. */
  onExisting?: (id: string) => void;
  /** Gets the note before and after the change. */
  onSaved: (before: DeliveryNote | null, saved: DeliveryNote) => void;
}

const noTank: PickedTank = { text: '', status: null };
const EMPTY = { series: '', number: '', volume: '', tank: noTank, customer: '', truck: '', driver: '' };

function valuesOf({ note, tank }: StoredNote, volume: string, zone: string): Values {
  const { series, number, unit, truck_id, driver_id } = note;
  return {
    series,
    number,
    at: note.precision === 'day' ? dayOf(note.at, zone) : localTime(Date.parse(note.at), zone),
    volume,
    unit,
    tank: tank === null ? noTank : pickedTank(tank),
    customer: '',
    truck: truck_id ?? '',
    driver: driver_id ?? '',
  };
}

/** The form that adds a note or corrects a stored note. Series and number identify a note. */
export function NoteForm({ stored, onDone, onSaved, onExisting }: NoteFormProps) {
  const { format, fillTo } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS).form;
  const ownUnit = useVolumeUnit();
  const zone = useZone();
  const numbers = useTypedNumbers();
  const cache = useQueryClient();
  const fieldProblem = useFieldProblem();
  const { ref: form, onKeyDown } = useOpenedForm<HTMLFormElement>(onDone);
  const written = (volume: number): string =>
    new Intl.NumberFormat(format.locale, { maximumFractionDigits: 2 }).format(volume);
  const [values, setValues] = useState<Values>(() =>
    stored === null
      ? { ...EMPTY, at: localTime(Date.now(), zone), unit: ownUnit }
      : valuesOf(stored, written(stored.note.volume), zone),
  );
  const [problems, setProblems] = useState<Readonly<Partial<Record<FieldName, string>>>>({});
  const [question, setQuestion] = useState<{ body: NewDeliveryNote; doubt: VolumeDoubt } | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  const change = useChange<DeliveryNote>((note) => {
    if (stored === null) {
      setSaved(printedNumber(note));
      setValues((before) => ({ ...before, number: '', volume: '', tank: noTank, customer: '' }));
    }
    onSaved(stored?.note ?? null, note);
  });
  const set = (changed: Partial<Values>): void => {
    setValues({ ...values, ...changed });
    setQuestion(null);
  };
  const isDay = stored?.note.precision === 'day';
  const send = (body: NewDeliveryNote): void => {
    setQuestion(null);
    const key = { series: values.series.trim(), number: values.number.trim() };
    const request = putNote(key, body, texts.label(printedNumber(key)));
    change.begin(stored === null ? { ...request, mustBeNew: true } : { ...request, ifMatch: stored.note.etag });
  };
  const submit = async (): Promise<void> => {
    const required: readonly ('number' | 'at' | 'volume')[] = ['number', 'at', 'volume'];
    const isWithoutTank = values.tank.text.trim() === '' && (stored === null || stored.note.tank_id !== null);
    const missing = [
      ...required.filter((name) => values[name].trim() === ''),
      ...(isWithoutTank ? (['tank'] as const) : []),
    ];
    const volume = numbers.volume(values.volume);
    setProblems({
      ...('problem' in volume ? { volume: volume.problem } : {}),
      ...Object.fromEntries(missing.map((name) => [name, texts.required])),
    });
    setSaved(null);
    setQuestion(null);
    if (missing.length > 0 || 'problem' in volume) return;
    const status = values.tank.status ?? (await findTyped(values.tank.text.trim()));
    const tank = status?.tank.id ?? orNull(values.tank.text);
    const body: NewDeliveryNote = {
      ...(stored === null ? {} : bodyOf(stored.note, zone)),
      at: isDay ? values.at : atOf(values.at, zone, stored),
      volume: sameVolume(values.volume, volume.value),
      unit: values.unit,
      tank,
      customer: stored === null ? orNull(values.customer) : tank === null ? stored.note.customer_id : null,
      truck: orNull(values.truck),
      driver: orNull(values.driver),
    };
    const room = status && { atMs: Date.parse(body.at), nowMs: Date.now(), fillTo, unit: values.unit };
    const doubt = status === null || room === null ? null : doubtVolume(body.volume, roomAtNote(status, room));
    if (doubt === null) send(body);
    else setQuestion({ body, doubt });
  };
  /** The form shows two decimals. A volume that was not changed keeps its stored, exact value. */
  const sameVolume = (text: string, typed: number): number =>
    stored !== null && text === written(stored.note.volume) ? stored.note.volume : typed;
  /** The only tank with this number or device. The service finds it in the same way. */
  const findTyped = async (text: string): Promise<TankStatus | null> => {
    if (text === '') return null;
    const found = await cache.fetchQuery(searchQuery(text)).catch(() => null);
    const [only, second] = (found?.tanks ?? []).filter(
      ({ tank }) => tank.custom_id === text || tank.assigned_device_id === text,
    );
    return only === undefined || second !== undefined ? null : only;
  };
  const atLabel = !isDay && isOtherZone(zone) ? `${texts.at} (${format.zoneName(zone)})` : texts.at;
  const labelsOf = (name: FieldName) => ({
    label: name === 'at' ? atLabel : texts[name],
    problem: problems[name] ?? fieldProblem(change.state, name),
  });
  const textField = (name: 'series' | 'number' | 'volume' | 'customer' | 'at', type = 'text'): ReactNode => (
    <TextField
      {...labelsOf(name)}
      name={name}
      data-first={(stored !== null && name === 'volume') || undefined}
      type={type}
      inputMode={name === 'volume' ? 'decimal' : undefined}
      autoComplete="off"
      value={values[name]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <ChangeForm
      ref={form}
      className="note-form"
      aria-label={stored === null ? texts.add : texts.correct(printedNumber(stored.note))}
      onSubmit={() => void submit()}
      onKeyDown={onKeyDown}
      noValidate
    >
      {stored !== null && <h2>{texts.correct(printedNumber(stored.note))}</h2>}
      {stored === null && textField('series')}
      {stored === null && textField('number')}
      {textField('at', isDay ? 'date' : 'datetime-local')}
      {textField('volume')}
      <SelectField
        {...labelsOf('unit')}
        value={values.unit}
        options={(['liters', 'gallons'] as const).map((unit) => [unit, texts.units[unit]])}
        onChange={(unit) => set({ unit })}
      />
      <Field {...labelsOf('tank')}>
        {(attributes) => <TankPicker attributes={attributes} value={values.tank} onChange={(tank) => set({ tank })} />}
      </Field>
      {stored === null && textField('customer')}
      {(['truck', 'driver'] as const).map((name) => (
        <TransportSelect
          key={name}
          {...labelsOf(name)}
          kind={name}
          value={values[name]}
          onChange={(id) => set({ [name]: id })}
        />
      ))}
      <div className="form-actions">
        {question === null ? (
          <>
            <Button type="submit" className="primary" disabled={change.isBusy}>
              {stored === null ? texts.save : texts.saveCorrection}
            </Button>
            {stored !== null && (
              <Button
                disabled={change.isBusy}
                onClick={() => send({ ...bodyOf(stored.note, zone), status: 'cancelled' })}
              >
                {texts.withdraw}
              </Button>
            )}
            <Button onClick={onDone}>{texts.cancel}</Button>
          </>
        ) : (
          <VolumeQuestion
            volume={question.body.volume}
            doubt={question.doubt}
            unit={values.unit}
            onChange={() => {
              setQuestion(null);
              form.current?.querySelector<HTMLInputElement>('[name=volume]')?.select();
            }}
            onConfirm={() => send(question.body)}
          />
        )}
        <span role="status">{saved === null ? '' : texts.saved(saved)}</span>
        {stored === null && change.state.kind === 'refused' && change.state.status === 412 ? (
          <ExistingNote series={values.series.trim()} number={values.number.trim()} onOpen={onExisting} />
        ) : (
          <ChangeNotice change={change} fields={FIELDS} changed={texts.changed} />
        )}
      </div>
      {stored !== null && <EarlierNotes note={stored.note} />}
    </ChangeForm>
  );
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** A time that was not changed keeps its seconds. */
function atOf(local: string, zone: string, stored: StoredNote | null): string {
  if (stored !== null && localTime(Date.parse(stored.note.at), zone) === local) return stored.note.at;
  const [date = '', clock = ''] = local.split('T');
  return new Date(timeOnDay(date, clock, zone)).toISOString();
}
