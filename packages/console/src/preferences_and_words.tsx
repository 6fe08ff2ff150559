import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Product } from '../../../src/values/products.ts';
import { type Format, formatsOf, localeOf } from './format.ts';
import { type Language, loadTranslation, type Translation, translationOf } from './translations/translation.ts';

export type Theme = 'auto' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];
export const LANGUAGES: readonly { code: Language; name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'es', name: 'Español' },
];

/** How the viewer wants to see the console. The browser stores the preferences; they contain no secret. */
interface Preferences {
  language: Language | null;
  theme: Theme;
  /** The level to which a truck fills a tank. 80 % is the practice for propane. Other products have their own limits. */
  fillTo: number;
  /** In percent. A tank must be on a round if its chance of being empty before the next visit is higher. */
  mustAbove: number;
}

interface PreferencesContext extends Omit<Preferences, 'language'> {
  language: Language;
  words: Translation;
  format: Format;
  change: (values: Partial<Preferences>) => void;
  /** Sets the language and region of the organization, and the stored language of the person, when they are known. */
  setStoredLanguages: (organization: string, person: string | null) => void;
}

const KEY = 'tankwatch.preferences';
const DEFAULTS: Preferences = { language: null, theme: 'auto', fillTo: 80, mustAbove: 5 };
const Context = createContext<PreferencesContext | null>(null);

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [preferences, setPreferences] = useState(readPreferences);
  const [stored, setStored] = useState({ organization: '', person: '' });
  const preferred = [stored.organization, ...navigator.languages];
  const wanted = preferences.language ?? firstKnown([stored.person, ...navigator.languages, stored.organization]);
  /** The language whose translation is loaded. */
  const [language, setLanguage] = useState(wanted);
  const locale = localeOf(language, preferred);
  const setStoredLanguages = useCallback(
    (organization: string, person: string | null) => setStored({ organization, person: person ?? '' }),
    [],
  );
  const { theme } = preferences;

  useEffect(() => {
    let isOver = false;
    // If the translation cannot be loaded, the page keeps its language.
    void loadTranslation(wanted).then(
      () => !isOver && setLanguage(wanted),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [wanted]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => applyTheme(theme), [theme]);

  useEffect(() => {
    // Before printing, canvases are drawn again in the colors for paper.
    const before = (): void => flushSync(() => applyTheme('light'));
    const after = (): void => flushSync(() => applyTheme(theme));
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [theme]);

  const value = useMemo<PreferencesContext>(
    () => ({
      ...preferences,
      language,
      words: translationOf(language),
      format: formatsOf(locale),
      setStoredLanguages,
      change(values) {
        const next = { ...preferences, ...values };
        localStorage.setItem(KEY, JSON.stringify(next));
        setPreferences(next);
      },
    }),
    [preferences, language, locale, setStoredLanguages],
  );
  return <Context value={value}>{children}</Context>;
}

function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  window.dispatchEvent(new Event('themechange'));
}

export function usePreferences(): PreferencesContext {
  const value = use(Context);
  if (value === null) throw new Error('PreferencesProvider is missing');
  return value;
}

/** Makes the texts of its children name this product. Without a product, the texts do not change. */
export function ProductWords({ product, children }: { product: Product | undefined; children: ReactNode }) {
  const outer = usePreferences();
  const words = product === undefined ? outer.words : translationOf(outer.language, product);
  const value = useMemo(() => ({ ...outer, words }), [outer, words]);
  return <Context value={value}>{children}</Context>;
}

/** The texts about one tank. */
export const useWordsOf = ({ product }: { product: Product }): Translation =>
  translationOf(usePreferences().language, product);

export const useTranslation = (): Translation => usePreferences().words;
/** The texts of a page in the language of the viewer. */
export const useTexts = <Texts,>(texts: Readonly<Record<Language, Texts>>): Texts => texts[usePreferences().language];
export const useFormat = (): Format => usePreferences().format;

/** Loads the translation that the first page needs. */
export const loadFirstTranslation = (): Promise<void> =>
  loadTranslation(readPreferences().language ?? firstKnown(navigator.languages));

function firstKnown(preferred: readonly string[]): Language {
  const codes = preferred.map((one) => one.toLowerCase().split('-')[0]);
  return LANGUAGES.find(({ code }) => code === codes.find((one) => one === 'en' || one === 'es'))?.code ?? 'en';
}

function readPreferences(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return DEFAULTS;
    const language = 'language' in stored ? LANGUAGES.find(({ code }) => code === stored.language)?.code : undefined;
    const theme = 'theme' in stored ? THEMES.find((one) => one === stored.theme) : undefined;
    const fillTo = 'fillTo' in stored && typeof stored.fillTo === 'number' ? stored.fillTo : DEFAULTS.fillTo;
    const given = 'mustAbove' in stored ? Number(stored.mustAbove) : DEFAULTS.mustAbove;
    const mustAbove = given >= 0 && given <= 100 ? given : DEFAULTS.mustAbove;
    return { language: language ?? null, theme: theme ?? 'auto', fillTo: clampFillTo(fillTo), mustAbove };
  } catch {
    return DEFAULTS; // storage is blocked, or holds something else
  }
}

export const clampFillTo = (value: number): number => Math.min(100, Math.max(1, Math.round(value) || DEFAULTS.fillTo));
