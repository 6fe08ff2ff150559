/** What was asked cannot be done, through no fault of ours: the message says what to do next, and no stack follows. */
export class UserError extends Error {}
