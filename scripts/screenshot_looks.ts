/** How a page is looked at. */
export interface Look {
  width: keyof typeof WIDTHS;
  language: 'en' | 'es';
  theme: 'light' | 'dark';
}

export const WIDTHS = { desk: 1_440, tablet: 1_024, phone: 390 } as const;
export const LANGUAGES = ['en', 'es'] as const;

const look = (width: Look['width'], language: Look['language'], theme: Look['theme']): Look => ({
  width,
  language,
  theme,
});

/** Every pair of a width, a language and a theme, in 6 pictures instead of 12: a fault needs hardly ever all three. */
export const ALL_PAIRS: readonly Look[] = [
  look('desk', 'en', 'light'),
  look('tablet', 'en', 'dark'),
  look('phone', 'en', 'light'),
  look('desk', 'es', 'dark'),
  look('tablet', 'es', 'light'),
  look('phone', 'es', 'dark'),
];

/** For states of a page that ALL_PAIRS has shown. */
export const FOUR: readonly Look[] = [
  look('desk', 'en', 'light'),
  look('phone', 'en', 'dark'),
  look('desk', 'es', 'dark'),
  look('phone', 'es', 'light'),
];

/** For pages that know one theme. */
export const LIGHT: readonly Look[] = FOUR.map((one) => ({ ...one, theme: 'light' }));

/** As the printer gets it. */
export const PAPER: readonly Look[] = [look('desk', 'en', 'light'), look('desk', 'es', 'dark')];
