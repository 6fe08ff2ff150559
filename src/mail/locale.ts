import type { CapacityUnit } from '../values/capacity_unit.ts';
import { DAY_MS } from '../values/time.ts';

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The locale of the mails of an organization: a BCP 47 tag with language and region such as `es-MX`, and an IANA time zone. */
export interface MailLocale {
  language: string;
  time_zone: string;
}

/** The language of the texts. The region decides only how numbers and times are written. */
export const languageOf = (tag: string): Language => LANGUAGES.find((known) => known === tag.slice(0, 2)) ?? 'en';

/** Returns the tag in its usual spelling, such as `es-MX` for `es-mx`; undefined if Tankwatch has no texts for it. */
export function parseLanguageTag(text: string): string | undefined {
  const match = /^([a-z]{2})(?:[-_]([a-z]{2}|\d{3}))?$/i.exec(text.trim());
  const language = match?.[1]?.toLowerCase();
  const region = match?.[2]?.toUpperCase();
  if (LANGUAGES.every((known) => known !== language)) return undefined;
  if (region === undefined) return language;
  const name = region === 'ZZ' ? undefined : regionNames().of(region);
  return name === undefined ? undefined : `${language}-${region}`;
}

/** Used to check that a region exists. Intl formats `es-XX` like `es`, so a typing error would not be noticed. */
const regionNames = (): Intl.DisplayNames =>
  (regions ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }));
/** Made at the first use, because it takes 20 ms, and most processes do not need it. */
let regions: Intl.DisplayNames | undefined;

/** Formats numbers and times by the conventions of the readers of a mail. */
export interface Formats {
  language: Language;
  /** The tag for the `lang` attribute. */
  tag: string;
  /** The zone that times are in, as people call it, such as "Eastern Time". */
  zoneName: string;
  number: (value: number) => string;
  wholeNumber: (value: number) => string;
  percent: (value: number) => string;
  volume: (value: number, unit: CapacityUnit) => string;
  time: (iso: string) => string;
  /** A time without the year, for lists of recent times. */
  shortTime: (iso: string) => string;
  /** The day alone, with the year. */
  date: (iso: string) => string;
  /** The time of the day alone. */
  clock: (iso: string) => string;
  /** The day alone, without the year. */
  day: (iso: string) => string;
  /** A date to come, such as 2026-11-17: the weekday alone if it is less than five days away. */
  dayToCome: (date: string, nowMs: number) => string;
}

const UNITS: Readonly<Record<Language, Readonly<Record<CapacityUnit, string>>>> = {
  en: { liters: 'liters', gallons: 'gallons' },
  es: { liters: 'litros', gallons: 'galones' },
};

/** The locale of a language without a region, in mails and in the console. It writes 62% and not 62 %. */
const DEFAULT_LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-MX' };

/** Formats are cached, because making them takes 2 ms, and 20 ms the first time: longer than the rest of a mail. */
const cachedFormats = new Map<string, Formats>();
const MAX_CACHED_FORMATS = 50;

export function formatsFor(locale: MailLocale): Formats {
  const key = `${locale.language} ${locale.time_zone}`;
  const known = cachedFormats.get(key);
  if (known !== undefined) return known;
  if (cachedFormats.size >= MAX_CACHED_FORMATS) cachedFormats.clear();
  const formats = makeFormats(locale);
  cachedFormats.set(key, formats);
  return formats;
}

function makeFormats({ language: tag, time_zone: timeZone }: MailLocale): Formats {
  const language = languageOf(tag);
  const locale = tag === language ? DEFAULT_LOCALES[language] : tag;
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const percents = new Intl.NumberFormat(locale, { style: 'unit', unit: 'percent', maximumFractionDigits: 1 });
  const times = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const shortTimes = new Intl.DateTimeFormat(locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
  const fullDays = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' });
  const clocks = new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short' });
  const days = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'short', day: 'numeric', month: 'short' });
  // A date has no time zone, so it is formatted in UTC.
  const weekdays = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long' });
  const dates = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' });
  // Fonts of old mail programs lack the special spaces of Intl.
  const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');
  const number = (value: number): string => plain(numbers.format(value));
  // Volumes are estimates. A tenth of a liter would promise a precision that they do not have.
  const wholeNumber = (value: number): string => (value < 10 ? number(value) : plain(whole.format(value)));
  // The footer names the zone. UTC is the default and a surprise for most readers, so it is always named.
  const zone = timeZone === 'UTC' ? ' UTC' : '';
  return {
    language,
    tag,
    zoneName: zoneNameOf(locale, timeZone),
    number,
    wholeNumber,
    percent: (value) => plain(percents.format(value)),
    volume: (value, unit) => `${wholeNumber(value)} ${UNITS[language][unit]}`,
    time: (iso) => `${plain(times.format(new Date(iso)))}${zone}`,
    shortTime: (iso) => `${plain(shortTimes.format(new Date(iso)))}${zone}`,
    date: (iso) => plain(fullDays.format(new Date(iso))),
    clock: (iso) => `${plain(clocks.format(new Date(iso)))}${zone}`,
    day: (iso) => plain(days.format(new Date(iso))),
    dayToCome(date, nowMs) {
      const at = new Date(`${date}T00:00:00Z`);
      return plain((at.getTime() - nowMs < 5 * DAY_MS ? weekdays : dates).format(at));
    },
  };
}

/** Returns true if two times are on the same day of the reader. */
export const isOneDay = ({ day }: Formats, one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < 2 * DAY_MS && day(one) === day(other);

/** The name of a zone that people use. UTC keeps its name, which would otherwise be "GMT+00:00". */
const zoneNameOf = (locale: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' })
    .formatToParts()
    .find(({ type, value }) => type === 'timeZoneName' && !value.startsWith('GMT'))?.value ?? timeZone;

/** All languages of the texts, sorted by the preference of the reader's browser. */
export function languagesFor(acceptLanguage: string | undefined): Language[] {
  const weights = (acceptLanguage ?? '').split(',').map((range): [string, number] => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return [tag.slice(0, 2), weight === undefined ? 1 : Number(weight) || 0];
  });
  const weightOf = (language: Language): number =>
    Math.max(0, ...weights.filter(([tag]) => tag === language).map(([, weight]) => weight));
  return LANGUAGES.toSorted((one, other) => weightOf(other) - weightOf(one));
}

/** Several names as one text, such as "A, B y C". */
export const listOf = (tag: string, names: readonly string[]): string =>
  new Intl.ListFormat(tag, { type: 'conjunction' }).format(names);
