import type { ContactReach, DutyPlan } from '@tankwatch/client';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { FormProblem } from '../forms/form_problem.tsx';
import { OpenedForm } from '../forms/opened_form.tsx';
import { Button } from '../parts/button.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { type DutyException, exceptionAt, type Part, planBody } from './duty_parts.ts';
import { whenText } from './duty_week.tsx';
import { PersonSelect } from './person_select.tsx';

interface ExceptionFormProps {
  plan: DutyPlan;
  part: Part;
  people: readonly ContactReach[];
  onSaved: () => void;
  onClose: () => void;
}

/** Puts somebody else on duty for some time, for a swap, a holiday or a gap. The weekly shifts stay as they are. */
export function ExceptionForm({ plan, part, people, onSaved, onClose }: ExceptionFormProps) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const nowMs = useNow();
  // The plan when the form was opened, because the page may read the plan again meanwhile.
  const [opened] = useState(plan);
  const stored = exceptionAt(opened, part.fromClock);
  const [values, setValues] = useState<DutyException>(
    () =>
      stored ?? {
        from: part.fromClock,
        to: part.toClock,
        contact_id: part.contact_id,
        next_contact_id: part.next_contact_id,
      },
  );
  const change = useChange(() => {
    onSaved();
    onClose();
  });
  const when = whenText(part, format, texts.range);
  const save = (exceptions: readonly DutyException[]): void =>
    change.begin({
      method: 'PUT',
      path: '/duty',
      body: planBody(opened, { exceptions: [...exceptions] }, nowMs),
      ifMatch: opened.etag,
      label: when,
    });
  const others = opened.exceptions.filter((one) => one !== stored);
  const submit = (): void => {
    save([...others, values]);
  };
  const time = (name: 'from' | 'to', label: string) => (
    <TextField
      label={label}
      type="datetime-local"
      required
      value={values[name]}
      onChange={(value) => setValues({ ...values, [name]: value.slice(0, 16) })}
    />
  );
  return (
    <OpenedForm title={when} onClose={onClose}>
      {(headingId) => (
        <ChangeForm aria-labelledby={headingId} onSubmit={submit}>
          <fieldset disabled={change.isBusy}>
            <div className="duty-fields">
              <PersonSelect
                label={texts.onDuty}
                people={people}
                contactId={values.contact_id}
                onChange={(id) =>
                  setValues({ ...values, contact_id: id, next_contact_id: id === null ? null : values.next_contact_id })
                }
              />
              <PersonSelect
                label={texts.next}
                people={people}
                contactId={values.next_contact_id}
                isDisabled={values.contact_id === null}
                onChange={(id) => setValues({ ...values, next_contact_id: id })}
              />
              {time('from', texts.from)}
              {time('to', texts.to)}
            </div>
            <p className="meta">{texts.onlyOnce}</p>
            <FormButtons change={change} onCancel={onClose}>
              {stored !== undefined && <Button onClick={() => save(others)}>{texts.backToPlan}</Button>}
            </FormButtons>
          </fieldset>
          <PlanNotice change={change} invalid={texts.badException} />
        </ChangeForm>
      )}
    </OpenedForm>
  );
}

/** The outcome of a changed plan. */
export function PlanNotice({ change, invalid }: { change: ReturnType<typeof useChange>; invalid: string }) {
  const texts = useTexts(DUTY_TEXTS);
  const isInvalid = change.state.kind === 'refused' && change.state.status === 422;
  return isInvalid ? (
    <FormProblem>{invalid}</FormProblem>
  ) : (
    <ChangeNotice change={change} changed={texts.changedMeanwhile} />
  );
}
