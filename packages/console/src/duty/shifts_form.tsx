import type { ContactReach, DutyPlan } from '@tankwatch/client';
import { useState } from 'react';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { OpenedForm } from '../forms/opened_form.tsx';
import { Button } from '../parts/button.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { planBody, type Shift } from './duty_parts.ts';
import { PlanNotice } from './exception_form.tsx';
import { PersonSelect } from './person_select.tsx';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const NEW_SHIFT: Shift = {
  weekdays: [1, 2, 3, 4, 5],
  from: '07:00',
  to: '19:00',
  contact_id: null,
  next_contact_id: null,
};

interface ShiftsFormProps {
  /** The stored plan, or the plan that `repeatedWeek` returns. */
  plan: DutyPlan;
  intro?: string;
  people: readonly ContactReach[];
  onSaved: () => void;
  onClose: () => void;
}

/** The shifts that come every week. They are saved as a whole. */
export function ShiftsForm({ plan, intro, people, onSaved, onClose }: ShiftsFormProps) {
  const texts = useTexts(DUTY_TEXTS);
  const nowMs = useNow();
  const [opened] = useState(plan);
  const [shifts, setShifts] = useState<readonly Shift[]>(opened.shifts.length === 0 ? [NEW_SHIFT] : opened.shifts);
  const change = useChange(() => {
    onSaved();
    onClose();
  });
  const submit = (): void => {
    change.begin({
      method: 'PUT',
      path: '/duty',
      body: planBody(opened, { shifts: [...shifts] }, nowMs),
      ifMatch: opened.etag,
      label: texts.weeklyPlan,
    });
  };
  return (
    <OpenedForm title={texts.weeklyPlan} onClose={onClose}>
      {(headingId) => (
        <ChangeForm aria-labelledby={headingId} onSubmit={submit}>
          <fieldset disabled={change.isBusy}>
            {intro !== undefined && <p>{intro}</p>}
            {shifts.map((shift, index) => (
              <ShiftFields
                // biome-ignore lint/suspicious/noArrayIndexKey: shifts have no other key than their index
                key={index}
                name={texts.shift(index + 1)}
                shift={shift}
                people={people}
                onChange={(changed) => setShifts(shifts.with(index, changed))}
              >
                <Button
                  className="small"
                  aria-label={texts.removeShift(index + 1)}
                  onClick={() => setShifts(shifts.toSpliced(index, 1))}
                >
                  {texts.remove}
                </Button>
              </ShiftFields>
            ))}
            <p className="meta">{texts.endsNextDay}</p>
            <FormButtons change={change} onCancel={onClose}>
              <Button onClick={() => setShifts([...shifts, NEW_SHIFT])}>{texts.addShift}</Button>
            </FormButtons>
          </fieldset>
          <PlanNotice change={change} invalid={texts.badShifts} />
        </ChangeForm>
      )}
    </OpenedForm>
  );
}

interface ShiftFieldsProps {
  name: string;
  shift: Shift;
  people: readonly ContactReach[];
  onChange: (shift: Shift) => void;
  children: React.ReactNode;
}

function ShiftFields({ name, shift, people, onChange, children }: ShiftFieldsProps) {
  const texts = useTexts(DUTY_TEXTS);
  const { locale } = useFormat();
  // January 1, 2024 was a Monday.
  const dayName = (weekday: number): string =>
    new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, weekday));
  const { weekdays, contact_id: contactId } = shift;
  const time = (field: 'from' | 'to', label: string) => (
    <TextField
      label={label}
      type="time"
      required
      value={shift[field]}
      onChange={(value) => onChange({ ...shift, [field]: value.slice(0, 5) })}
    />
  );
  return (
    <fieldset className="shift-fields">
      <legend className="hidden">{name}</legend>
      <div className="picks" role="group" aria-label={texts.weekdays}>
        {WEEKDAYS.map((weekday) => (
          <label key={weekday}>
            <input
              type="checkbox"
              checked={weekdays.includes(weekday)}
              onChange={({ target }) =>
                onChange({
                  ...shift,
                  weekdays: WEEKDAYS.filter((one) => (one === weekday ? target.checked : weekdays.includes(one))),
                })
              }
            />
            <span>{dayName(weekday)}</span>
          </label>
        ))}
        {children}
      </div>
      <div className="duty-fields">
        {time('from', texts.from)}
        {time('to', texts.to)}
        <PersonSelect
          label={texts.onDuty}
          people={people}
          contactId={contactId}
          onChange={(id) =>
            onChange({ ...shift, contact_id: id, next_contact_id: id === null ? null : shift.next_contact_id })
          }
        />
        <PersonSelect
          label={texts.next}
          people={people}
          contactId={shift.next_contact_id}
          isDisabled={contactId === null}
          onChange={(id) => onChange({ ...shift, next_contact_id: id })}
        />
      </div>
    </fieldset>
  );
}
