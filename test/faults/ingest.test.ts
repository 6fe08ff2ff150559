import { expect, test } from 'vitest';
import { runIngestFaults } from '../../faults/ingest.ts';
import { isThorough, isWhole } from '../support/whole_tests.ts';

/** With five kills, each process is killed once. */
const KILLS = isWhole('faults/ingest') ? (isThorough() ? 20 : 10) : 5;

test(`${KILLS} kill -9 over gateway, writers, nats-server and PostgreSQL lose and double nothing`, async () => {
  const { checks } = await runIngestFaults({ isQuick: true, log: () => {} }, KILLS);
  // How fast the stream drains can be judged only on a machine that does nothing else.
  const judged = checks.filter(({ what }) => !what.startsWith('seconds'));
  expect(judged.length).toBeGreaterThan(7);
  expect(judged.filter(({ ok }) => !ok)).toEqual([]);
});
