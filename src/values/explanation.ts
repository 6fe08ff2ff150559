import { UserError } from './user_error.ts';

/** What an error means to the operator who can end it. */
export interface Explanation {
  /** The cause, with host, port and setting, and what to do. */
  sentence: string;
  /** The same for everything that fails for the same reason, so that it is said once. */
  cause: string;
}

const explanations = new WeakMap<Error, Explanation>();

/**
 * Notes what the error means, where the address and its setting are known. The error stays as it is, because others decide
 * by its type and code.
 */
export function explainError<T>(error: T, explanation: Explanation | undefined): T {
  if (error instanceof Error && explanation !== undefined) explanations.set(error, explanation);
  return error;
}

/** Undefined: the error may be a bug, and is shown with its stack trace. */
export function explanationOf(error: unknown): Explanation | undefined {
  if (!(error instanceof Error)) return undefined;
  const found = explanations.get(error) ?? explanationOf(error.cause);
  if (found !== undefined || !(error instanceof UserError)) return found;
  return { sentence: error.message, cause: error.message };
}
