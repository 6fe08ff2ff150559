import type { TankStatus } from '@tankwatch/client';
import { type FormEvent, useEffect, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { MINUTE_MS } from '../format.ts';
import { Field } from '../forms/field.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { usePreferences, useTexts } from '../preferences.tsx';
import { useCan } from '../session.ts';
import { nameOf } from '../status.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { COMMISSION_TEXTS } from '../translations/commission.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

type Reading = NonNullable<TankStatus['reading']>;

/** Without a reading after this time, the device or its position has a problem. */
const LATE_MS = 15 * MINUTE_MS;
/** Dials are read by eye: up to this difference the gauge is good. */
const GOOD_POINTS = 5;

interface WaitStepProps {
  /** The first one of the new device. Null: none yet. */
  reading: Reading | null;
  putAtMs: number;
  onCompare: () => void;
  onDone: () => void;
}

/** The first reading appears here by itself. */
export function WaitStep({ reading, putAtMs, onCompare, onDone }: WaitStepProps) {
  const { format } = usePreferences();
  const all = useTexts(CHANGE_TEXTS);
  const texts = useTexts(COMMISSION_TEXTS);
  const waitedMs = useSeconds() - putAtMs;
  return (
    <>
      <p role="status" className="first-reading">
        {reading !== null && texts.arrived(format.percent(reading.fill_percentage), format.time(reading.created_at))}
      </p>
      {/* Not in the status above: a screen reader would read every second. */}
      {reading === null && <p className="waiting">{texts.waitingFor(format.stopwatch(waitedMs))}</p>}
      {reading === null && waitedMs > LATE_MS && <p className="notice">{texts.late}</p>}
      <p className="button-row">
        <button type="button" className="button primary" disabled={reading === null} onClick={onCompare}>
          {texts.compare}
        </button>
        {reading === null && waitedMs > LATE_MS && (
          <button type="button" className="button" onClick={onDone}>
            {all.close}
          </button>
        )}
      </p>
    </>
  );
}

interface DialStepProps {
  status: TankStatus;
  reading: Reading;
  /** The sensor was turned: wait for the next reading. */
  onAgain: () => void;
  onDone: () => void;
}

/** What the dial on the tank shows, beside what the device has sent. */
export function DialStep({ status: { tank }, reading, onAgain, onDone }: DialStepProps) {
  const { format } = usePreferences();
  const texts = useTexts(COMMISSION_TEXTS);
  const { notes } = useTexts(TANK_FORM_TEXTS);
  const canNote = useCan('notes');
  const [typed, setTyped] = useState('');
  const change = useChange(onDone);
  const read = useTypedNumbers().percentage(typed);
  const isValid = 'value' in read;
  const dial = isValid ? read.value : Number.NaN;
  const points = Math.abs(dial - reading.fill_percentage);
  const isGood = points <= GOOD_POINTS;
  const keepNote = (): void =>
    change.begin({
      method: 'POST',
      path: `/tanks/${tank.id}/notes`,
      body: { text: texts.note(format.percent(dial), format.percent(reading.fill_percentage)), prints: false },
      label: notes.label(nameOf(tank)),
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isValid && isGood) onDone();
  };
  return (
    <form className="act-form" onSubmit={submit} aria-label={texts.compare} noValidate>
      <p className="first-reading">
        {texts.arrived(format.percent(reading.fill_percentage), format.time(reading.created_at))}
      </p>
      <Field label={texts.dial} problem={typed.trim() === '' || isValid ? '' : read.problem}>
        {(attributes) => (
          <input
            {...attributes}
            className="short"
            type="text"
            inputMode="decimal"
            value={typed}
            disabled={change.isBusy}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      {isValid && (
        <p role="status" className={isGood ? 'verdict' : 'verdict bad'}>
          {isGood ? texts.good(format.count(Math.round(points))) : texts.bad(format.count(Math.round(points)))}{' '}
          {!isGood && texts.badHelp}
        </p>
      )}
      <p className="button-row">
        {!isValid || isGood ? (
          <button type="submit" className="button primary" disabled={!isValid}>
            {texts.done}
          </button>
        ) : (
          <>
            <button type="button" className="button primary" disabled={change.isBusy} onClick={onAgain}>
              {texts.again}
            </button>
            {canNote && (
              <button type="button" className="button" disabled={change.isBusy} onClick={keepNote}>
                {texts.keepNote}
              </button>
            )}
          </>
        )}
      </p>
      <ChangeNotice change={change} conflict={() => notes.full} />
    </form>
  );
}

/** The time, each second. */
function useSeconds(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
