import type { TankStatus } from '@tankwatch/client';
import { useState } from 'react';
import { MAX_COMMENT_LENGTH, MAX_HANDLED_DAYS } from '../../../../src/values/handling_limits.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { DAY_MS, HOUR_MS } from '../format.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { Until } from '../forms/until.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { FOLLOWED_TEXTS } from '../translations/followed.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

const INITIAL_HOURS = 2;
const HOURS = [INITIAL_HOURS, 8, 24];

/** Stops mails about a tank until a time, for example during maintenance. It is not shown for a tank that loses gas. */
export function Mute({ status }: { status: TankStatus }) {
  const { format } = usePreferences();
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).mute;
  const nowMs = useNow();
  const readAgain = useReadAgain(['tank', status.tank.id]);
  const fieldProblem = useFieldProblem();
  const [isOpen, setOpen] = useState(false);
  const [untilMs, setUntilMs] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const change = useChange(() => {
    setOpen(false);
    setReason('');
    setSubmitted(false);
    readAgain();
  });
  const { muted_until: mutedUntil, muted } = status;
  const followed = useTexts(FOLLOWED_TEXTS);
  const path = `/tanks/${status.tank.id}/mute`;
  const name = nameOf(status.tank);
  const isTimely = untilMs !== null && untilMs > nowMs && untilMs <= nowMs + MAX_HANDLED_DAYS * DAY_MS;
  const isReason = reason.trim() !== '' && reason.length <= MAX_COMMENT_LENGTH;
  const save = (): void => {
    setSubmitted(true);
    if (untilMs === null || !isTimely || !isReason) return;
    const body = { until: new Date(untilMs).toISOString(), reason: reason.trim() };
    change.begin({ method: 'PUT', path, body, label: texts.label(name) });
  };

  if (mutedUntil !== null) {
    const end = (
      <Button
        className="small"
        disabled={change.isBusy}
        onClick={() => change.begin({ method: 'DELETE', path, label: texts.endLabel(name) })}
      >
        {texts.end}
      </Button>
    );
    return (
      <Panel id="mute" title={texts.title} action={end}>
        <p>
          {muted === null
            ? texts.mutedUntil(format.recent(mutedUntil, nowMs))
            : followed.mutedBy(
                muted.name ?? followed.program,
                format.recent(muted.since, nowMs),
                format.recent(muted.until, nowMs),
              )}{' '}
          {muted?.reason}
        </p>
        <ChangeNotice change={change} />
      </Panel>
    );
  }
  if (!isOpen) {
    const open = (
      <Button
        className="small"
        onClick={() => {
          setOpen(true);
          setUntilMs(Date.now() + INITIAL_HOURS * HOUR_MS);
        }}
      >
        {texts.open}
      </Button>
    );
    return (
      <Panel id="mute" title={texts.title} action={open}>
        <p>{texts.not}</p>
        <p className="meta">{texts.never}</p>
      </Panel>
    );
  }
  return (
    <Panel id="mute" title={texts.title}>
      <OpenedFields aria-label={texts.label(name)} noValidate onSubmit={save} onClose={() => setOpen(false)}>
        <fieldset disabled={change.isBusy}>
          <p className="meta">{texts.help}</p>
          <Until
            label={texts.until}
            choices={HOURS}
            maxMs={MAX_HANDLED_DAYS * DAY_MS}
            problem={isSubmitted && !isTimely ? changeTexts.fieldProblems.until : fieldProblem(change.state, 'until')}
            onChange={setUntilMs}
          />
          <TextField
            label={texts.reason}
            problem={isSubmitted && !isReason ? texts.reasonWrong : fieldProblem(change.state, 'reason')}
            value={reason}
            onChange={setReason}
          />
          <FormButtons change={change} onCancel={() => setOpen(false)} />
        </fieldset>
        <ChangeNotice change={change} fields={['until', 'reason']} conflict={() => texts.losing} />
      </OpenedFields>
    </Panel>
  );
}
