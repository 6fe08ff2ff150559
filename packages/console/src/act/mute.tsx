import type { TankStatus } from '@tankwatch/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNow } from '../clock.ts';
import { DAY_MS, HOUR_MS } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import { nameOf } from '../status.ts';
import { ACT_WORDS } from '../words/act_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { Field, useFieldProblem } from './field.tsx';
import { Until } from './until.tsx';
import { useChange } from './use_change.ts';

const FIRST_HOURS = 2;
const HOURS = [FIRST_HOURS, 8, 24];
const MAX_MS = 14 * DAY_MS;
const MAX_REASON = 500;

/** No mails about a tank until a time, as during maintenance. A tank that loses gas cannot be muted: its page leaves this out. */
export function Mute({ status }: { status: TankStatus }) {
  const { language, format } = usePreferences();
  const all = ACT_WORDS[language];
  const texts = all.mute;
  const nowMs = useNow();
  const queryClient = useQueryClient();
  const fieldProblem = useFieldProblem();
  const [isOpen, setOpen] = useState(false);
  const [untilMs, setUntilMs] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const change = useChange(() => {
    setOpen(false);
    setReason('');
    setTried(false);
    void queryClient.invalidateQueries({ queryKey: ['tank', status.tank.id] });
  });
  const { muted_until: mutedUntil } = status;
  const path = `/tanks/${status.tank.id}/mute`;
  const name = nameOf(status.tank);
  const isTimely = untilMs !== null && untilMs > nowMs && untilMs <= nowMs + MAX_MS;
  const isShort = reason.length <= MAX_REASON;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (untilMs === null || !isTimely || !isShort) return;
    const body = { until: new Date(untilMs).toISOString(), reason: reason.trim() === '' ? null : reason.trim() };
    change.begin({ method: 'PUT', path, body, label: texts.label(name) });
  };

  if (mutedUntil !== null) {
    return (
      <div className="notice">
        <p>{texts.mutedUntil(format.recent(mutedUntil, nowMs))}</p>
        <button
          type="button"
          className="button small"
          disabled={change.isBusy}
          onClick={() => change.begin({ method: 'DELETE', path, label: texts.endLabel(name) })}
        >
          {texts.end}
        </button>
        <ChangeNotice change={change} />
      </div>
    );
  }
  if (!isOpen) {
    return (
      <button
        type="button"
        className="button"
        onClick={() => {
          setOpen(true);
          setUntilMs(Date.now() + FIRST_HOURS * HOUR_MS);
        }}
      >
        {texts.open}
      </button>
    );
  }
  return (
    <form className="act-form" aria-label={texts.label(name)} onSubmit={save} noValidate>
      <fieldset disabled={change.isBusy}>
        <p className="meta">{texts.help}</p>
        <Until
          label={texts.until}
          choices={HOURS}
          maxMs={MAX_MS}
          problem={isTried && !isTimely ? all.fieldProblems.until : fieldProblem(change.state, 'until')}
          onChange={setUntilMs}
        />
        <Field
          label={texts.reason}
          problem={isTried && !isShort ? all.fieldProblems.reason : fieldProblem(change.state, 'reason')}
        >
          {(attributes) => (
            <input {...attributes} type="text" value={reason} onChange={({ target }) => setReason(target.value)} />
          )}
        </Field>
        <p className="button-row">
          <button type="submit" className="button primary">
            {change.state.kind === 'sending' ? all.saving : all.save}
          </button>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            {all.cancel}
          </button>
        </p>
      </fieldset>
      <ChangeNotice change={change} fields={['until', 'reason']} conflict={() => texts.losing} />
    </form>
  );
}
