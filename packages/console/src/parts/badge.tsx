import type { TankStatus } from '@tankwatch/client';
import { useFormat, useTranslation, useWordsOf } from '../preferences_and_words.tsx';
import { badgeOf, type StatusName as Name } from '../status.ts';
import { StatusMark } from './marks.tsx';

/** The most important status of a tank. A tank that needs nothing has no badge. */
export function StatusBadge({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const words = useWordsOf(status);
  const format = useFormat();
  const name = badgeOf(status);
  if (name === undefined) return null;
  const isSilent = name === 'silent' && status.silent_since !== null;
  return (
    <span className={`badge ${name}`}>
      <StatusMark status={name} />
      <span className="badge-word">{words.status[name]}</span>
      {isSilent && format.duration(nowMs - Date.parse(status.silent_since ?? ''))}
    </span>
  );
}

/** The mark of a tank whose conditions are all acknowledged. */
export function HandledMark() {
  const { today } = useTranslation();
  return (
    <span className="meta handled-mark" title={today.sections.handled}>
      <StatusMark status="handled" />
      <span className="hidden">{today.sections.handled}</span>
    </span>
  );
}

/** Who handles the tank or has muted it, until when, and why. */
export function HandledBy({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const { today } = useTranslation();
  const format = useFormat();
  const [first] = status.handled;
  if (first === undefined && status.muted === null) return null;
  const text =
    first === undefined
      ? [today.mutedUntil(format.recent(status.muted?.until ?? '', nowMs)), status.muted?.name, status.muted?.reason]
      : [today.handledUntil(first.name ?? today.program, format.recent(first.until, nowMs)), first.comment];
  return <div className="meta">{text.filter(Boolean).join(' · ')}</div>;
}

/** A status without a tank, such as the worst status of a customer's tanks. */
export function StatusName({ name }: { name: Name }) {
  const { status } = useTranslation();
  return (
    <span className={`badge ${name}`}>
      <StatusMark status={name} />
      {status[name]}
    </span>
  );
}
