import type { TANK_STATUSES, TankStatus } from '@tankwatch/client';
import { fillToOf } from '../../../src/values/products.ts';
import { DAY_MS, type Format } from './format.ts';
import type { Translation } from './translations/translation.ts';

export type StatusName = (typeof TANK_STATUSES)[number];

/** The most important status, which the badge shows. The service sorts statuses by importance. */
export const badgeOf = ({ status }: TankStatus): StatusName | undefined => status[0];

/** Without an estimate, the level on a dial counts as the current level for a day. */
const isFresh = (dipAt: string | null): boolean => dipAt !== null && Date.now() - Date.parse(dipAt) < DAY_MS;

/** True if the latest reading, or the last manual reading of a tank without an estimate, must not be shown as the current level. */
export const isOutdated = ({ status, dip }: TankStatus): boolean =>
  status.includes('silent') ||
  status.includes('gauge_unreliable') ||
  (dip !== null && dip.cannot_be_told !== null && !isFresh(dip.last_at));

/** Whether the tank loses gas now. Its normal use is then not used for texts and forecasts. */
export const isLosing = ({ status }: TankStatus): boolean => status.includes('losing');

/**
 * The level to act on. A reading that waits for confirmation does not count yet: the previous level is used, as in the
 * volume, the status and the forecast. For a tank that loses gas, the latest reading is used at once, because waiting
 * would be dangerous. If the gauge is unreliable, the last reliable level is used.
 */
export function levelOf(status: TankStatus): number | null {
  const { reading, volume, tank, last_believable: believable, level_range: range } = status;
  if (range !== null) return range.likely_percentage;
  if (reading === null) return null;
  if (status.status.includes('gauge_unreliable') && believable !== null) return believable.fill_percentage;
  return reading.is_confirmed || volume.left === null || isLosing(status)
    ? reading.fill_percentage
    : Math.max(0, (100 * volume.left) / tank.capacity);
}

/** The volume of the level that `levelOf` returns. Null if the current level is not known. */
export function volumeLeft(status: TankStatus): number | null {
  const level = levelOf(status);
  if (level === null || isOutdated(status)) return null;
  const left = isLosing(status) ? null : status.volume.left;
  // The service has no volume for a level on a dial without an estimate.
  return left ?? (status.tank.capacity * level) / 100;
}

/** The text of a level that is not the current level. */
export function oldLevel(status: TankStatus, percent: string, values: Translation['values']): string {
  const isQuestioned = status.status.includes('gauge_unreliable');
  return isQuestioned && status.last_believable === null ? values.gaugeShows(percent) : values.was(percent);
}

/** The text below the level: not confirmed yet, or its age and what the gauge shows now. */
export function levelNote(status: TankStatus, { values }: Translation, format: Format): string {
  const { reading, last_believable: believable, dip } = status;
  if (dip !== null) {
    const seen = dip.last_at === null ? values.noDip : values.lastDip(format.ago(Date.now() - Date.parse(dip.last_at)));
    const { level_range: range } = status;
    if (range === null) return seen;
    return `${values.estimated(format.percent(range.low_percentage), format.percent(range.high_percentage))}; ${seen}`;
  }
  if (reading === null) return '';
  const shown = format.percent(reading.fill_percentage);
  if (status.status.includes('gauge_unreliable'))
    return believable === null ? '' : values.believed(format.date(believable.created_at), shown);
  if (reading.is_confirmed || isOutdated(status)) return '';
  return isLosing(status) ? values.notConfirmed : status.volume.left === null ? '' : values.unconfirmed(shown);
}

/** The time of the first unreliable reading. Null if the gauge is reliable. */
export function unreliableFromMs({ last_believable, gauge_unreliable_since: since }: TankStatus): number | null {
  if (since === null) return null;
  return last_believable === null ? Date.parse(since) : Date.parse(last_believable.created_at) + 1;
}

/** The volume that fits up to the fill limit of the tank. Null if the level is not known, or if the tank loses gas. */
export function roomOf(status: TankStatus, fillTo: number): number | null {
  const level = levelOf(status);
  if (level === null || isOutdated(status) || isLosing(status)) return null;
  return Math.max(0, (status.tank.capacity * (fillToOf(status, fillTo) - level)) / 100);
}

/** The fill limits of tanks, such as "80% / 95%", for the heading of a column. */
export const limitsOf = (statuses: readonly TankStatus[], fillTo: number, format: Format): string =>
  [...new Set(statuses.map((status) => fillToOf(status, fillTo)))]
    .toSorted((a, b) => a - b)
    .map(format.percent)
    .join(' / ');

/** Null if the time is not known. */
export function msUntil(at: string | null | undefined, nowMs: number): number | null {
  return at === null || at === undefined ? null : Date.parse(at) - nowMs;
}

/** True if the planned delivery comes before the tank can be empty at its normal use. */
export function isDeliveredInTime({ planned_delivery: planned, empty }: TankStatus): boolean {
  const earliest = empty?.earliest_at ?? null;
  return planned !== null && earliest !== null && Date.parse(`${planned.date}T23:59:59`) < Date.parse(earliest);
}

/** The name of a tank for a text: with its own number, because several tanks of a customer have the same name. */
export const nameOf = ({ name, custom_id }: Pick<TankStatus['tank'], 'name' | 'custom_id'>): string =>
  custom_id === null ? name : `${name} ${custom_id}`;

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
