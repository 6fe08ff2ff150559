import type { TankStatus } from '@tankwatch/client';
import { DAY_MS, type Format, HOUR_MS } from './format.ts';
import { isLosing, isOutdated, msUntil } from './status.ts';
import type { Translation } from './translations/translation.ts';

/** A time as a text, with a detail. */
export interface TimeTexts {
  main: string;
  detail: string;
  isUrgent: boolean;
  /** True if `main` is a complete sentence, so that a label such as "Empty in" must not precede it. */
  isSentence?: boolean;
  /** True if the detail is a range. A phone does not show it, because the screen is too narrow. */
  hasRange?: boolean;
}

const calm = (main: string, detail = ''): TimeTexts => ({ main, detail, isUrgent: false });
const urgent = (main: string, detail = ''): TimeTexts => ({ main, detail, isUrgent: true });
const asSentence = (texts: TimeTexts): TimeTexts => ({ ...texts, isSentence: true });

/** How long the loss has lasted, up to the latest reading. */
export const lossMs = (loss: NonNullable<TankStatus['loss']>): number =>
  loss.percentage_per_hour === 0
    ? 0
    : ((loss.from_percentage - loss.to_percentage) / loss.percentage_per_hour) * HOUR_MS;

/** How fast a tank loses gas, and how much is lost up to the latest reading. */
export function lossTexts({ loss, volume, losing_seen_at }: TankStatus, words: Translation, format: Format): TimeTexts {
  const { leak } = words;
  if (loss === null)
    return asSentence(urgent(leak.losing, losing_seen_at === null ? '' : leak.seen(format.dateTime(losing_seen_at))));
  const detail = leak.lost(
    format.percent(loss.from_percentage),
    format.percent(loss.to_percentage),
    format.volume(loss.volume, volume.unit),
    format.longDuration(lossMs(loss)),
  );
  return urgent(leak.perHour(format.volume(loss.volume_per_hour, volume.unit)), detail);
}

/** When the tank reaches its threshold. A silent tank is planned by its earliest time. A leak has no such time. */
export function dueTexts(status: TankStatus, nowMs: number, words: Translation, format: Format): TimeTexts {
  const { values } = words;
  const { threshold } = status;
  if (isLosing(status)) {
    const texts = lossTexts(status, words, format);
    return texts.isSentence ? texts : asSentence({ ...texts, main: words.leak.losingRate(texts.main) });
  }
  if (status.status.includes('low') && !isOutdated(status)) {
    const lowMs = status.low_since === null ? null : nowMs - Date.parse(status.low_since);
    return asSentence(urgent(values.lowNow, lowMs === null ? '' : values.lowFor(format.duration(lowMs))));
  }
  if (status.status.includes('gauge_unreliable')) return asSentence(calm(values.notKnown));
  return expectedTexts(status, threshold, nowMs, { words, format, past: values.probablyLow });
}

/** When the tank is empty, by the rate of its loss or by its normal use. */
export function emptyTexts(status: TankStatus, nowMs: number, words: Translation, format: Format): TimeTexts {
  const { values, leak } = words;
  if (isLosing(status)) {
    const leftMs = msUntil(status.loss?.empty_at, nowMs);
    if (leftMs === null) return asSentence(urgent(values.notKnown));
    if (leftMs <= 0) return asSentence(urgent(values.emptyNow, leak.atThisRate));
    return urgent(format.longDuration(leftMs), leak.atThisRate);
  }
  if (status.status.includes('gauge_unreliable')) return asSentence(calm(values.notKnown));
  const texts = expectedTexts(status, status.empty, nowMs, { words, format, past: values.maybeEmpty });
  // The time is urgent for low tanks, because it decides which of them is filled first.
  return { ...texts, isUrgent: texts.isUrgent || status.section === 'low' };
}

interface ExpectedTextOptions {
  words: Translation;
  format: Format;
  /** The text after the time has passed: the earliest time of a tank without new readings, otherwise the likely time. */
  past: string;
}

function expectedTexts(
  status: TankStatus,
  expected: TankStatus['threshold'],
  nowMs: number,
  { words: { values }, format, past }: ExpectedTextOptions,
): TimeTexts {
  if (expected === null || isForecastTooOld(status, nowMs)) return calm(values.none);
  const likelyMs = msUntil(expected.likely_at, nowMs);
  const earliestMs = msUntil(expected.earliest_at, nowMs);
  const latestMs = msUntil(expected.latest_at, nowMs);
  if (isOutdated(status)) {
    if (earliestMs === null) return calm(values.moreThanTwoYears, values.ifUsual);
    if (earliestMs <= 0) return asSentence(urgent(past, values.ifUsual));
    const main = values.from(format.until(earliestMs));
    return { main, detail: values.ifUsual, isUrgent: earliestMs < 3 * DAY_MS };
  }
  if (likelyMs === null) return calm(values.moreThanTwoYears);
  if (likelyMs <= 0) return asSentence(urgent(past));
  const hasRange = earliestMs !== null && latestMs !== null;
  const range = hasRange ? values.range(...format.rangeEnds(earliestMs, latestMs, likelyMs)) : '';
  return { main: format.until(likelyMs), detail: range, hasRange, isUrgent: likelyMs < 3 * DAY_MS };
}

/** Joins the texts that are not empty. */
export const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join(' · ');

/** The service forecasts at most this long after a reading. */
const MAX_FORECAST_AGE_MS = 60 * DAY_MS;

const isForecastTooOld = ({ reading }: TankStatus, nowMs: number): boolean =>
  reading !== null && nowMs - Date.parse(reading.created_at) > MAX_FORECAST_AGE_MS;
