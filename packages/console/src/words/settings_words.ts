import { enSettings } from './en_settings.ts';
import { esSettings } from './es_settings.ts';
import type { Language } from './words.ts';

/** The texts of the settings page, which is loaded when it is opened. */
export const SETTINGS_WORDS: Readonly<Record<Language, typeof enSettings>> = { en: enSettings, es: esSettings };
