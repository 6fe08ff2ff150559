import type { TankStatus } from '@tankwatch/client';
import type { Format } from '../format.ts';
import { isLosing, isOutdated, msUntil } from '../status.ts';
import { dueTexts, emptyTexts, type TimeTexts } from '../time_texts.ts';
import type { Translation } from '../translations/translation.ts';

interface TimeLeft {
  /** The label of the time. Empty if `main` is a sentence that needs none. */
  label: string;
  main: string;
  detail: string;
}

const withLabel = (label: string, { main, detail, isSentence = false }: TimeTexts): TimeLeft => ({
  label: isSentence ? '' : label,
  main,
  detail,
});

/** How long the content lasts. While a tank loses gas, only the rate of the loss is used, not the normal use. */
export function timeLeft(status: TankStatus, nowMs: number, words: Translation, format: Format): TimeLeft {
  if (!isLosing(status)) {
    // A low tank has already reached its threshold, so the time until it is empty matters.
    return status.status.includes('low') && !isOutdated(status)
      ? withLabel(words.map.emptyIn, emptyTexts(status, nowMs, words, format))
      : withLabel(words.fleet.columns.threshold, dueTexts(status, nowMs, words, format));
  }
  const emptyMs = msUntil(status.loss?.empty_at, nowMs);
  const isAhead = emptyMs !== null && emptyMs > 0;
  return {
    label: isAhead ? words.map.emptyIn : '',
    main: isAhead ? format.until(emptyMs) : emptyMs === null ? words.leak.losing : words.values.emptyNow,
    detail:
      status.loss === null ? '' : words.map.perHour(format.volume(status.loss.volume_per_hour, status.volume.unit)),
  };
}
