import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { answering, hanging, idsOf } from '../../engines/webhook_receiver.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, spawnWorker } from '../support/events.ts';
import { type TestDatabase, test } from '../support/test.ts';

test('after a database outage during a delivery, the worker continues, and has logged the start and the end of the outage once', async () => {
  const { postgres, owner, urls, stop } = await startDatabase();
  onTestFinished(stop);
  const database = { owner, operator: owner, writer: owner, urls } as unknown as TestDatabase;
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo, hanging);
  const worker = spawnWorker(database, {}, 'pipe');
  let log = '';
  worker.stdout?.on('data', (text: Buffer) => (log += text.toString()));
  const [first] = await record(database, lowFillOf(fleet));
  await expect.poll(() => idsOf(endpoint.receiver.received)).toEqual([first]);

  await postgres.kill();
  endpoint.receiver.answer = answering(204);
  endpoint.receiver.release();
  const countInLog = (text: string): number => log.split(text).length - 1;
  const activity = 'reading jobs of notifications';
  await expect.poll(() => countInLog('where PostgreSQL should be')).toBe(1);
  await expect.poll(() => countInLog(`${activity} failed`)).toBe(1);
  await postgres.restart();
  const [second] = await record(database, lowFillOf(fleet));
  await expect.poll(() => new Set(idsOf(endpoint.receiver.received.slice(1)))).toEqual(new Set([first, second]));
  await expect.poll(() => countInLog(`${activity} works again`)).toBe(1);
  // The part that is the last to work again logs the end of the common cause.
  await expect.poll(() => /"(?!reading jobs of notifications)[^"]+ works again"/.test(log)).toBe(true);
  expect([countInLog(`${activity} failed`), countInLog('where PostgreSQL should be')]).toEqual([1, 1]);
  expect(worker.exitCode).toBeNull();
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
});
