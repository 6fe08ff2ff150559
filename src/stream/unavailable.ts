/** The stream cannot be used now: it is full or missing, or nats-server cannot be reached. */
export class StreamUnavailableError extends Error {}
