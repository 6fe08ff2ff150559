import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { within } from '../support/stopwatch.ts';
import { type TestApi, test } from '../support/test.ts';
import { givenWorstDay, levels } from '../support/worst_day.ts';

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
  const [watched, quiet, unwatched] = await givenTanks(database.operator, organizationNo, customer.no, [{}, {}, {}]);
  const otherNo = await givenOrganization(database.operator);
  const other = await givenCustomer(database.operator, otherNo);
  const foreign = await givenTank(database.operator, otherNo, other.no);
  const key = await givenKey(database.operator, { organizationNo });
  const { response, received, done } = await openStream(api, key.text, [watched.id, quiet.id, foreign.id].join());
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await expect.poll(() => received.text).toContain('event: ready\ndata: {"tanks":2}');

  const ingest = (tankNo: number) =>
    new BatchIngester(database.writer).ingestReadings([{ tankNo, atMs: Date.now(), fillPercentage: 50 }]);
  await expect
    .poll(
      async () => {
        for (const { no } of [watched, unwatched, foreign]) await ingest(no);
        return received.text;
      },
      { interval: 500 },
    )
    .toContain(`event: changed\ndata: {"ids":["${watched.id}"]}`);
  for (const { id } of [quiet, unwatched, foreign]) expect(received.text).not.toContain(id);

  await transaction(database.operator, (tx) => revokeKey(tx, key.prefix));
  await done;
  expect(received.isEnded).toBe(true);
});

test('a change right after `ready` is sent', async ({ database, api }) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, customer.no);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const ingester = new BatchIngester(database.writer);
  const ingest = (fillPercentage: number) =>
    ingester.ingestReadings([{ tankNo: tank.no, atMs: Date.now(), fillPercentage }]);
  await ingest(50);
  const leave = new AbortController();
  const { received, done } = await openStream(api, key, tank.id, leave.signal);
  await expect.poll(() => received.text, { interval: 5 }).toContain('event: ready');
  await ingest(49);
  await within(2_500, () => expect.poll(() => received.text).toContain(`data: {"ids":["${tank.id}"]}`));
  leave.abort();
  await done.catch(() => {});
});

/** The data of the events with a name that a stream has sent so far. */
const sentEvents = (text: string, name: string): Record<string, string>[] =>
  [...text.matchAll(new RegExp(`event: ${name}\\ndata: (.*)\\n`, 'g'))].map(([, data = '{}']) => JSON.parse(data));

test('a stream that watches no tank names a new loss of its organization or customer, and other streams do not', async ({
  database,
  api,
}) => {
  const { organizationNo, noOf, idOf, ingester, nowMs, key, ofBob } = await givenWorstDay(database);
  const stranger = await givenKey(database.operator, { organizationNo: await givenOrganization(database.operator) });
  const leave = new AbortController();
  const streams = await Promise.all(
    [key, ofBob, stranger.text].map((text) => openStream(api, text, UNKNOWN, leave.signal)),
  );
  const [whole, bobs, strangers] = streams;
  // A heartbeat follows a poll, so the watch has begun.
  for (const { received } of streams) await expect.poll(() => received.text).toContain('event: heartbeat');
  const urgentBefore = sentEvents(whole?.received.text ?? '', 'urgent').length;

  // The tank of Bob begins to leak.
  const leak = [66, 62, 58, 54, 50, 46];
  await ingester.ingestReadings(levels(noOf('fine'), leak, nowMs + leak.length * HOUR_MS));
  const { rows } = await database.owner.query<{ event_id: string; at: string }>(
    `select id as event_id, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
     from events where organization_no = $1 and tank_no = $2 and type = 'tank.rapid_loss'`,
    [organizationNo, noOf('fine')],
  );
  expect(rows).toHaveLength(1);
  const expected = { ...rows[0], type: 'tank.rapid_loss', tank_id: idOf('fine') };
  await within(2_000, async () => {
    await expect.poll(() => sentEvents(whole?.received.text ?? '', 'urgent').slice(urgentBefore)).toEqual([expected]);
    await expect.poll(() => sentEvents(bobs?.received.text ?? '', 'urgent')).toEqual([expected]);
  });
  expect(sentEvents(strangers?.received.text ?? '', 'urgent')).toEqual([]);
  leave.abort();
  await Promise.allSettled(streams.map(({ done }) => done));
});

test('a stream has a heartbeat every 5 seconds, with the time of the newest reading', async ({ database, api }) => {
  const { key, nowMs } = await givenWorstDay(database);
  const leave = new AbortController();
  const { received, done } = await openStream(api, key, UNKNOWN, leave.signal);
  await within(13_000, () =>
    expect.poll(() => sentEvents(received.text, 'heartbeat').length).toBeGreaterThanOrEqual(3),
  );
  const beats = sentEvents(received.text, 'heartbeat');
  expect(beats.every(({ newest_reading_at }) => newest_reading_at === new Date(nowMs).toISOString())).toBe(true);
  const [first = 0, second = 0, third = 0] = beats.map(({ at = '' }) => Date.parse(at));
  for (const apartMs of [second - first, third - second]) expect(apartMs).toBeGreaterThan(4_000);
  leave.abort();
  await done.catch(() => {});
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
