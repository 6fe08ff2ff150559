import type { NewDip, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { FormProblem } from '../forms/form_problem.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { sessionQuery } from '../session.ts';
import { isOutdated, nameOf } from '../status.ts';
import { DIP_TEXTS } from '../translations/dips.ts';

/** The range of the level of a tank without a sensor, and a form for people who may send what the dial shows. */
export function DipPanel({ status }: { status: TankStatus }) {
  const { tank, dip, level_range: range } = status;
  const { format } = usePreferences();
  const dipTexts = useTexts(DIP_TEXTS);
  const { data: session } = useQuery(sessionQuery);
  if (dip === null) return null;
  const reason = dip.cannot_be_told;
  const canSend = session?.rights.includes('dips') ?? false;
  const isOwner = (session?.customer ?? null) !== null;
  const isUnknown = isOutdated(status);
  const needsReading = dip.is_wanted || (isOwner && isUnknown);
  const ownerRequest = canSend ? dipTexts.forOwner.send : dipTexts.forOwner.call;
  return (
    <div className="notice">
      <p>
        {reason !== null && (!isOwner ? dipTexts.cannotBeTold[reason] : isUnknown && dipTexts.forOwner.unknown)}
        {range !== null && dipTexts.range(format.percent(range.low_percentage), format.percent(range.high_percentage))}{' '}
        {needsReading && (isOwner ? ownerRequest : dipTexts.wanted)}
      </p>
      {canSend && <DipForm tankId={tank.id} name={nameOf(tank)} />}
    </div>
  );
}

function DipForm({ tankId, name }: { tankId: string; name: string }) {
  const { format } = usePreferences();
  const dipTexts = useTexts(DIP_TEXTS);
  const [text, setText] = useState('');
  const [message, setMessage] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const typed = useTypedNumbers().percentage(text);
  // When a writer has stored the level, the live stream reports the change, and the page reads the tank again.
  const change = useChange(() => {
    if (!('value' in typed)) return;
    const percent = new Intl.NumberFormat(format.locale, { style: 'percent', maximumFractionDigits: 2 });
    setMessage(dipTexts.sent(percent.format(typed.value / 100)));
    setText('');
  });
  const submit = (): void => {
    setInvalid('problem' in typed);
    setMessage('');
    if ('problem' in typed) return;
    const body: NewDip = { fill_percentage: typed.value };
    change.begin({ method: 'POST', path: `/tanks/${tankId}/dips`, body, label: dipTexts.label(name) });
  };
  return (
    <ChangeForm className="" onSubmit={submit}>
      <label>
        <span className="meta">{dipTexts.level}</span>{' '}
        <input
          inputMode="decimal"
          size={5}
          value={text}
          disabled={change.isBusy}
          onChange={({ target }) => setText(target.value)}
        />
      </label>{' '}
      <Button type="submit" disabled={change.isBusy}>
        {dipTexts.send}
      </Button>
      <p role="status">{message}</p>
      {isInvalid ? (
        <FormProblem>{dipTexts.invalid}</FormProblem>
      ) : (
        <ChangeNotice change={change} conflict={() => dipTexts.refused} />
      )}
    </ChangeForm>
  );
}
