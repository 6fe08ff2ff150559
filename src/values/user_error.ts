/** An error that the caller can fix. The message says how, and is shown without a stack trace. */
export class UserError extends Error {
  /** A sentence about the options of a command. Only the command line prints it, after the message. */
  readonly advice: string | undefined;

  constructor(message: string, { advice, ...options }: ErrorOptions & { advice?: string } = {}) {
    super(message, options);
    this.advice = advice;
  }
}
