import type { TankStatus } from '@tankwatch/client';
import type { ReactNode } from 'react';
import { fillToOf } from '../../../../src/values/products.ts';
import { sentence } from '../format.ts';
import { usePreferences } from '../preferences_and_words.tsx';
import { isOutdated, levelNote, levelOf, oldLevel, roomOf, volumeLeft } from '../status.ts';
import { dueTexts, emptyTexts, joined } from '../time_texts.ts';

/** The figures on which a dispatcher decides, each with its unit and its age. */
export function TankFigures({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const { words, format, fillTo } = usePreferences();
  const { values, tank: texts } = words;
  const { reading, volume, refilled, tank } = status;
  const level = levelOf(status);
  const isOld = isOutdated(status);
  const threshold = format.percent(tank.min_fill_alert_percentage);
  const due = dueTexts(status, nowMs, words, format);
  const isLow = status.status.includes('low') && !isOld;
  const room = roomOf(status, fillTo);
  const empty = emptyTexts(status, nowMs, words, format);
  const left = volumeLeft(status);
  /** The shown level is older than the latest reading, because the gauge is unreliable. */
  const isLastReliable = status.status.includes('gauge_unreliable') && status.last_believable !== null;

  return (
    <dl className="figures">
      <Figure
        term={
          reading === null
            ? sentence(values.noReading)
            : isLastReliable
              ? texts.lastBelieved
              : texts.lastReading(format.ago(nowMs - Date.parse(reading.created_at)))
        }
        title={reading === null || isLastReliable ? undefined : format.fullTime(reading.created_at)}
        detail={levelNote(status, words, format)}
      >
        {level === null ? (
          values.none
        ) : isOld ? (
          <span className="old">{oldLevel(status, format.percent(level), values)}</span>
        ) : (
          joined(format.percent(level), left === null ? '' : format.volume(left, volume.unit))
        )}
      </Figure>
      <Figure
        term={isLow ? texts.lowSince(threshold) : due.isSentence ? texts.at(threshold) : texts.thresholdIn(threshold)}
        detail={due.detail}
      >
        {due.main}
      </Figure>
      <Figure term={empty.isSentence ? texts.empty : words.fleet.columns.empty} detail={empty.detail}>
        {empty.main}
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
      <Figure term={texts.room(format.percent(fillToOf(status, fillTo)))}>
        {room === null ? (reading === null ? values.none : values.unknown) : format.volume(room, tank.capacity_unit)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  term: string;
  title?: string | undefined;
  detail?: string;
  /** True for a value in the color of a loss. */
  isHot?: boolean;
  children: ReactNode;
}

export function Figure({ term, title, detail = '', isHot = false, children }: FigureProps) {
  return (
    <div>
      <dt title={title}>{term}</dt>
      <dd className={isHot ? 'hot' : undefined}>{children}</dd>
      {detail !== '' && <dd className="meta">{detail}</dd>}
    </div>
  );
}
