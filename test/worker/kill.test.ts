import { once } from 'node:events';
import { expect } from 'vitest';
import { listDeliveries } from '../../src/webhooks/endpoints.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, spawnWorker } from '../support/events.ts';
import { givenTank } from '../support/fleet.ts';
import { answering, hanging, idsOf } from '../support/receiver.ts';
import { test } from '../support/test.ts';

test('a worker killed -9 in mid-delivery: another one delivers every event, under the same id', {
  timeout: 60_000,
}, async ({ database }) => {
  const fleet = await givenTanked(database);
  const other = await givenTank(database.operator, fleet.organizationNo, fleet.customer.no);
  const endpoint = await givenEndpoint(database, fleet.organizationNo, hanging);
  const victim = spawnWorker(database);
  const ids = await record(database, lowFillOf(fleet), lowFillOf({ ...fleet, tank: other }), lowFillOf(fleet));
  await expect.poll(() => endpoint.receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const inFlight = idsOf(endpoint.receiver.received)[0];
  victim.kill('SIGKILL');
  await once(victim, 'exit');

  endpoint.receiver.answer = answering(204);
  endpoint.receiver.received.length = 0;
  const startedAtMs = Date.now();
  const survivor = spawnWorker(database);
  await expect.poll(() => idsOf(endpoint.receiver.received).toSorted(), { timeout: 40_000 }).toEqual(ids.toSorted());
  expect(idsOf(endpoint.receiver.received)).toContain(inFlight);
  expect(Date.now() - startedAtMs).toBeLessThan(30_000);
  await expect
    .poll(async () => (await listDeliveries(database.operator, endpoint.no, 100)).map(({ state }) => state), {
      timeout: 10_000,
    })
    .toEqual(['delivered', 'delivered', 'delivered']);

  survivor.kill('SIGTERM');
  expect(await once(survivor, 'exit')).toEqual([0, null]);
});
