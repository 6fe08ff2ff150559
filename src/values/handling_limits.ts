export const MAX_COMMENT_LENGTH = 500;
export const MIN_HANDLED_MINUTES = 5;
export const MAX_HANDLED_DAYS = 14;
/** The longest acknowledgement of a loss in hours: a leak must be checked within half a shift. */
export const MAX_LOSING_HOURS = 4;
/** The text of these limits in descriptions of the interface. */
export const HANDLED_TIME = `${MIN_HANDLED_MINUTES} minutes to ${MAX_HANDLED_DAYS} days`;
