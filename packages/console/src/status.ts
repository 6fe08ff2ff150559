import type { TANK_STATUSES, TankStatus } from '@tankwatch/client';
import { DAY_MS, type Format } from './format.ts';
import type { Words } from './words/words.ts';

export type StatusName = (typeof TANK_STATUSES)[number];

/** The status of the one badge: the service sorts by importance. */
export const badgeOf = ({ status }: TankStatus): StatusName | undefined => status[0];

/** The latest reading must not pass for the current level. */
export const isOutdated = ({ status }: TankStatus): boolean =>
  status.includes('silent') || status.includes('gauge_unreliable');

/**
 * The level to act on. A reading that waits for confirmation is not believed yet: until then the level before it counts,
 * as in the volume, the status and the forecast.
 */
export function levelOf({ reading, volume, tank }: TankStatus): number | null {
  if (reading === null) return null;
  return reading.is_confirmed || volume.left === null
    ? reading.fill_percentage
    : Math.max(0, (100 * volume.left) / tank.capacity);
}

/** How an outdated level is shown: what the device last sent was the level, or it is only what the gauge shows. */
export const oldLevel = ({ status }: TankStatus, percent: string, values: Words['values']): string =>
  status.includes('gauge_unreliable') ? values.gaugeShows(percent) : values.was(percent);

/** The level of a reading that waits for confirmation. */
export const unconfirmedLevel = ({ reading, volume }: TankStatus): number | null =>
  reading === null || reading.is_confirmed || volume.left === null ? null : reading.fill_percentage;

/** The volume that fits up to `fillTo` percent. Null: the current level is not known. */
export function roomOf(status: TankStatus, fillTo: number): number | null {
  const level = levelOf(status);
  if (level === null || isOutdated(status)) return null;
  return Math.max(0, (status.tank.capacity * (fillTo - level)) / 100);
}

export interface DueTexts {
  main: string;
  detail: string;
  isUrgent: boolean;
}

/** When the tank reaches its threshold, in words. A silent tank is planned by its earliest time. */
export function dueTexts(status: TankStatus, nowMs: number, words: Words, format: Format): DueTexts {
  const { values } = words;
  const { threshold } = status;
  if (status.status.includes('low') && !isOutdated(status)) {
    const detail =
      status.low_since === null ? '' : values.lowFor(format.duration(nowMs - Date.parse(status.low_since)));
    return { main: values.now, detail, isUrgent: true };
  }
  if (threshold === null || isForgotten(status, nowMs)) return { main: values.none, detail: '', isUrgent: false };
  const likelyMs = msUntil(threshold.likely_at, nowMs);
  const earliestMs = msUntil(threshold.earliest_at, nowMs);
  const latestMs = msUntil(threshold.latest_at, nowMs);
  if (isOutdated(status)) {
    if (earliestMs === null) return { main: values.moreThanTwoYears, detail: values.ifUsual, isUrgent: false };
    if (earliestMs <= 0) return { main: values.probablyLow, detail: values.ifUsual, isUrgent: true };
    const main = values.approximately(format.until(earliestMs));
    return { main, detail: values.ifUsual, isUrgent: earliestMs < 3 * DAY_MS };
  }
  if (likelyMs === null) return { main: values.moreThanTwoYears, detail: '', isUrgent: false };
  if (status.status.includes('losing'))
    return { main: values.approximately(format.until(likelyMs)), detail: values.ifUsual, isUrgent: true };
  if (likelyMs <= 0) return { main: values.now, detail: '', isUrgent: true };
  const hasRange = earliestMs !== null && latestMs !== null;
  const range = hasRange ? values.range(...format.rangeEnds(earliestMs, latestMs)) : '';
  return { main: format.until(likelyMs), detail: range, isUrgent: likelyMs < 3 * DAY_MS };
}

/** Nothing is foreseen further than this from a reading, as in the service. */
const MOST_FORESEEN_MS = 60 * DAY_MS;

const isForgotten = ({ reading }: TankStatus, nowMs: number): boolean =>
  reading !== null && nowMs - Date.parse(reading.created_at) > MOST_FORESEEN_MS;

/** The first to be due first. */
export const sortedByDue = (rows: readonly TankStatus[]): TankStatus[] =>
  rows.toSorted((a, b) => (a.due_at ?? LAST).localeCompare(b.due_at ?? LAST));
const LAST = '~'; // sorts after every time

/** Null: the time is not known. */
export function msUntil(at: string | null | undefined, nowMs: number): number | null {
  return at === null || at === undefined ? null : Date.parse(at) - nowMs;
}

export function placeOf({ tank }: TankStatus): string {
  return [tank.location.city, tank.location.district].filter((part) => part !== null).join(', ');
}

export function addressOf({ tank }: TankStatus): string {
  const { street, street_number, district, postal_code, city } = tank.location;
  const parts = [[street, street_number], [district], [postal_code, city]];
  return parts
    .map((part) => part.filter((one) => one !== null).join(' '))
    .filter((part) => part !== '')
    .join(', ');
}
