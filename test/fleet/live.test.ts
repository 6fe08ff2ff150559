import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestApi, test } from '../support/test.ts';

const UNKNOWN = '01989f2e-0000-7000-8000-000000000000';

/** Collects the events of a stream. */
async function openStream(api: TestApi, key: string, ids: string, signal?: AbortSignal) {
  const headers = { 'x-api-key': key };
  const response = await fetch(`${api.url}/fleet/v1/live?tanks=${ids}`, { headers, signal: signal ?? null });
  const received = { text: '', isEnded: false };
  const done = (async () => {
    for await (const chunk of response.body ?? []) received.text += Buffer.from(chunk).toString();
    received.isEnded = true;
  })();
  return { response, received, done };
}

test('a stream names the watched tanks that change, and no others; it ends when its key is revoked', async ({
  database,
  api,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo);
  const [one, two, three] = await givenTanks(database.operator, organizationNo, customer.no, [{}, {}, {}]);
  const otherNo = await givenOrganization(database.operator);
  const other = await givenCustomer(database.operator, otherNo);
  const [foreign] = await givenTanks(database.operator, otherNo, other.no, [{}]);
  if (!one || !two || !three || !foreign) throw new Error('tanks are missing');
  const key = await givenKey(database.operator, { organizationNo });
  const { response, received, done } = await openStream(api, key.text, [one.id, two.id, foreign.id].join());
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await expect.poll(() => received.text).toContain('event: ready\ndata: {"tanks":2}');

  const ingest = (tankNo: number) =>
    new BatchIngester(database.writer).ingestReadings([{ tankNo, atMs: Date.now(), fillPercentage: 50 }]);
  await expect
    .poll(
      async () => {
        for (const { no } of [one, three, foreign]) await ingest(no);
        return received.text;
      },
      { interval: 500 },
    )
    .toContain(`event: changed\ndata: {"ids":["${one.id}"]}`);
  for (const { id } of [two, three, foreign]) expect(received.text).not.toContain(id);

  await transaction(database.operator, (tx) => revokeKey(tx, key.prefix));
  await done;
  expect(received.isEnded).toBe(true);
});

test('a key has at most 20 streams', async ({ database, api }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { text } = await givenKey(database.operator, { organizationNo });
  const leave = new AbortController();
  const streams = await Promise.all(Array.from({ length: 21 }, () => openStream(api, text, UNKNOWN, leave.signal)));
  const statuses = streams.map(({ response }) => response.status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  leave.abort();
  await Promise.allSettled(streams.map(({ done }) => done));
  await expect
    .poll(async () => {
      const again = new AbortController();
      const { response, done } = await openStream(api, text, UNKNOWN, again.signal);
      again.abort();
      await done.catch(() => {});
      return response.status;
    })
    .toBe(200);
});
