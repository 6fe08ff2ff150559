import { estimatedLevel } from '../evaluation/pure/dips/dip_state.ts';
import type { CatalogTank, TankOwner, TankStatus } from '../status/tank_status.ts';
import { roomTo } from '../status/tank_status.ts';
import { DAY_MS } from '../values/time.ts';
import { zonedDate } from '../values/zoned_time.ts';
import type { Block, Fact, ListItem } from './layout.ts';
import { isOneDay, type MailLocale } from './locale.ts';
import type { MailWriter } from './mail_organization.ts';
import type { DeliveryPlan } from './order_texts.ts';

/** The page of a tank in the console; undefined if there is none for the reader. */
export type TankUrl = (tankId: string) => string | undefined;
export const noTankUrl: TankUrl = () => undefined;

/** A link to the page of a tank. */
export function tankLink({ tank }: Pick<TankStatus, 'tank'>, tankUrl: TankUrl, { texts }: MailWriter): Block[] {
  const url = tankUrl(tank.id);
  return url === undefined ? [] : [{ kind: 'link', label: texts.openTank, url }];
}

/** The address on one line; null if the tank has none. */
export function addressOf(tank: CatalogTank): string | null {
  const { street, street_number, district, postal_code, city, region, country } = tank;
  const join = (parts: readonly (string | null)[], separator: string): string => parts.filter(Boolean).join(separator);
  const place = [join([street, street_number], ' '), district, join([postal_code, city], ' '), region, country];
  return join(place, ', ') || null;
}

/** A map of the tank: its coordinates if they are known, or a search for its address. */
function mapUrlOf(tank: CatalogTank): string | undefined {
  const { latitude, longitude } = tank;
  if (latitude !== null && longitude !== null) {
    return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
  }
  const address = addressOf(tank);
  return address === null ? undefined : `https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`;
}

/** The address, or the coordinates of a tank without one. */
export function placeOf(tank: CatalogTank): string | null {
  const { latitude, longitude } = tank;
  return addressOf(tank) ?? (latitude === null || longitude === null ? null : `${latitude}, ${longitude}`);
}

/** A link that dials; undefined if the text is more than a number, such as "ask for Ana". */
export const phoneUrl = (phone: string): string | undefined =>
  /^\+?[\d\s().\-/]{5,}$/.test(phone) ? `tel:${phone.replace(/[^\d+]/g, '')}` : undefined;

export const withKey = (name: string, key: string | null): string => (key === null ? name : `${name} (${key})`);

/** The owner and the address of a tank, which a dispatcher needs to call and to drive. */
export function placeFacts(
  { tank, owner }: Pick<TankStatus, 'tank' | 'owner'>,
  { texts: { labels } }: MailWriter,
): Fact[] {
  const place = placeOf(tank);
  return [
    { label: labels.tank, value: withKey(tank.name, tank.custom_id) },
    { label: labels.customer, value: withKey(owner.name, owner.external_key) },
    ...(owner.phone === null ? [] : [{ label: labels.phone, value: owner.phone, url: phoneUrl(owner.phone) }]),
    ...(place === null ? [] : [{ label: labels.address, value: place, url: mapUrlOf(tank) }]),
  ];
}

/** The address and the phone number of a tank, for an item of a list. */
export function contactDetails(tank: CatalogTank, { name, phone, external_key }: TankOwner): ListItem['details'] {
  const place = placeOf(tank);
  return [
    [{ text: withKey(name, external_key) }, ...(phone === null ? [] : [{ text: phone, url: phoneUrl(phone) }])],
    ...(place === null ? [] : [[{ text: place, url: mapUrlOf(tank) }]]),
  ];
}

/** A text such as `Estimated, 31 % to 44 %; last manual reading 12 days ago.`; null for a tank with a sensor. */
export function estimatedText({ state }: TankStatus, { formats, texts }: MailWriter): string | null {
  const dips = state?.dips ?? null;
  if (dips === null) return null;
  const nowMs = Date.now();
  const { seenAtMs } = dips;
  const level = estimatedLevel(dips, nowMs);
  const range = level && { low: formats.percent(level.low), high: formats.percent(level.high) };
  return texts.estimated(range, seenAtMs === null ? null : Math.floor(Math.max(0, nowMs - seenAtMs) / DAY_MS));
}

