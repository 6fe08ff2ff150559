import { DEFAULT_PRODUCT, PRODUCT_NOUNS, type Product } from '../../../../src/values/products.ts';
import type { en } from './en.ts';

export type Translation = ReturnType<typeof en>;
export type Language = 'en' | 'es';

/**
 * The texts that the frame and the first page need. Each language is a separate file, because a viewer needs only one
 * language at first. Texts of other pages are loaded with the page, in both languages.
 */
type Texts = (noun: string) => Translation;
const FILES: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  es: async () => (await import('./es.ts')).es,
};
const loaded = new Map<Language, Texts>();
const translations = new Map<string, Translation>();

/** Rejects if the file cannot be loaded. */
export async function loadTranslation(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, await FILES[language]());
}

/** The texts for a product. The same object is returned every time. Throws before `loadTranslation`. */
export function translationOf(language: Language, product: Product = DEFAULT_PRODUCT): Translation {
  const texts = loaded.get(language);
  if (texts === undefined) throw new Error(`the texts of ${language} are not loaded`);
  const noun = PRODUCT_NOUNS[language][product];
  const translation = translations.get(language + noun) ?? texts(noun);
  translations.set(language + noun, translation);
  return translation;
}
