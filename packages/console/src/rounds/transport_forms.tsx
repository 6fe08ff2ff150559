import type { Depot, NewDepot, NewDriver, NewTruck } from '@tankwatch/client';
import { type ReactNode, useRef, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { type UsedChange, useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { PlacePicker } from '../forms/place_picker.tsx';
import { Select } from '../forms/select.tsx';
import { type TypedNumber, useTypedNumbers } from '../forms/typed_number.ts';
import { useVolumeUnit } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';

interface TransportFormProps {
  title: string;
  /** The changes of the form, in the order in which they are sent. */
  changes: readonly UsedChange[];
  onSubmit: (form: HTMLFormElement) => void;
  children: ReactNode;
}

function TransportForm({ title, changes, onSubmit, children }: TransportFormProps) {
  const texts = useTexts(ROUND_TEXTS);
  return (
    <details className="transport no-print">
      <summary>{title}</summary>
      <ChangeForm className="filters" onSubmit={onSubmit}>
        {children}
        <Button type="submit" className="primary" disabled={changes.some(({ isBusy }) => isBusy)}>
          {texts.save}
        </Button>
      </ChangeForm>
      {changes.map((change, index) => (
        <ChangeNotice key={index} change={change} conflict={() => texts.conflicts.name} />
      ))}
    </details>
  );
}

function valueOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function Field({ name, label, type = 'text' }: { name: string; label: string; type?: 'text' | 'number' | 'tel' }) {
  return (
    <label>
      <span className="meta">{label}</span>
      <input
        name={name}
        type={type === 'number' ? 'text' : type}
        inputMode={type === 'number' ? 'decimal' : undefined}
        required={type !== 'tel'}
        onInput={({ currentTarget }) => currentTarget.setCustomValidity('')}
      />
    </label>
  );
}

/** The number in a field. If the text is not a number, the browser shows what to write, and the result is null. */
function numberOf(form: HTMLFormElement, name: string, parse: (text: string) => TypedNumber): number | null {
  const typed = parse(valueOf(form, name));
  if ('value' in typed) return typed.value;
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) {
    field.setCustomValidity(typed.problem);
    field.reportValidity();
  }
  return null;
}

/** Resets the form and reads the trucks and drivers again. */
function useSavedForm(): { form: { current: HTMLFormElement | null }; onSaved: () => void } {
  const readAgain = useReadAgain(['transport']);
  const form = useRef<HTMLFormElement>(null);
  return {
    form,
    onSaved() {
      form.current?.reset();
      readAgain();
    },
  };
}

/** Whether the meter compensates volumes for the temperature. Notes are compared with gauges only if it is known. */
const COMPENSATIONS = new Map([
  ['pumped', false],
  ['compensated', true],
]);

/** Adds a truck that starts at a stored depot or at a new depot. */
export function TruckForm({ depots }: { depots: readonly Depot[] }) {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const depotId = chosenId ?? depots[0]?.id ?? '';
  const texts = useTexts(ROUND_TEXTS);
  const numbers = useTypedNumbers();
  const unit = useVolumeUnit();
  const { form, onSaved } = useSavedForm();
  const truck = useChange(() => {
    depot.reset();
    setChosenId(null);
    onSaved();
  });
  const saveTruck = ({ id: depot_id }: Pick<Depot, 'id'>): void => {
    const capacity = form.current === null ? null : numberOf(form.current, 'capacity', numbers.volume);
    if (form.current === null || capacity === null) return;
    const body: NewTruck = {
      name: valueOf(form.current, 'name'),
      depot_id,
      capacity,
      capacity_unit: valueOf(form.current, 'unit') === 'gallons' ? 'gallons' : 'liters',
      is_compensated: COMPENSATIONS.get(valueOf(form.current, 'meter')) ?? null,
    };
    truck.begin({ method: 'POST', path: '/trucks', body, label: body.name });
  };
  const depot = useChange<Depot>(saveTruck);
  const save = (): void => {
    if (form.current === null || numberOf(form.current, 'capacity', numbers.volume) === null) return;
    if (depotId !== '') return saveTruck({ id: depotId });
    const latitude = numberOf(form.current, 'latitude', (text) => numbers.degrees(text, 90));
    const longitude = numberOf(form.current, 'longitude', (text) => numbers.degrees(text, 180));
    if (latitude === null || longitude === null) return;
    const body: NewDepot = { name: valueOf(form.current, 'depot'), latitude, longitude };
    // If the truck was refused, for example because of its name, its depot is already stored.
    const stored = depot.state.kind === 'saved' ? depot.state.body : null;
    const isStored =
      stored?.name === body.name && stored.latitude === body.latitude && stored.longitude === body.longitude;
    if (isStored) saveTruck(stored);
    else depot.begin({ method: 'POST', path: '/depots', body, label: body.name });
  };
  return (
    <TransportForm
      title={texts.addTruck}
      changes={[depot, truck]}
      onSubmit={(submitted) => {
        form.current = submitted;
        save();
      }}
    >
      <Field name="name" label={texts.truckName} />
      <Field name="capacity" label={texts.capacity} type="number" />
      <label>
        <span className="meta">{texts.columns.volume}</span>
        <select name="unit" defaultValue={unit}>
          <option value="liters">{texts.liters}</option>
          <option value="gallons">{texts.gallons}</option>
        </select>
      </label>
      <label>
        <span className="meta">{texts.meter}</span>
        <select name="meter" defaultValue="unknown">
          <option value="unknown">{texts.meters.unknown}</option>
          <option value="pumped">{texts.meters.pumped}</option>
          <option value="compensated">{texts.meters.compensated}</option>
        </select>
      </label>
      {depots.length > 0 && (
        <label>
          <span className="meta">{texts.depot}</span>
          <Select
            value={depotId}
            options={[...depots.map(({ id, name }) => [id, name] as const), ['', texts.newDepot]]}
            onChange={setChosenId}
          />
        </label>
      )}
      {depotId === '' && (
        <DepotFields name={depots.length === 0 ? texts.depot : texts.newDepotName} isImperial={unit === 'gallons'} />
      )}
    </TransportForm>
  );
}

/** The fields of a new depot. A place that is chosen on the map is written into them. */
function DepotFields({ name: label, isImperial }: { name: string; isImperial: boolean }) {
  const texts = useTexts(ROUND_TEXTS);
  const holder = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Record<'latitude' | 'longitude', number> | null>(null);
  return (
    <div ref={holder} className="depot-place">
      <div className="filters">
        <Field name="depot" label={label} />
        <Field name="latitude" label={texts.latitude} type="number" />
        <Field name="longitude" label={texts.longitude} type="number" />
      </div>
      <PlacePicker
        place={place}
        city=""
        isImperial={isImperial}
        onPick={(picked) => {
          setPlace(picked);
          for (const name of ['latitude', 'longitude'] as const) {
            const field = holder.current?.closest('form')?.elements.namedItem(name);
            if (field instanceof HTMLInputElement) field.value = String(picked[name]);
          }
        }}
      />
    </div>
  );
}

export function DriverForm() {
  const texts = useTexts(ROUND_TEXTS);
  const { form, onSaved } = useSavedForm();
  const driver = useChange(onSaved);
  return (
    <TransportForm
      title={texts.addDriver}
      changes={[driver]}
      onSubmit={(submitted) => {
        form.current = submitted;
        const phone = valueOf(submitted, 'phone');
        const body: NewDriver = { name: valueOf(submitted, 'name'), phone: phone === '' ? null : phone };
        driver.begin({ method: 'POST', path: '/drivers', body, label: body.name });
      }}
    >
      <Field name="name" label={texts.driverName} />
      <Field name="phone" label={texts.driverPhone} type="tel" />
    </TransportForm>
  );
}
