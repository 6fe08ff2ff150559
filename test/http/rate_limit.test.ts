import { expect, test } from 'vitest';
import { RateLimiter } from '../../src/http/rate_limit.ts';
import { givenCaller } from '../support/caller.ts';

const NOW_MS = 1_800_000_000_000;

/** How many of the requests of these callers are allowed at once. */
function countAllowed(limiter: RateLimiter, callers: readonly ReturnType<typeof givenCaller>[], each: number): number {
  let allowed = 0;
  for (const caller of callers) for (let n = 0; n < each; n++) if (limiter.take(caller, NOW_MS).isAllowed) allowed++;
  return allowed;
}

const callersOf = (organizationNo: number, count: number, limits = {}) =>
  Array.from({ length: count }, (_, n) =>
    givenCaller({ organizationNo, keyNo: organizationNo * 1_000 + n, requestsPerSecond: 10, burst: 100, ...limits }),
  );

test('ten keys of an organization have their whole burst at the same time', () => {
  expect(countAllowed(new RateLimiter(), callersOf(1, 10), 100)).toBe(1_000);
});

test('fifty sessions of an organization have no more than ten, and other organizations are not limited by it', () => {
  const limiter = new RateLimiter();
  expect(countAllowed(limiter, callersOf(1, 50), 100)).toBe(1_000);
  const [session = givenCaller({})] = callersOf(1, 50).slice(-1);
  expect(limiter.take(session, NOW_MS)).toMatchObject({ isAllowed: false, of: 'organization', resetSeconds: 1 });
  expect(limiter.take(session, NOW_MS + 1_000).isAllowed).toBe(true);
  expect(countAllowed(limiter, callersOf(2, 10), 100)).toBe(1_000);
});

test('a key that an operator gave a higher limit has it, whatever the others of its organization send', () => {
  const limiter = new RateLimiter();
  countAllowed(limiter, callersOf(1, 50), 100);
  const fast = givenCaller({ organizationNo: 1, keyNo: 7, requestsPerSecond: 1_000, burst: 5_000 });
  expect(limiter.take(fast, NOW_MS).of).toBe('organization');
  let allowed = 0;
  for (let n = 0; n < 5_000; n++) if (limiter.take(fast, NOW_MS + 1_000).isAllowed) allowed++;
  expect(allowed).toBeGreaterThan(4_990);
});
