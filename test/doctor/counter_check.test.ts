import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { checkContinuousCheck } from '../../src/doctor/continuous_check.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { checkNextTanks } from '../../src/telemetry/counter_check.ts';
import { startCounterRecheckLoop } from '../../src/worker/counter_recheck_loop.ts';
import { workerMetrics } from '../../src/worker/metrics.ts';
import { falling, givenTankNos, readingsOf } from '../support/evaluation.ts';
import { test } from '../support/test.ts';

test('the worker recounts the readings of all tanks, a few tanks at a time, and doctor reports wrong counters', async ({
  database,
}) => {
  const { worker, operator, owner } = database;
  const { nos } = await givenTankNos(database, 7);
  const ingester = new BatchIngester(database.writer);
  for (const no of nos) await ingester.ingestReadings(readingsOf(no, falling(60, 1, 3)));
  const round = async (): Promise<number[]> => {
    const totals = [0];
    let { checked_tanks } = await checkNextTanks(worker, 3);
    while (checked_tanks > 0) {
      totals.push(checked_tanks);
      ({ checked_tanks } = await checkNextTanks(worker, 3));
    }
    return totals.slice(1).map((total, index) => total - (totals[index] ?? 0));
  };
  expect(await round()).toEqual([3, 3, 1]);
  expect(await checkContinuousCheck(operator)).toEqual([]);
  // The next round begins an hour later.
  expect(await checkNextTanks(worker, 3)).toMatchObject({ isIdle: true, checked_tanks: 0 });

  await owner.query('update telemetry_month_counters set n = n + 1 where tank_no = $1', [nos[4]]);
  await owner.query(`update counter_check set ended_at = now() - interval '2 hours'`);
  expect(await round()).toEqual([3, 3, 1]);
  const [found, ...others] = await checkContinuousCheck(operator);
  expect(found?.problem).toMatch(new RegExp(`^the worker found wrong counters: tank ${nos[4]} has \\d+ readings? in `));
  expect(others).toEqual([]);

  // Two workers do not check at the same time, and doctor warns if no worker has checked for two days.
  const other = await owner.connect();
  await other.query('begin');
  await other.query('select from counter_check for update');
  expect(await checkNextTanks(worker, 3)).toMatchObject({ isIdle: true });
  await other.query('rollback');
  other.release();
  await owner.query(`update counter_check set ended_wrong = 0, checked_at = now() - interval '2 days'`);
  expect(await checkContinuousCheck(operator)).toMatchObject([
    { isWarning: true, problem: expect.stringContaining('has counted no readings again since') },
  ]);
});

test('a running worker exports the result as metrics', async ({ database }) => {
  await database.owner.query(`update counter_check set ended_at = null, last_tank_no = 0, checked_at = now()`);
  const registry = new Registry();
  const watch = startCounterRecheckLoop(database.worker, workerMetrics(registry), pino({ level: 'silent' }));
  const value = async (name: string): Promise<number | undefined> =>
    (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
  await expect.poll(() => value('tankwatch_worker_check_round_end_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
  expect(await value('tankwatch_worker_wrong_counters')).toBe(1);
  await watch.close();
});
