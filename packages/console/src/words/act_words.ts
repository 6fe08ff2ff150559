import { enAct } from './en_act.ts';
import { esAct } from './es_act.ts';
import type { Language } from './words.ts';

export type ActWords = typeof enAct;

export const ACT_WORDS: Readonly<Record<Language, ActWords>> = { en: enAct, es: esAct };
