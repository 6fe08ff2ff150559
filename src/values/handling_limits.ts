const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const MAX_COMMENT_LENGTH = 500;
export const MIN_HANDLED_MS = 5 * MINUTE_MS;
export const MAX_HANDLED_MS = 14 * DAY_MS;
/** For descriptions of the interface. */
export const HANDLED_TIME = `${MIN_HANDLED_MS / MINUTE_MS} minutes to ${MAX_HANDLED_MS / DAY_MS} days`;
/** The longest acknowledgement of a loss, in hours: a leak must be checked within half a shift. */
export const MAX_LOSING_HOURS = 4;
