import { RateLimitError } from '@tankwatch/client';

/** How long a request is repeated. A colleague's import of 50,000 rows takes half a minute or longer. */
const MAX_REPEATED_MS = 300_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Sends imports, their dry runs and undos one after the other, even if the page is left and opened again, because the
 * service answers 429 to a second file of an organization. A request that was sent is waited for, even if its response
 * is not needed any more. A request that still waits is dropped when its signal ends. After a 429 because of a
 * colleague's import, the request is repeated after the time in Retry-After.
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
