import { expect, test } from 'vitest';
import { runAbuse } from '../../faults/abuse.ts';
import { isThorough, isWhole } from '../support/whole_tests.ts';

/** One of each kind, in turn without a proxy and behind each shipped one. */
const ALL_ATTACKS = [
  'held-sign-in-haproxy',
  'held-prefix',
  'pipelined-unread-nginx',
  'unread-answers-nginx-router',
  'held-uploads',
  'slow-static',
];
/** One of each proxy, and none. */
const SOME_ATTACKS = ['held-sign-in-haproxy', 'pipelined-unread-nginx', 'held-uploads'];
const ATTACKS = isWhole('faults/abuse') ? (isThorough() ? ALL_ATTACKS : SOME_ATTACKS) : ['held-prefix'];

test('held requests, unread answers and slow readers make nobody else fail and need no memory', async () => {
  const { checks } = await runAbuse({ isQuick: true, log: () => {}, only: ATTACKS.join(',') });
  expect(checks.filter(({ what }) => what.includes('failures of'))).toHaveLength(2 * ATTACKS.length);
  // How fast the honest requests are is for a machine that does nothing else.
  const judged = checks.filter(({ what }) => !/p99|no response within/.test(what));
  expect(judged.filter(({ ok }) => !ok)).toEqual([]);
});
