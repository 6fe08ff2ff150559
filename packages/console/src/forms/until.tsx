import { useId, useState } from 'react';
import { MIN_HANDLED_MINUTES } from '../../../../src/values/handling_limits.ts';
import { HOUR_MS, MINUTE_MS } from '../format.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';
import { TextField } from './field.tsx';

interface UntilProps {
  label: string;
  /** The offered durations in hours, the shortest first. */
  choices: readonly number[];
  maxMs: number;
  problem: string;
  onChange: (untilMs: number | null) => void;
}

/** The end of a time that begins now: a button for each usual length, or any time up to the limit. */
export function Until({ label, choices, maxMs, problem, onChange }: UntilProps) {
  const { format } = usePreferences();
  const texts = useTexts(TANK_FORM_TEXTS).handle;
  const name = useId();
  const [openedMs] = useState(() => Date.now());
  const [chosen, setChosen] = useState<number | 'other' | null>(choices[0] ?? null);
  /** The initial value is the shortest choice, because an empty field does not show what to write. */
  const [typed, setTyped] = useState(() => localText(openedMs + (choices[0] ?? 1) * HOUR_MS));
  const limit = texts.atMost(format.longDuration(maxMs), format.recent(openedMs + maxMs, openedMs));
  const choose = (choice: number | 'other'): void => {
    setChosen(choice);
    onChange(choice === 'other' ? timeIn(typed) : openedMs + choice * HOUR_MS);
  };
  return (
    <fieldset className="until">
      <legend>{label}</legend>
      <div className="picks">
        {choices.map((hours) => (
          <label key={hours}>
            <input type="radio" name={name} checked={chosen === hours} onChange={() => choose(hours)} />
            <span>
              {texts.inHours(hours)} <span className="meta">{format.recent(openedMs + hours * HOUR_MS, openedMs)}</span>
            </span>
          </label>
        ))}
        <label>
          <input type="radio" name={name} checked={chosen === 'other'} onChange={() => choose('other')} />
          <span>{texts.other}</span>
        </label>
      </div>
      {chosen === 'other' && (
        <TextField
          label={texts.otherTime}
          help={limit}
          problem={problem}
          type="datetime-local"
          min={localText(openedMs + MIN_HANDLED_MINUTES * MINUTE_MS)}
          max={localText(openedMs + maxMs)}
          value={typed}
          onChange={(value) => {
            setTyped(value);
            onChange(timeIn(value));
          }}
        />
      )}
      {chosen !== 'other' && problem !== '' && (
        <p role="alert" className="field-problem">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

/** Parses a time in the time zone of the browser. Null if the text is not a time. */
function timeIn(text: string): number | null {
  const ms = new Date(text).getTime();
  return Number.isNaN(ms) ? null : ms;
}

/** Formats a time for a field of type datetime-local, in the time zone of the browser. */
export function localText(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}
