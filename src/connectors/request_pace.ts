import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../values/time.ts';
import type { JsonSource } from './json_source.ts';

export interface PaceOptions {
  /** The time between two requests is multiplied by this. */
  slowness?: number;
  signal?: AbortSignal;
  /** Called before each request. Throws if the request must not be sent. */
  check?: () => void;
}

/**
 * Returns a function that waits before each request to a source, even before the first one, because another process may have asked
 * the source just before.
 */
export function requestPace(
  { requestsPerMinute }: Pick<JsonSource, 'requestsPerMinute'>,
  { slowness = 1, signal, check = () => {} }: PaceOptions = {},
): () => Promise<void> {
  const gapMs = (MINUTE_MS / requestsPerMinute) * slowness;
  let nextAtMs = performance.now() + gapMs;
  return async () => {
    const waitMs = nextAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal?.throwIfAborted();
    check();
    nextAtMs = performance.now() + gapMs;
  };
}
