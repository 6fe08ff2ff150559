import type { TankStatus } from '@tankwatch/client';
import type { Format } from '../format.ts';
import { msUntil } from '../status.ts';
import { dueTexts, emptyTexts } from '../time_texts.ts';
import type { Words } from '../words/words.ts';

interface TimeLeft {
  /** What ends after this time. */
  label: string;
  main: string;
  detail: string;
}

/** How long the gas lasts. While a tank is losing gas, only the rate of the loss counts, never its usual use. */
export function timeLeft(status: TankStatus, nowMs: number, words: Words, format: Format): TimeLeft {
  // A low tank has reached its threshold: what decides is when it is empty.
  if (status.section === 'low') return { label: words.map.emptyIn, ...emptyTexts(status, nowMs, words, format) };
  if (!status.status.includes('losing'))
    return { label: words.fleet.columns.threshold, ...dueTexts(status, nowMs, words, format) };
  const emptyMs = msUntil(status.loss?.empty_at, nowMs);
  return {
    label: words.map.emptyIn,
    main: emptyMs === null ? words.values.unknown : format.until(Math.max(0, emptyMs)),
    detail:
      status.loss === null ? '' : words.map.perHour(format.volume(status.loss.volume_per_hour, status.volume.unit)),
  };
}
