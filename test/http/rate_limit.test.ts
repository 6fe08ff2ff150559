import { expect, test } from 'vitest';
import { RateLimiter } from '../../src/http/rate_limit.ts';
import { givenCaller } from '../support/caller.ts';

const NOW_MS = 1_800_000_000_000;

/** The number of requests of these callers that are allowed at the same time. */
function countAllowed(limiter: RateLimiter, callers: readonly ReturnType<typeof givenCaller>[], each: number): number {
  let allowed = 0;
  for (const caller of callers) for (let n = 0; n < each; n++) if (limiter.take(caller, NOW_MS).isAllowed) allowed++;
  return allowed;
}

const callersOf = (organizationNo: number, count: number, limits = {}) =>
  Array.from({ length: count }, (_, n) =>
    givenCaller({ organizationNo, keyNo: organizationNo * 1_000 + n, requestsPerSecond: 10, burst: 100, ...limits }),
  );

test('ten keys of an organization can use their whole bursts at the same time', () => {
  expect(countAllowed(new RateLimiter(), callersOf(1, 10), 100)).toBe(1_000);
});

test('fifty sessions of an organization may send no more than ten, and do not limit other organizations', () => {
  const limiter = new RateLimiter();
  expect(countAllowed(limiter, callersOf(1, 50), 100)).toBe(1_000);
  const [session = givenCaller({})] = callersOf(1, 50).slice(-1);
  expect(limiter.take(session, NOW_MS)).toMatchObject({ isAllowed: false, of: 'organization', resetSeconds: 1 });
  expect(limiter.take(session, NOW_MS + 1_000).isAllowed).toBe(true);
  expect(countAllowed(limiter, callersOf(2, 10), 100)).toBe(1_000);
});

test('a key with a higher limit can use it while the other keys of its organization are limited', () => {
  const limiter = new RateLimiter();
  countAllowed(limiter, callersOf(1, 50), 100);
  const fast = givenCaller({ organizationNo: 1, keyNo: 7, requestsPerSecond: 1_000, burst: 5_000 });
  expect(limiter.take(fast, NOW_MS).of).toBe('organization');
  let allowed = 0;
  for (let n = 0; n < 5_000; n++) if (limiter.take(fast, NOW_MS + 1_000).isAllowed) allowed++;
  expect(allowed).toBeGreaterThan(4_990);
});
