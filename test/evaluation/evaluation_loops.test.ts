import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, onTestFinished, vi } from 'vitest';
import { updateTank } from '../../src/catalog/tanks.ts';
import { openPool, transaction } from '../../src/db/pool.ts';
import { EvaluationFailureReport } from '../../src/evaluation/evaluation_failures.ts';
import { runEvaluationLoops } from '../../src/evaluation/evaluation_loops.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { writerMetrics } from '../../src/writer/metrics.ts';
import { falling, givenTankNos, readingsOf } from '../support/evaluation.ts';
import { test } from '../support/test.ts';

test('while a tank with an expired timer is postponed, the timer loop pauses between its polls', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenTankNos(database, 1);
  const [tankNo = 0] = nos;
  const silent = falling(80, 0.5, 4).map(([atMs, fill]) => [atMs - 48 * HOUR_MS, fill] as const);
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tankNo, silent));
  // The changed settings must be applied before the timer fires, and the re-evaluation that applies them waits for a retry.
  await transaction(database.operator, (tx) =>
    updateTank(tx, organizationNo, tankNo, { min_fill_alert_percentage: 90 }),
  );
  await database.owner.query(
    `update reevaluations set next_attempt_at = now() + interval '1 hour' where tank_no = $1`,
    [tankNo],
  );

  const pool = openPool({ url: database.urls.writer, applicationName: 'tests loops', maxConnections: 4 });
  onTestFinished(() => pool.end());
  const statements = vi.spyOn(pool, 'query');
  const countPolls = (part: string): number => statements.mock.calls.filter(([text]) => text.includes(part)).length;
  const logger = pino({ level: 'silent' });
  const metrics = writerMetrics(new Registry());
  const closing = new AbortController();
  const loops = runEvaluationLoops({
    pool,
    storedUpToMs: () => Date.now(),
    closing: closing.signal,
    logger,
    metrics,
    failures: new EvaluationFailureReport(logger, metrics),
    firstTimersAfterMs: 0,
  });
  // The two loops for re-evaluations poll every 0.5 s, the timer loop every 5 s.
  const countReevaluationPolls = (): number => countPolls('from reevaluations');
  await expect.poll(countReevaluationPolls).toBeGreaterThan(8);
  closing.abort();
  await loops;
  expect(countPolls('order by timer_at')).toBeGreaterThan(0);
  expect(countPolls('order by timer_at')).toBeLessThan(countReevaluationPolls());
  expect((await metrics.evaluatedTimers.get()).values).toEqual([{ value: 0, labels: {} }]);
});
