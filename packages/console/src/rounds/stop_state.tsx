import type { FleetRound, FleetStop } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/marks.tsx';
import { telOf } from '../parts/phone.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';

interface BlockedProps {
  stop: FleetStop;
  driver: FleetRound['driver'];
}

/** The state of a stop whose tank loses gas. It has only a link to the tank, because nobody delivers there meanwhile. */
export function Blocked({ stop: { block, tank }, driver }: BlockedProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const nowMs = useNow();
  if (block === null || tank === null) return null;
  const name = driver?.name ?? null;
  return (
    <>
      <div className="blocked-text">
        <Icon name="warning" /> {texts.doNotDeliver}
      </div>
      <div className="meta">
        {block.read_at !== null
          ? texts.readBy(name ?? texts.theDriver, format.recent(block.read_at, nowMs))
          : name !== null && texts.notReadBy(name)}{' '}
        {block.read_at === null && name !== null && driver?.phone && (
          <a href={telOf(driver.phone)}>{texts.callName(name)}</a>
        )}{' '}
        <Link className="no-print" href={`/tanks/${tank.id}`}>
          {texts.openTank}
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
  const texts = useTexts(ROUND_TEXTS);
  const { fill_percentage: now, planned_fill_percentage: before } = stop;
  return (
    <>
      <div className="filled-text">{texts.filledNow(format.percent(now ?? 0))}</div>
      {before !== null && <div className="meta">{texts.plannedAt(format.percent(before))}</div>}
      {canChange && (
        <span className="actions no-print">
          <Button className="small" onClick={onTakeOff}>
            {texts.takeOff}
          </Button>{' '}
          <Button className="small" onClick={onKeep}>
            {texts.keep}
          </Button>
        </span>
      )}
    </>
  );
}
