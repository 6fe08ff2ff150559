/** A mistake that the caller can fix. The message says how, and is shown without a stack trace. */
export class UserError extends Error {}
