import { errorCode } from '../values/error_code.ts';
import { explanationOf } from '../values/explanation.ts';

/** The error of a host name with several addresses has an empty message, so its code is used. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // `fetch` only says "fetch failed"; its cause has the reason.
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message || (errorCode(error) ?? error.name);
}

/** Splits an error into the problem and the remedy. The sentence of an explained error ends with the remedy. */
export function problemAndRemedy(error: unknown, otherwise: string): { problem: string; remedy: string } {
  const sentence = explanationOf(error)?.sentence;
  const at = sentence?.lastIndexOf('; ') ?? -1;
  if (sentence === undefined || at < 0) return { problem: reasonOf(error), remedy: otherwise };
  return { problem: sentence.slice(0, at), remedy: sentence.slice(at + 2) };
}
