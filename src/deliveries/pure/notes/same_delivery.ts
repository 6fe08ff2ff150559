/** A note and a refill that are farther apart are one delivery only if a person says so. */
export const MAX_HOURS_APART = 30;
/**
 * A note may be dated up to a day and a half before or after its refill: within this time, a person can say that they are one
 * delivery. Functions of the database have the same constant.
 */
export const SAME_DELIVERY_HOURS = 36;
