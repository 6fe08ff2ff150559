import type { Round, Unit } from './round.ts';
import { type DriverWords, enDriver } from './words/en_driver.ts';
import { esDriver } from './words/es_driver.ts';

export type Language = 'en' | 'es';
export const DRIVER_WORDS: Readonly<Record<Language, DriverWords>> = { en: enDriver, es: esDriver };

const LANGUAGE_KEY = 'tankwatch.driver.language';

const languageOf = (tag: string): Language => (tag.toLowerCase().startsWith('es') ? 'es' : 'en');

/** The language that the driver chose, otherwise the language of the phone. */
export function readLanguage(): Language {
  const chosen = localStorage.getItem(LANGUAGE_KEY);
  return languageOf(chosen ?? navigator.language);
}

export const chooseLanguage = (language: Language): void => localStorage.setItem(LANGUAGE_KEY, language);

export interface Formats {
  tag: string;
  count: (value: number) => string;
  percent: (value: number) => string;
  volume: (value: number, unit: Unit) => string;
  day: (date: string) => string;
  /** A time in the time zone of the organization, because the phone may have another one. */
  time: (iso: string) => string;
  date: (iso: string) => string;
  dayAndTime: (iso: string) => string;
}

/** Uses the region of the organization, or of the phone, whichever has this language first. */
export function formatsOf(language: Language, round: Round | null): Formats {
  const tags = [round?.language ?? '', navigator.language].filter((tag) => tag.includes('-'));
  const tag = tags.find((one) => languageOf(one) === language) ?? (language === 'es' ? 'es-MX' : 'en-US');
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options);
  const volumes = (maximumFractionDigits: number) => ({
    liters: number({ style: 'unit', unit: 'liter', maximumFractionDigits }),
    gallons: number({ style: 'unit', unit: 'gallon', maximumFractionDigits }),
  });
  // A volume below 10 has one decimal, as in the console.
  const [whole, exact] = [volumes(0), volumes(1)];
  const count = number({ maximumFractionDigits: 0 });
  const percent = number({ style: 'unit', unit: 'percent', maximumFractionDigits: 0 });
  const date = (options: Intl.DateTimeFormatOptions, timeZone = round?.timeZone) =>
    new Intl.DateTimeFormat(tag, { ...options, ...(timeZone === undefined ? {} : { timeZone }) });
  const day = date({ weekday: 'short', day: 'numeric', month: 'long' }, 'UTC');
  const time = date({ hour: 'numeric', minute: '2-digit' });
  const dayAndMonth = date({ day: 'numeric', month: 'short' });
  const dayAndTime = date({ weekday: 'long', hour: 'numeric', minute: '2-digit' });
  return {
    tag,
    count: (value) => count.format(value),
    percent: (value) => percent.format(value),
    volume: (value, unit) => (Math.abs(value) < 10 ? exact : whole)[unit].format(value),
    day: (iso) => day.format(Date.parse(`${iso}T00:00:00Z`)),
    time: (iso) => time.format(Date.parse(iso)),
    date: (iso) => dayAndMonth.format(Date.parse(iso)),
    dayAndTime: (iso) => dayAndTime.format(Date.parse(iso)),
  };
}
