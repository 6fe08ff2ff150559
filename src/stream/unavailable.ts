/** The stream cannot be used now: it is full, missing or out of reach. */
export class StreamUnavailableError extends Error {}
