import { expect, test } from 'vitest';
import { runAbuse } from '../../faults/abuse.ts';
import { isThorough, isWhole } from '../support/whole_tests.ts';

/** An attack of each kind, without a proxy or behind one of the shipped proxies. */
const ALL_ATTACKS = [
  'held-sign-in-haproxy',
  'held-prefix',
  'pipelined-unread-nginx',
  'unread-answers-nginx-router',
  'held-uploads',
  'slow-static',
];
/** An attack behind each proxy, and one without a proxy. */
const SOME_ATTACKS = ['held-sign-in-haproxy', 'pipelined-unread-nginx', 'held-uploads'];
const ATTACKS = isWhole('faults/abuse') ? (isThorough() ? ALL_ATTACKS : SOME_ATTACKS) : ['held-prefix'];

test('held requests, unread answers and slow readers make no honest request fail and need little memory', async () => {
  const { checks } = await runAbuse({ isQuick: true, log: () => {}, only: ATTACKS.join(',') });
  expect(checks.filter(({ what }) => what.includes('failures of'))).toHaveLength(2 * ATTACKS.length);
  // The speed of honest requests can be judged only on a machine that does nothing else.
  const judged = checks.filter(({ what }) => !/p99|no response within/.test(what));
  expect(judged.filter(({ ok }) => !ok)).toEqual([]);
});
