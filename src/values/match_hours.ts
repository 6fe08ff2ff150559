/** A delivery note and a refill are matched only if at most these hours lie between them. */
export const MAX_MATCH_HOURS = 30;
/**
 * A person can say that a note and a refill are one delivery if at most these hours lie between them, because a note may be dated a
 * day and a half before or after its refill. Functions of the database have the same constant.
 */
export const MAX_PINNED_MATCH_HOURS = 36;
