import { RateLimitError } from '@tankwatch/client';

/** A colleague's import of 50,000 rows takes half a minute, and longer on a busy machine. */
const MAX_REPEATED_MS = 300_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Sends imports, their dry runs and undos one after the other, also if the page is left and opened again: the service works on
 * one file of an organization at a time, and answers 429 to a second one. What has begun is waited for, even if nobody wants
 * its answer any more. What waits is left out when its signal ends. A 429 because of a colleague's import stored nothing, and is
 * repeated when it says.
 */
export function inTurn<Result>(send: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const turn = last.then(() => repeatRefused(send, signal));
  last = turn.catch(() => {});
  return turn;
}

async function repeatRefused<Result>(send: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  const untilMs = Date.now() + MAX_REPEATED_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RateLimitError) || error.retryAfterSeconds === undefined || Date.now() > untilMs)
        throw error;
      const waitMs = Math.max(0.5, error.retryAfterSeconds) * 1_000;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
