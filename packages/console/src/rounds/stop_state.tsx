import type { FleetRound, FleetStop } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';

interface BlockedProps {
  stop: FleetStop;
  driver: FleetRound['driver'];
}

/** The state of a stop whose tank loses gas. It has only a link to the tank: nobody delivers there meanwhile. */
export function Blocked({ stop: { block, tank }, driver }: BlockedProps) {
  const { format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const nowMs = useNow();
  if (block === null || tank === null) return null;
  const name = driver?.name ?? null;
  return (
    <>
      <div className="blocked-text">
        <Icon name="warning" /> {words.doNotDeliver}
      </div>
      <div className="meta">
        {block.read_at !== null
          ? words.readBy(name ?? words.theDriver, format.recent(block.read_at, nowMs))
          : name !== null && words.notReadBy(name)}{' '}
        {block.read_at === null && name !== null && driver?.phone && (
          <a href={`tel:${driver.phone.replaceAll(' ', '')}`}>{words.callName(name)}</a>
        )}{' '}
        <Link className="no-print" href={`/tanks/${tank.id}`}>
          {words.openTank}
        </Link>
      </div>
    </>
  );
}

interface FilledProps {
  stop: FleetStop;
  canChange: boolean;
  onKeep: () => void;
  onTakeOff: () => void;
}

/** The state of a stop whose tank was filled after the stop was planned. The stop is never removed automatically. */
export function Filled({ stop, canChange, onKeep, onTakeOff }: FilledProps) {
  const { format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const { fill_percentage: now, planned_fill_percentage: before } = stop;
  return (
    <>
      <div className="filled-text">{words.filledNow(format.percent(now ?? 0))}</div>
      {before !== null && <div className="meta">{words.plannedAt(format.percent(before))}</div>}
      {canChange && (
        <span className="actions no-print">
          <button type="button" className="button small" onClick={onTakeOff}>
            {words.takeOff}
          </button>{' '}
          <button type="button" className="button small" onClick={onKeep}>
            {words.keep}
          </button>
        </span>
      )}
    </>
  );
}
