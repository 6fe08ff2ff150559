import { RateLimitError } from '@tankwatch/client';

/** How long a request is repeated. A colleague's import of 50,000 rows takes half a minute or longer. */
const MAX_REPEATED_MS = 300_000;

let previous: Promise<unknown> = Promise.resolve();

/**
 * Sends imports, their dry runs and undos one after the other, even if the page is left and opened again, because the
 * service answers 429 to a second file of an organization. The next request waits for the response of the previous one,
 * even if nobody needs that response. A waiting request is dropped when its signal ends. After a 429 because of a
 * colleague's import, the request is repeated after the time in Retry-After.
 */
export function sendInOrder<Result>(send: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const result = previous.then(() => repeatRefused(send, signal));
  previous = result.catch(() => {});
  return result;
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
