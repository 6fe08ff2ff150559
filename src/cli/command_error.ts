/** A mistake of the operator's: its message says what to do next, and no stack trace follows. */
export class CommandError extends Error {}
