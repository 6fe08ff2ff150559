import type { DutyPlan } from '@tankwatch/client';
import { useState } from 'react';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { TextField } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DUTY_TEXTS } from '../translations/duty.ts';
import { planBody } from './duty_parts.ts';
import { PlanNotice } from './exception_form.tsx';

interface DutyStepsProps {
  plan: DutyPlan;
  canChange: boolean;
  onSaved: () => void;
}

/** What happens if nobody handles a loss, and after how many minutes. */
export function DutySteps({ plan, canChange, onSaved }: DutyStepsProps) {
  const texts = useTexts(DUTY_TEXTS);
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const { repeat_minutes: repeatMinutes, empty_percentage: emptyPercentage } = plan;
  const nextMinutes = plan.first_minutes + plan.next_minutes;
  const written = new Intl.NumberFormat(format.locale, { style: 'unit', unit: 'minute', maximumFractionDigits: 1 });
  const duration = (minutes: number): string => written.format(minutes);
  const repetition = repeatMinutes === null ? texts.once : texts.repeats(duration(repeatMinutes));
  return (
    <Panel
      id="duty-steps"
      title={texts.steps}
      action={
        canChange && (
          <Button aria-expanded={isOpen} onClick={() => setOpen(true)}>
            {texts.change}
          </Button>
        )
      }
    >
      {isOpen && <StepsForm plan={plan} onSaved={onSaved} onClose={() => setOpen(false)} />}
      {!isOpen && (
        <ol className="ladder">
          <Step at={texts.atOnce} what={texts.alarm} detail={texts.always} />
          {plan.escalates &&
            [plan.first_minutes, nextMinutes, nextMinutes + plan.all_minutes].map((minutes, index) => (
              <Step
                key={texts.tell[index]}
                at={duration(minutes)}
                what={texts.tell[index] ?? ''}
                detail={index === 2 ? repetition : texts.ifNobody}
              />
            ))}
        </ol>
      )}
      {!plan.escalates && <p>{texts.off}</p>}
      {plan.escalates && (
        <p>{emptyPercentage === null ? texts.onlyLosses : texts.emptyToo(format.percent(emptyPercentage))}</p>
      )}
      <p className="meta">{texts.stepsHelp}</p>
    </Panel>
  );
}

interface StepProps {
  at: string;
  what: string;
  detail: string;
  state?: 'done' | 'next';
}

/** A step with its time. */
export const Step = ({ at, what, detail, state }: StepProps) => (
  <li>
    <span className="at">{at}</span>
    <span className={`knot ${state ?? ''}`} />
    <span>
      {what}
      <span className="meta">{detail}</span>
    </span>
  </li>
);

const NUMBERS = ['first_minutes', 'next_minutes', 'all_minutes', 'repeat_minutes', 'empty_percentage'] as const;
const LIMITS = { first_minutes: 120, next_minutes: 120, all_minutes: 120, repeat_minutes: 1_440, empty_percentage: 50 };

function StepsForm({ plan, onSaved, onClose }: Omit<DutyStepsProps, 'canChange'> & { onClose: () => void }) {
  const texts = useTexts(DUTY_TEXTS);
  const nowMs = useNow();
  const [opened] = useState(plan);
  const [escalates, setEscalates] = useState(opened.escalates);
  const change = useChange(() => {
    onSaved();
    onClose();
  });
  const submit = (form: HTMLFormElement): void => {
    const typed = new FormData(form);
    const settings = NUMBERS.map((name) => [name, typed.get(name) === '' ? null : Number(typed.get(name))]);
    change.begin({
      method: 'PUT',
      path: '/duty',
      body: { ...planBody(opened, {}, nowMs), escalates, ...Object.fromEntries(settings) },
      ifMatch: opened.etag,
      label: texts.steps,
    });
  };
  return (
    <OpenedFields onClose={onClose} aria-labelledby="duty-steps" onSubmit={submit}>
      <fieldset disabled={change.isBusy}>
        <label className="box">
          <input type="checkbox" checked={escalates} onChange={({ target }) => setEscalates(target.checked)} />
          <span>{texts.escalates}</span>
        </label>
        {NUMBERS.map((name) => (
          <TextField
            key={name}
            label={texts.minutes[name]}
            className="short"
            type="number"
            name={name}
            min={0}
            max={LIMITS[name]}
            step={name === 'empty_percentage' ? 1 : 'any'}
            required={name !== 'repeat_minutes' && name !== 'empty_percentage'}
            defaultValue={opened[name] ?? ''}
          />
        ))}
        <FormButtons change={change} onCancel={onClose} />
      </fieldset>
      <PlanNotice change={change} invalid={texts.badNumber} />
    </OpenedFields>
  );
}
