import { expect, test } from 'vitest';
import { WalHistory } from '../../src/db/wal_history.ts';

test('the lag of a replica is the age of the first position that it has not replayed', () => {
  const history = new WalHistory();
  expect(history.lagMs(100, 0)).toBe(0); // nothing is known to be missing
  history.add(100, 1_000);
  history.add(200, 2_000);
  history.add(200, 9_000); // idle
  expect(history.lagMs(200, 10_000)).toBe(0);
  expect(history.lagMs(150, 10_000)).toBe(8_000);
  expect(history.lagMs(50, 10_000)).toBe(9_000);
  history.add(300, 11_000);
  expect(history.lagMs(200, 11_500)).toBe(500);
  // The primary does not answer and so writes nothing: the lag of the replicas does not grow.
  expect(history.lagMs(300, 60_000)).toBe(0);
  expect(history.lagMs(299, 60_000)).toBe(1_000);
  expect(history.lagMs(150, 60_000)).toBe(10_000);
});

test('a position that goes back after a failover begins a new history, and positions are forgotten after ten minutes', () => {
  const history = new WalHistory();
  history.add(1_000, 0);
  history.add(500, 1_000);
  expect(history.lagMs(500, 5_000)).toBe(0);
  history.add(600, 2_000);
  history.add(700, 3_600_000);
  history.add(800, 3_600_500);
  // The newest of the old positions is kept: a replica has not replayed it yet.
  expect(history.lagMs(0, 3_600_500)).toBe(3_598_500);
});
