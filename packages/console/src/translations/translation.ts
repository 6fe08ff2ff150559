import type { en } from './en.ts';

export type Translation = typeof en;
export type Language = 'en' | 'es';

/**
 * The texts that the frame and the first page need. Each language is a file of its own, because a viewer reads one, and
 * the file is part of the first load. Texts of other pages are loaded with the page, in both languages.
 */
const FILES: Readonly<Record<Language, () => Promise<Translation>>> = {
  en: async () => (await import('./en.ts')).en,
  es: async () => (await import('./es.ts')).es,
};
const loaded = new Map<Language, Translation>();

/** Rejects if the file cannot be loaded. */
export async function loadTranslation(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, await FILES[language]());
}

/** Throws before `loadTranslation`. */
export function translationOf(language: Language): Translation {
  const translation = loaded.get(language);
  if (translation === undefined) throw new Error(`the texts of ${language} are not loaded`);
  return translation;
}
