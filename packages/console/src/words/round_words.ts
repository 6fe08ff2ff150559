import { usePreferences } from '../preferences.tsx';
import { enRound, type RoundWords } from './en_round.ts';
import { esRound } from './es_round.ts';
import type { Language } from './words.ts';

export const ROUND_WORDS: Readonly<Record<Language, RoundWords>> = { en: enRound, es: esRound };

export const useRoundWords = (): RoundWords => ROUND_WORDS[usePreferences().language];
