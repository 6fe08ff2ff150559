import type { Language } from './translations/translation.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Shorter durations are written in days, because in a list "3 months" looks shorter than "97 days". */
const MONTHS_FROM_MS = 120 * DAY_MS;
const KM_PER_MILE = 1.609_344;

export type VolumeUnit = 'liters' | 'gallons';

const UNITS = { liters: 'liter', gallons: 'gallon' } as const;
const DEFAULT_LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-MX' };

/** The first preferred locale of the language, so that, for example, en-GB keeps its own date format. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  const locale = preferred.find((one) => one.toLowerCase().split('-')[0] === language);
  return locale === undefined || locale === language ? DEFAULT_LOCALES[language] : locale;
}

export type Format = ReturnType<typeof formatsOf>;

/** Numbers, dates and durations in one locale. Times are in the time zone of the browser. */
export function formatsOf(locale: string) {
  const numbers = (options: Intl.NumberFormatOptions) => {
    const format = new Intl.NumberFormat(locale, options);
    return (value: number): string => format.format(value);
  };
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options);
    return (value: string | number): string => format.format(typeof value === 'string' ? Date.parse(value) : value);
  };
  const unit = (name: string, unitDisplay: 'short' | 'long' | 'narrow' = 'short', maximumFractionDigits = 0) =>
    numbers({ style: 'unit', unit: name, unitDisplay, maximumFractionDigits });

  // Both l and L are symbols of the liter, but "93 l" could be read as 931.
  const liters = (digits: number) => {
    const written = unit(UNITS.liters, 'short', digits);
    return (value: number): string => written(value).replace(/l$/, 'L');
  };
  const whole = { liters: liters(0), gallons: unit(UNITS.gallons) };
  const exact = { liters: liters(1), gallons: unit(UNITS.gallons, 'short', 1) };
  const [seconds, minutes, hours, days] = [unit('second'), unit('minute'), unit('hour'), unit('day')];
  const bare = numbers({ maximumFractionDigits: 0 });
  const [minutesLong, hoursLong, daysLong] = [unit('minute', 'long'), unit('hour', 'long'), unit('day', 'long')];
  const [kilometers, miles] = [unit('kilometer', 'short', 1), unit('mile', 'short', 1)];
  const monthsLong = unit('month', 'long');
  const named = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const relative = {
    long: new Intl.RelativeTimeFormat(locale, { numeric: 'always' }),
    short: new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'short' }),
  };

  /** A volume below 10 has one decimal, because 3.7 L a day and 4 L a day are different uses. */
  const volume = (value: number, volumeUnit: VolumeUnit): string =>
    (Math.abs(value) < 10 ? exact : whole)[volumeUnit](value);

  const duration = (ms: number): string => {
    if (ms < HOUR_MS) return minutes(Math.max(1, Math.round(ms / MINUTE_MS)));
    return ms < 2 * DAY_MS ? hours(Math.round(ms / HOUR_MS)) : days(Math.round(ms / DAY_MS));
  };

  /** A duration in whole words, for sentences. */
  const longDuration = (ms: number): string => {
    if (ms < HOUR_MS) return minutesLong(Math.max(1, Math.round(ms / MINUTE_MS)));
    return ms < 2 * DAY_MS ? hoursLong(Math.round(ms / HOUR_MS)) : daysLong(Math.round(ms / DAY_MS));
  };

  const time = dates({ hour: 'numeric', minute: '2-digit' });
  const clockTime = dates({ hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
  const longDay = dates({ weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const dateTime = dates({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });

  return {
    locale,
    count: numbers({ maximumFractionDigits: 0 }),
    percent: unit('percent', 'short', 0),
    exactPercent: unit('percent', 'short', 1),
    kilometers,
    /** Miles where volumes are gallons. */
    distance: (km: number, volumeUnit: VolumeUnit): string =>
      volumeUnit === 'gallons' ? miles(km / KM_PER_MILE) : kilometers(km),
    meters: unit('meter'),
    volume,
    duration,
    longDuration,
    /** A duration that is still running, such as "1 min 43 sec". "1:43" would be read as a time of day. */
    stopwatch(ms: number): string {
      const passed = Math.max(0, Math.floor(ms / 1_000));
      return passed < 60 ? seconds(passed) : `${minutes(Math.floor(passed / 60))} ${seconds(passed % 60)}`;
    },
    /** The time, with the date if it is not today. In the morning, "since 10:09 PM" alone would be unclear. */
    recent: (at: string | number, nowMs: number): string => {
      const ms = typeof at === 'string' ? Date.parse(at) : at;
      return new Date(ms).toDateString() === new Date(nowMs).toDateString() ? time(ms) : dateTime(ms);
    },
    /** A duration until a time: hours below one day, then days, then months. */
    until(ms: number): string {
      if (ms < DAY_MS) return hoursLong(Math.max(1, Math.round(ms / HOUR_MS)));
      return ms < MONTHS_FROM_MS ? daysLong(Math.round(ms / DAY_MS)) : monthsLong(Math.round(ms / (30.4 * DAY_MS)));
    },
    /** The ends of a range as texts: a number, and a number with the unit. Both have the unit of `likelyMs`. */
    rangeEnds(earliestMs: number, latestMs: number, likelyMs: number): [string, string] {
      const [step, withUnit] =
        latestMs < 2 * DAY_MS || likelyMs < DAY_MS
          ? [HOUR_MS, hours]
          : likelyMs < MONTHS_FROM_MS
            ? [DAY_MS, daysLong]
            : [30.4 * DAY_MS, monthsLong];
      return [bare(Math.max(0, Math.round(earliestMs / step))), withUnit(Math.max(0, Math.round(latestMs / step)))];
    },
    days: (value: number): string => daysLong(value),
    ago(ms: number, style: 'long' | 'short' = 'long'): string {
      if (ms < HOUR_MS) return relative[style].format(-Math.max(1, Math.round(ms / MINUTE_MS)), 'minute');
      if (ms < 2 * DAY_MS) return relative[style].format(-Math.round(ms / HOUR_MS), 'hour');
      return relative[style].format(-Math.round(ms / DAY_MS), 'day');
    },
    date: dates({ day: 'numeric', month: 'short' }),
    dateWithYear: dates({ day: 'numeric', month: 'short', year: 'numeric' }),
    weekday: dates({ weekday: 'short' }),
    /** Formats a date without a time zone, such as 2026-11-17. */
    longDay: (date: string): string => longDay(`${date}T12:00:00Z`),
    /** Formats a future date without a time zone, such as 2026-11-17: today, tomorrow, or the weekday within a week. */
    dayToCome(date: string, nowMs: number): string {
      const atMs = Date.parse(`${date}T00:00:00Z`);
      const now = new Date(nowMs);
      const inDays = (atMs - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / DAY_MS;
      if (inDays === 0 || inDays === 1) return named.format(inDays, 'day');
      const rest = atMs - nowMs < 5 * DAY_MS ? {} : ({ day: 'numeric', month: 'long' } as const);
      return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long', ...rest }).format(atMs);
    },
    month: dates({ month: 'short' }),
    monthWithYear: dates({ month: 'long', year: 'numeric' }),
    time,
    /** Formats a time of day without a time zone, such as 07:00. */
    clock: (at: string): string => clockTime(`2026-01-01T${at}Z`),
    dateTime,
    fullTime: dates({ dateStyle: 'medium', timeStyle: 'short' }),
    /** Such as "American English" for en-US. */
    languageName: (code: string): string => new Intl.DisplayNames(locale, { type: 'language' }).of(code) ?? code,
    /** The name of a time zone for people, such as "Eastern Time". UTC stays "UTC" instead of "GMT+00:00". */
    zoneName: (zone: string): string =>
      new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'longGeneric' })
        .formatToParts()
        .find(({ type, value }) => type === 'timeZoneName' && !value.startsWith('GMT'))?.value ?? zone,
  };
}

/** Makes the first letter upper case, because Spanish writes weekdays in lower case. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
