import { en } from './en.ts';
import { es } from './es.ts';

export type Words = typeof en;
export type Language = 'en' | 'es';

export const WORDS: Readonly<Record<Language, Words>> = { en, es };
