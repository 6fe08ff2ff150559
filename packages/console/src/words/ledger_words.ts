import { enLedger } from './en_ledger.ts';
import { esLedger } from './es_ledger.ts';
import type { Language } from './words.ts';

/** The texts of the page of delivery notes, which is loaded when it is opened. */
export const LEDGER_WORDS: Readonly<Record<Language, typeof enLedger>> = { en: enLedger, es: esLedger };
