/** Returns the country of a language tag; null for a tag without a region. */
export const countryOf = (language: string): string | null => /-([A-Z]{2})$/.exec(language)?.[1] ?? null;
