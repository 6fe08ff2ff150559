// This file has no imports, because the console uses it too.
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Offsets change at whole quarters of an hour, so one lookup serves all times of the same quarter. */
const QUARTER_MS = 15 * MINUTE_MS;
const MAX_CACHED = 100_000;

interface Zone {
  format: Intl.DateTimeFormat;
  offsets: Map<number, number>;
}
/** The zones by name, about 600 at most. They are cached, because building a format takes 0.1 ms. */
const zones = new Map<string, Zone>();

/**
 * Returns the time at which a clock of the zone shows `localMs`, which is given as if it were UTC. Returns `skipped` if clocks were set
 * forward over this time, and `repeated` if clocks were set back and showed it twice.
 */
export function zonedTimeMs(localMs: number, timeZone: string): number | 'skipped' | 'repeated' {
  const offsets = new Set([localMs - DAY_MS, localMs + DAY_MS].map((atMs) => offsetMs(atMs, timeZone)));
  const matches = [...offsets]
    .map((offset) => localMs - offset)
    .filter((atMs) => atMs + offsetMs(atMs, timeZone) === localMs);
  const [only, second] = matches;
  if (only === undefined) return 'skipped';
  return second === undefined ? only : 'repeated';
}

/** The regions of the IANA database. Other names, such as US/Eastern and EST, are old links that some systems do not install. */
const REGION = /^(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//i;

/**
 * Returns the name of a time zone of the IANA database in its usual spelling; undefined for an unknown zone and for an offset such as
 * `+01:00`, which has no daylight saving time. Intl accepts the current names Asia/Kolkata, Europe/Kyiv and
 * America/Argentina/Buenos_Aires but returns their old names, so a current name is returned unchanged.
 */
export function parseTimeZone(text: string): string | undefined {
  const given = text.trim();
  if (!/^[a-z]/i.test(given)) return undefined;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
    return REGION.test(given) && known.toLowerCase() !== given.toLowerCase() ? given : known;
  } catch {
    return undefined;
  }
}

/** Returns the time by which clocks of the zone are ahead of UTC. */
export function offsetMs(atMs: number, timeZone: string): number {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    zone = { format: formatOf(timeZone), offsets: new Map() };
    zones.set(timeZone, zone);
  }
  const quarter = Math.floor(atMs / QUARTER_MS);
  const known = zone.offsets.get(quarter);
  if (known !== undefined) return known;
  if (zone.offsets.size > MAX_CACHED) zone.offsets.clear();
  const offset = readOffsetMs(quarter * QUARTER_MS, zone.format);
  zone.offsets.set(quarter, offset);
  return offset;
}

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });

/** Parses the name of the offset: GMT, GMT+02:00 or GMT-06:00, with seconds for the years before standard time. */
function readOffsetMs(atMs: number, format: Intl.DateTimeFormat): number {
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === '-' ? -size : size;
}

/** Returns the day that a calendar of the zone shows, such as `2026-11-15`. */
export const zonedDate = (atMs: number, timeZone: string): string =>
  new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 10);

/** Returns the date and time that a clock of the zone shows, such as `2026-11-15 07:00`. These texts sort by time. */
export const zonedMinute = (atMs: number, timeZone: string): string =>
  new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 16).replace('T', ' ');

/**
 * Returns when a day such as `2026-11-15` begins in the zone. If clocks are set forward at midnight, it begins when they are set; if
 * clocks are set back and show midnight twice, it begins at the first.
 */
export function zonedDayStartMs(day: string, timeZone: string): number {
  const midnightMs = Date.parse(day);
  const begins = zonedTimeMs(midnightMs, timeZone);
  return typeof begins === 'number' ? begins : midnightMs - offsetMs(midnightMs - DAY_MS, timeZone);
}
