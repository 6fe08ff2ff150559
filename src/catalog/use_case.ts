/** What the gas of a tank is used for. */
export const USE_CASES = ['residential', 'commercial', 'industrial'] as const;
export type UseCase = (typeof USE_CASES)[number];
