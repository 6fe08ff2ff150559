import type { en } from './en.ts';

export type Words = typeof en;
export type Language = 'en' | 'es';

/** Nobody reads two languages at once: each is a file of its own, 6 kB of the first load. */
const FILES: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  es: async () => (await import('./es.ts')).es,
};
const loaded = new Map<Language, Words>();

/** Rejects if the file cannot be loaded. */
export async function loadWords(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, await FILES[language]());
}

/** Throws before `loadWords`. */
export function wordsOf(language: Language): Words {
  const words = loaded.get(language);
  if (words === undefined) throw new Error(`the words of ${language} are not loaded`);
  return words;
}
