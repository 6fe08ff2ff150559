import type { NewDip, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { readSession } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { isOutdated, nameOf } from '../status.ts';
import { DIP_TEXTS } from '../translations/dips.ts';

/** The range of the level of a tank without a sensor, and a form for people who may send what the dial shows. */
export function DipPanel({ status }: { status: TankStatus }) {
  const { tank, dip, level_range: range } = status;
  const { format } = usePreferences();
  const words = useTexts(DIP_TEXTS);
  // The frame has already read the session, so this query uses the cache.
  const { data: session } = useQuery({
    queryKey: ['session'],
    queryFn: readSession,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (dip === null) return null;
  const reason = dip.cannot_be_told;
  const canSend = session?.can.includes('dips') ?? false;
  const isOwner = (session?.customer ?? null) !== null;
  const isUnknown = isOutdated(status);
  const isAsked = dip.is_wanted || (isOwner && isUnknown);
  const asked = !isOwner ? words.wanted : canSend ? words.forOwner.send : words.forOwner.call;
  return (
    <div className="notice">
      <p>
        {reason !== null && (!isOwner ? words.cannotBeTold[reason] : isUnknown && words.forOwner.unknown)}
        {range !== null && words.range(format.percent(range.low_percentage), format.percent(range.high_percentage))}{' '}
        {isAsked && asked}
      </p>
      {canSend && <DipForm tankId={tank.id} name={nameOf(tank)} />}
    </div>
  );
}

function DipForm({ tankId, name }: { tankId: string; name: string }) {
  const { format } = usePreferences();
  const words = useTexts(DIP_TEXTS);
  const [text, setText] = useState('');
  const [message, setMessage] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const typed = useTypedNumbers().percentage(text);
  // When a writer has stored the level, the live stream reports the change, and the page reads the tank again.
  const change = useChange(() => {
    if (!('value' in typed)) return;
    const percent = new Intl.NumberFormat(format.locale, { style: 'percent', maximumFractionDigits: 2 });
    setMessage(words.sent(percent.format(typed.value / 100)));
    setText('');
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setInvalid('problem' in typed);
    setMessage('');
    if ('problem' in typed) return;
    const body: NewDip = { fill_percentage: typed.value };
    change.begin({ method: 'POST', path: `/tanks/${tankId}/dips`, body, label: words.label(name) });
  };
  return (
    <form onSubmit={submit}>
      <label>
        <span className="meta">{words.level}</span>{' '}
        <input
          inputMode="decimal"
          size={5}
          value={text}
          disabled={change.isBusy}
          onChange={({ target }) => setText(target.value)}
        />
      </label>{' '}
      <button type="submit" className="button" disabled={change.isBusy}>
        {words.send}
      </button>
      <p role="status">{message}</p>
      {isInvalid ? (
        <p role="alert" className="form-problem">
          {words.invalid}
        </p>
      ) : (
        <ChangeNotice change={change} conflict={() => words.refused} />
      )}
    </form>
  );
}
