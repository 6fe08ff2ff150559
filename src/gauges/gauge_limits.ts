/** Limits of the schema of a gauge. Commands check them too, and do not load the schema. */
export const MAX_LENGTH_MM = 100_000;
export const MAX_DENSITY_KG_M3 = 20_000;
export const MAX_TABLE_POINTS = 1_000;
/** The limit of the volumes of a table, which may have any unit, and of the numbers of a device for empty and full. */
export const MAX_NUMBER = 1e9;
