/** The largest number of cells that the map of a fleet has. */
export const MAX_MAP_CELLS = 2_000;
/** The largest number of tanks that one request deletes with their customer. The operator's command has no limit. */
export const MAX_DELETED_TANKS = 1_000;
