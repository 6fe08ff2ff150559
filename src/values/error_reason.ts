import { errorCode } from './error_code.ts';
import { explanationOf } from './explanation.ts';

/** The message of an error, or its code, because the error of a connection to a host with several addresses has no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // `fetch` only says "fetch failed"; its cause has the reason.
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message || (errorCode(error) ?? error.name);
}

/** Splits an error into the problem and the remedy. The sentence of an explained error ends with the remedy. */
export function problemAndRemedy(error: unknown, otherwise: string): { problem: string; remedy: string } {
  const sentence = explanationOf(error)?.sentence;
  const separator = sentence?.lastIndexOf('; ') ?? -1;
  if (sentence === undefined || separator < 0) return { problem: reasonOf(error), remedy: otherwise };
  return { problem: sentence.slice(0, separator), remedy: sentence.slice(separator + 2) };
}