/** The level with its threshold, and the volume. The level of a tank without a sensor is marked as estimated. */
export function levelFacts(status: TankStatus, fillPercentage: number, writer: MailWriter, isCurrent: boolean): Fact[] {
  const { formats, texts } = writer;
  const { labels } = texts;
  const { tank } = status;
  const estimated = estimatedText(status, writer);
  const { capacity, capacity_unit: unit, min_fill_alert_percentage: threshold } = tank;
  const level = texts.levelAndThreshold(formats.percent(fillPercentage), formats.percent(threshold));
  return [
    { label: isCurrent ? labels.level : labels.lastLevel, value: estimated === null ? level : `${level} ${estimated}` },
    ...(isCurrent
      ? [{ label: labels.volume, value: texts.volumeOf((fillPercentage / 100) * capacity, capacity, unit) }]
      : []),
  ];
}

/** The start of a gauge fault, the last reliable reading, and what the gauge shows now. */
export function gaugeText({ state, lastReliable, reading }: TankStatus, { formats, texts }: MailWriter): string {
  const sinceMs = state?.gauge.sinceMs ?? null;
  const since = sinceMs === null ? null : new Date(sinceMs).toISOString();
  const isSameDay = since !== null && lastReliable !== null && isOneDay(formats, since, lastReliable.created_at);
  return texts.gauge({
    since: since === null ? null : { at: isSameDay ? formats.clock(since) : formats.shortTime(since), isSameDay },
    lastReliable: lastReliable && {
      level: formats.percent(lastReliable.fill_percentage),
      at: formats.shortTime(lastReliable.created_at),
    },
    shown: reading && formats.percent(reading.fill_percentage),
    isStuck: state?.gauge.fault === 'stuck_at_limit',
  });
}

export const gaugeFacts = (status: TankStatus, writer: MailWriter): Fact[] =>
  status.lastReliable === null ? [] : [{ label: writer.texts.labels.gauge, value: gaugeText(status, writer) }];

/** A button that dials; none if the number cannot be dialed. */
export function callButton(phone: string | null, { texts }: MailWriter): Block[] {
  const url = phone === null ? undefined : phoneUrl(phone);
  return phone === null || url === undefined ? [] : [{ kind: 'button', label: texts.call(phone), url }];
}

/** The days that the content lasts, if the current level is known, and the day of the planned delivery. */
export function forecastFacts({ forecast, reason, isLow, plannedOn }: TankStatus, writer: MailWriter): Fact[] {
  const { labels, days } = writer.texts;
  const planned = plannedOn ? [{ label: labels.planned, value: writer.formats.dayToCome(plannedOn, Date.now()) }] : [];
  if (forecast === null || reason !== null) return planned;
  return [
    ...(isLow ? [] : [{ label: labels.toThreshold, value: days(forecast.daysToThreshold) }]),
    { label: labels.toEmpty, value: days(forecast.daysToEmpty) },
    ...planned,
  ];
}

/**
 * The delivery that is planned, and whether it comes before the day on which the tank may be empty. If both are on the
 * same day, the order is unknown.
 */
export function plannedDelivery(
  { plannedOn, forecast, reason }: TankStatus,
  { time_zone }: MailLocale,
  { formats }: MailWriter,
  nowMs: number,
): DeliveryPlan | null {
  if (!plannedOn) return null;
  const day = formats.dayToCome(plannedOn, nowMs);
  if (forecast === null || reason !== null) return { day, isInTime: null };
  const { earliest } = forecast.daysToEmpty;
  return { day, isInTime: earliest === null || plannedOn < zonedDate(nowMs + earliest * DAY_MS, time_zone) };
}

/** The volume that a delivery can bring; null if the current level is not known. */
export function roomOf(status: TankStatus, { formats }: MailWriter): string | null {
  const room = roomTo(status, status.tank.fill_limit_percentage);
  return room === null ? null : formats.volume(room, status.tank.capacity_unit);
}
