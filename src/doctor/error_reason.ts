import { errorCode } from '../values/error_code.ts';

/** The error of a host name with several addresses has an empty message, so its code is used. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // `fetch` only says "fetch failed"; its cause has the reason.
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message || (errorCode(error) ?? error.name);
}
