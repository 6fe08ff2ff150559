import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { readSession } from '../api.ts';
import { usePreferences } from '../preferences.tsx';
import { enDips } from '../words/en_dips.ts';
import { esDips } from '../words/es_dips.ts';

/** How sure the level of a tank without a sensor is, and a form for whoever may send what the dial shows. */
export function DipPanel({ status: { tank, dip, level_range: range } }: { status: TankStatus }) {
  const { language, format } = usePreferences();
  const words = language === 'es' ? esDips : enDips;
  // Read before, by the frame: this only finds it again.
  const { data: session } = useQuery({
    queryKey: ['session'],
    queryFn: readSession,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (dip === null) return null;
  const reason = dip.cannot_be_told;
  const canSend = session?.can.includes('dips') ?? false;
  const isOwner = (session?.customer ?? null) !== null;
  const isAsked = dip.is_wanted || (isOwner && reason !== null);
  const asked = !isOwner ? words.wanted : canSend ? words.forOwner.send : words.forOwner.call;
  return (
    <div className="notice">
      <p>
        {reason !== null && (isOwner ? words.forOwner.unknown : words.cannotBeTold[reason])}
        {range !== null && words.range(format.percent(range.low_percentage), format.percent(range.high_percentage))}{' '}
        {isAsked && asked}
      </p>
      {canSend && <DipForm tankId={tank.id} />}
    </div>
  );
}

/** The same key for each try of the same level, so that a lost answer does not send it twice. */
const newKey = (): string => `dip-${Date.now()}-${Math.random().toString(36).slice(2)}`;

function DipForm({ tankId }: { tankId: string }) {
  const { language, format } = usePreferences();
  const words = language === 'es' ? esDips : enDips;
  const [text, setText] = useState('');
  const [key, setKey] = useState(newKey);
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState('');
  const send = async (): Promise<void> => {
    const level = Number(text.replace(',', '.'));
    setMessage('');
    if (text.trim() === '' || !(level >= 0 && level <= 100)) return setProblem(words.invalid);
    const response = await fetch(`/manage/v1/tanks/${encodeURIComponent(tankId)}/dips`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ fill_percentage: level }),
    }).catch(() => null);
    if (response?.ok !== true) return setProblem(response?.status === 409 ? words.refused : words.failed);
    // The page reads the tank again when a writer has stored the level: the live stream says so.
    setProblem('');
    const percent = new Intl.NumberFormat(format.locale, { style: 'percent', maximumFractionDigits: 2 });
    setMessage(words.sent(percent.format(level / 100)));
    setText('');
    setKey(newKey());
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <form onSubmit={submit}>
      <label>
        <span className="meta">{words.level}</span>{' '}
        <input
          inputMode="decimal"
          size={5}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setKey(newKey());
          }}
        />
      </label>{' '}
      <button type="submit" className="button">
        {words.send}
      </button>
      <p role="status">{message}</p>
      <p role="alert" className="form-problem">
        {problem}
      </p>
    </form>
  );
}
