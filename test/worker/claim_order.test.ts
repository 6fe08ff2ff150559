import { expect } from 'vitest';
import { claimWebhookDeliveries } from '../../src/webhooks/deliveries.ts';
import { notifyEvents } from '../../src/worker/notify_events.ts';
import { givenEndpoint, givenTanked, lowFillOf, record } from '../support/events.ts';
import { test } from '../support/test.ts';

test('an endpoint with few deliveries is claimed beside an endpoint with many older ones', async ({ database }) => {
  const [busy, quiet] = [await givenTanked(database), await givenTanked(database)];
  const busyEndpoint = await givenEndpoint(database, busy.organizationNo);
  const quietEndpoint = await givenEndpoint(database, quiet.organizationNo);
  await record(database, ...Array.from({ length: 40 }, () => lowFillOf(busy)));
  await record(database, ...Array.from({ length: 3 }, () => lowFillOf(quiet)));
  const { rows } = await database.owner.query<{ no: number }>('select no from events order by no');
  await notifyEvents(
    database.worker,
    rows.map(({ no }) => no),
    { mails: false },
  );
  // The deliveries of the busy endpoint are older: by age alone, they would all be claimed first.
  await database.owner.query(
    `update webhook_deliveries set next_attempt_at = now() - make_interval(mins => case endpoint_no when $1 then 60 else 1 end)`,
    [busyEndpoint.no],
  );
  const capacity = { byEndpoint: new Map<number, number>(), perOtherEndpoint: 100, total: 10 };
  const claimed = await claimWebhookDeliveries(database.worker, capacity);
  const countOf = (endpointNo: number): number =>
    claimed.filter(({ endpoint_no }) => endpoint_no === endpointNo).length;
  expect([countOf(busyEndpoint.no), countOf(quietEndpoint.no)]).toEqual([7, 3]);
  // The next process can claim the other deliveries.
  expect((await claimWebhookDeliveries(database.worker, capacity)).length).toBe(10);
});
