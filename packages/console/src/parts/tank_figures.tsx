import type { TankStatus } from '@tankwatch/client';
import type { ReactNode } from 'react';
import { usePreferences } from '../preferences.tsx';
import { dueTexts, isOutdated, levelOf, msUntil, oldLevel, roomOf, unconfirmedLevel } from '../status.ts';

/** The figures that a dispatcher decides by, each with its unit and its age. */
export function TankFigures({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const { words, format, fillTo } = usePreferences();
  const { values, tank: texts } = words;
  const { reading, volume, refilled, tank } = status;
  const level = levelOf(status);
  const unconfirmed = unconfirmedLevel(status);
  const isOld = isOutdated(status);
  const threshold = format.percent(tank.min_fill_alert_percentage);
  const due = dueTexts(status, nowMs, words, format);
  const isLow = status.status.includes('low') && !isOld;
  const room = roomOf(status, fillTo);
  const emptyMs = msUntil(status.empty?.likely_at, nowMs);
  const lowDetail = emptyMs !== null && emptyMs > 0 ? texts.emptyIn(format.until(emptyMs)) : '';

  return (
    <dl className="figures">
      <Figure
        term={
          reading === null ? values.noReading : texts.lastReading(format.ago(nowMs - Date.parse(reading.created_at)))
        }
        title={reading === null ? undefined : format.fullTime(reading.created_at)}
        detail={unconfirmed === null ? '' : values.unconfirmed(format.percent(unconfirmed))}
      >
        {level === null ? (
          values.none
        ) : isOld ? (
          <span className="old">{oldLevel(status, format.percent(level), values)}</span>
        ) : (
          [format.percent(level), volume.left === null ? '' : format.volume(volume.left, volume.unit)]
            .filter(Boolean)
            .join(' · ')
        )}
      </Figure>
      <Figure
        term={isLow ? texts.lowSince(threshold) : texts.thresholdIn(threshold)}
        detail={isLow ? [due.detail, lowDetail].filter(Boolean).join(', ') : due.detail}
      >
        {due.main}
      </Figure>
      <Figure term={texts.usualUse}>
        {volume.use_per_day === null ? values.none : values.perDay(format.volume(volume.use_per_day, volume.unit))}
      </Figure>
      <Figure
        term={refilled === null ? texts.lastRefillNone : texts.lastRefill(format.dateWithYear(refilled.at))}
        detail={refilled === null ? '' : texts.estimate}
      >
        {refilled === null ? values.none : `+${format.volume(refilled.delivered_volume, volume.unit)}`}
      </Figure>
      <Figure term={texts.room(format.percent(fillTo))}>
        {room === null ? values.unknown : format.volume(room, tank.capacity_unit)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  term: string;
  title?: string | undefined;
  detail?: string;
  children: ReactNode;
}

function Figure({ term, title, detail = '', children }: FigureProps) {
  return (
    <div>
      <dt title={title}>{term}</dt>
      <dd>
        {children} {detail !== '' && <span className="meta">{detail}</span>}
      </dd>
    </div>
  );
}
