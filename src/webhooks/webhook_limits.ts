/** The largest number of webhooks of an organization, disabled ones included: lists have all of them. */
export const MAX_WEBHOOKS = 200;
/** More receivers than this are not one organization's systems. */
export const MAX_ENABLED_WEBHOOKS = 20;

/**
 * The limit of a replay over HTTP. A caller who would replay more has probably given a wrong time. Commands have no
 * limit.
 */
export const MAX_REPLAYED_EVENTS = 10_000;
/** An endpoint is disabled after failing for these days without a success. */
export const MAX_FAILING_DAYS = 5;
/** How long messages are still signed with the old secret after a rotation. */
export const OVERLAP_HOURS = { default: 24, max: 168 };
