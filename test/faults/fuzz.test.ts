import { expect, test } from 'vitest';
import { runFuzz } from '../../faults/fuzz.ts';
import { isThorough, isWhole } from '../support/whole_tests.ts';

const REQUESTS = isWhole('faults/fuzz') ? (isThorough() ? 5_000 : 2_500) : 500;

test(`${REQUESTS} random requests over every route, method and kind of caller get no 5xx and nothing of others`, async () => {
  const { checks, failed, leaked } = await runFuzz({ isQuick: true, log: () => {} }, REQUESTS);
  // A machine with much other work may be too slow for a statement, and then answers with 503.
  const errors = Array.isArray(failed) ? failed.filter((line) => !String(line).startsWith('503 ')) : failed;
  expect([errors, leaked]).toEqual([[], []]);
  expect(checks.filter(({ ok, what }) => !ok && !what.startsWith('5xx'))).toEqual([]);
});
