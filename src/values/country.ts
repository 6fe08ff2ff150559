/** The country of the language tag; null without a region. */
export const countryOf = (language: string): string | null => /-([A-Z]{2})$/.exec(language)?.[1] ?? null;
