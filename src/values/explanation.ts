import { UserError } from './user_error.ts';

/** The meaning of an error, for the operator who can fix it. */
export interface Explanation {
  /** The cause, with host, port and setting, and what to do. */
  sentence: string;
  /** The key of the cause. Failures with the same cause are logged once. */
  cause: string;
}

const explanations = new WeakMap<Error, Explanation>();

/**
 * Adds an explanation to an error. Code that knows the address and its setting calls this. The error itself does not change, because
 * callers use its type and code.
 */
export function explainError<T>(error: T, explanation: Explanation | undefined): T {
  if (error instanceof Error && explanation !== undefined) explanations.set(error, explanation);
  return error;
}

/** Returns the explanation of an error; undefined for an error that may be a bug, which is shown with its stack trace. */
export function explanationOf(error: unknown): Explanation | undefined {
  if (!(error instanceof Error)) return undefined;
  const found = explanations.get(error) ?? explanationOf(error.cause);
  if (found !== undefined || !(error instanceof UserError)) return found;
  return { sentence: error.message, cause: error.message };
}
