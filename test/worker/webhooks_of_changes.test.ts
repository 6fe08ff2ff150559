import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { answering, hanging } from '../../engines/webhook_receiver.ts';
import { transaction } from '../../src/db/pool.ts';
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints.ts';
import { CHANGED_TYPES } from '../../src/webhooks/webhook_types.ts';
import { givenEndpoint, givenWorker, type Subscribed, spawnWorker } from '../support/events.ts';
import { callApi } from '../support/http.ts';
import { recordRefills, refillOf } from '../support/ledger.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown } from '../support/rounds.ts';
import type { TestDatabase } from '../support/test.ts';

const KINDS = 'customer,tank,round,stop,delivery_note,verdict';
const slow = { timeout: 60_000 };

interface Message {
  type: string;
  timestamp: string;
  data: Record<string, unknown> & { id: string; object_id: string; read_at: string; deleted: boolean };
}

/** All messages that an endpoint received, in order. Their signatures are verified. */
const messagesOf = ({ receiver, secret }: Subscribed): Message[] =>
  receiver.received.map(
    ({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>) as Message,
  );

/** Returns the copy of a receiver that keeps the newest message about each object. */
function copyOf(endpoint: Subscribed): Map<string, unknown> {
  const copy = new Map<string, unknown>();
  for (const { type, data } of messagesOf(endpoint).toSorted((a, b) => a.data.read_at.localeCompare(b.data.read_at))) {
    const kind = type.replace('.changed', '');
    if (data.deleted) copy.delete(`${kind} ${data.object_id}`);
    else copy.set(`${kind} ${data.object_id}`, data[kind]);
  }
  return copy;
}

async function countDeliveries(database: TestDatabase, endpointNo: number, status: string): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    'select count(*)::int as n from webhook_deliveries where endpoint_no = $1 and status = $2',
    [endpointNo, status],
  );
  return rows[0]?.n ?? 0;
}

test('while workers are killed, webhooks send each change of an object once and miss none', async ({
  database,
  manage,
}) => {
  const town = await givenTown(database, manage);
  const { key, organizationNo, customer, idOf, noOf, truckId, driverId, nowMs } = town;
  const call = async (method: string, path: string, body?: object, ifMatch?: string) => {
    const given = { ...(body && { body }), ...(ifMatch && { ifMatch }) };
    const { status, json } = await manage.call(key, method, path, given);
    expect([path, status < 300, json]).toEqual([path, true, json]);
    return json;
  };
  const everything = await givenEndpoint(database, organizationNo, hanging, { types: CHANGED_TYPES });
  const rounds = await givenEndpoint(database, organizationNo, undefined, { types: ['round.changed'] });
  const events = await givenEndpoint(database, organizationNo);
  const { rows: followers } = await database.owner.query('select endpoint_no from webhook_followers order by 1');
  expect(followers.map(({ endpoint_no }) => endpoint_no)).toEqual([everything.no, rounds.no]);

  /** Starts a worker, does the work, and kills the worker after one more attempt began. */
  const withKilledWorker = async (work: () => Promise<unknown>): Promise<void> => {
    const receivedBefore = everything.receiver.received.length;
    const worker = spawnWorker(database);
    await work();
    await expect.poll(() => everything.receiver.received.length, slow).toBeGreaterThan(receivedBefore);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  };
  const round = await call('POST', '/rounds', { date: dayFromNow(0), truck_id: truckId, driver_id: driverId });
  const stops = (['empty soon', 'half full', 'full'] as const).map((name) => ({ tank_id: idOf(name), volume: 100 }));
  await withKilledWorker(() => call('PUT', `/rounds/${round.id}/stops`, { stops }, round.etag));
  await withKilledWorker(async () => {
    await call('PUT', `/rounds/${round.id}/stops/1/outcome`, { outcome: 'delivered', volume: 120 });
    const { rows } = await database.owner.query<{ ms: number }>(
      'select extract(epoch from day_begins_at) * 1000 as ms from rounds where id = $1',
      [round.id],
    );
    const fromMs = Number(rows[0]?.ms) + 3_600_000;
    const period = { fromMs, toMs: fromMs + 3_600_000, liters: 90 };
    await recordRefills(database.writer, [refillOf({ organizationNo, tankNo: noOf('half full') }, period)]);
  });
  const at = new Date(nowMs - 30 * 3_600_000).toISOString();
  await withKilledWorker(async () => {
    await call('PUT', '/delivery-notes/A/1', { at, volume: 100, tank: idOf('full') });
    await call('PUT', '/delivery-notes/A/2', { at, volume: 50, customer: customer.id });
  });
  const lines = Array.from({ length: 450 }, (_, n) => ({
    external_key: `C-${n}`,
    name: `Customer ${n}`,
    email: `c${n}@example.com`,
  }));
  await withKilledWorker(async () => {
    const { status } = await callApi(manage.url, '/manage/v1/customers/bulk', {
      key,
      method: 'POST',
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(status).toBe(200);
  });

  everything.receiver.release();
  everything.receiver.answer = answering(204);
  const worker = await givenWorker(database);
  await call(
    'PUT',
    `/rounds/${round.id}/stops`,
    { stops: stops.slice(0, 2) },
    (await call('GET', `/rounds/${round.id}`)).etag,
  );
  await call('PUT', '/delivery-notes/A/2', { at, volume: 50, customer: customer.id, status: 'cancelled' });

  /** Names the objects that differ between the copy and the feed. Objects without a change since the webhook began do not count. */
  const listDifferences = async (): Promise<string[]> => {
    const { json } = await callApi(manage.url, `/fleet/v1/changes?types=${KINDS}&size=1000`, { key });
    const copy = copyOf(everything);
    const names = new Set(copy.keys());
    for (const { kind, id, deleted, ...change } of json.data) {
      const name = `${kind} ${id}`;
      const isOlder = (kind === 'tank' || id === customer.id) && !copy.has(name);
      if (deleted || isOlder || isDeepStrictEqual(copy.get(name), change[kind])) names.delete(name);
      else names.add(name);
    }
    return [...names];
  };
  await expect.poll(listDifferences, slow).toEqual([]);
  expect(copyOf(everything).size).toBeGreaterThan(455);
  await expect
    .poll(() => [...new Set(messagesOf(everything).map(({ type, data }) => `${type} ${data.deleted}`))], slow)
    .toEqual(
      expect.arrayContaining([
        'customer.changed false',
        'round.changed false',
        'stop.changed false',
        'stop.changed true',
        'delivery_note.changed false',
        'verdict.changed false',
        'verdict.changed true',
      ]),
    );

  // A message is sent again only if its first attempt was not answered, with the same id. No change has two messages.
  await expect.poll(() => countDeliveries(database, everything.no, 'pending'), slow).toBe(0);
  const ids = messagesOf(everything).map(({ data }) => data.id);
  expect(everything.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids);
  const { rows: made } = await database.owner.query<{ id: string; change_id: string }>(
    'select message_id as id, change_id from webhook_deliveries where endpoint_no = $1',
    [everything.no],
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
  expect(new Set(ids)).toEqual(new Set(made.map(({ id }) => id)));
  expect(made.filter(({ change_id }) => change_id === round.id).length).toBeLessThanOrEqual(3);

  expect(new Set(messagesOf(rounds).map(({ type }) => type))).toEqual(new Set(['round.changed']));
  expect(events.receiver.received.map(({ body }) => JSON.parse(body).type)).not.toContain('round.changed');

  // A replay by id and a replay since a time send the same ids again. The list of deliveries names the objects.
  const [first = ''] = ids;
  const since = everything.receiver.received.length;
  expect(await call('POST', `/webhooks/${everything.id}/replay`, { event_ids: [first] })).toMatchObject({ events: 1 });
  await expect.poll(() => messagesOf(everything)[since]?.data.id, slow).toBe(first);
  await expect.poll(() => countDeliveries(database, rounds.no, 'pending'), slow).toBe(0);
  const deliveredRounds = await countDeliveries(database, rounds.no, 'delivered');
  expect(deliveredRounds).toBeGreaterThan(0);
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const replayed = await call('POST', `/webhooks/${rounds.id}/replay`, { since: anHourAgo });
  expect(replayed).toMatchObject({ events: deliveredRounds });
  await expect.poll(() => countDeliveries(database, rounds.no, 'pending'), slow).toBe(0);
  const listed = await call('GET', `/webhooks/${rounds.id}/deliveries`);
  expect(listed.data[0]).toMatchObject({ type: 'round.changed', object_id: round.id, tank_id: null });

  // An object that changes while the webhook is disabled is sent once when the webhook is enabled.
  await transaction(database.operator, (tx) => disableEndpoint(tx, rounds.no, 'operator'));
  for (const driver of [null, driverId, null])
    await call('PATCH', `/rounds/${round.id}`, { driver_id: driver }, (await call('GET', `/rounds/${round.id}`)).etag);
  const receivedBefore = rounds.receiver.received.length;
  await worker.close();
  await transaction(database.operator, (tx) => enableEndpoint(tx, rounds.no));
  await givenWorker(database);
  await expect.poll(() => rounds.receiver.received.length, slow).toBe(receivedBefore + 1);
  expect(messagesOf(rounds).at(-1)?.data).toMatchObject({ deleted: false, round: { driver_id: null } });

  // A message that was canceled because the webhook was disabled is sent later. A message of a type that it unsubscribed from is not.
  const refuse = async (driver: string | null): Promise<void> => {
    rounds.receiver.answer = answering(500);
    await call('PATCH', `/rounds/${round.id}`, { driver_id: driver }, (await call('GET', `/rounds/${round.id}`)).etag);
    await expect.poll(() => countDeliveries(database, rounds.no, 'pending'), slow).toBe(1);
  };
  await refuse(driverId);
  await transaction(database.operator, (tx) => disableEndpoint(tx, rounds.no, 'failing'));
  rounds.receiver.answer = answering(204);
  const delivered = await countDeliveries(database, rounds.no, 'delivered');
  await transaction(database.operator, (tx) => enableEndpoint(tx, rounds.no));
  await expect.poll(() => countDeliveries(database, rounds.no, 'delivered'), slow).toBe(delivered + 1);
  await refuse(null);
  await call('PATCH', `/webhooks/${rounds.id}`, { types: ['customer.changed'] }, '*');
  expect(await countDeliveries(database, rounds.no, 'pending')).toBe(0);
  // A replay does not count messages of types that the webhook unsubscribed from.
  const dryRun = await call('POST', `/webhooks/${rounds.id}/replay?dry_run=true`, { since: anHourAgo });
  expect(dryRun).toMatchObject({ events: 0 });

  // The position of a webhook advances although no object of its types changes: a type that is added later must not begin
  // with old changes.
  const readPosition = async (): Promise<number> => {
    const { rows } = await database.owner.query<{ at: string }>(
      'select change_number as at from webhook_followers where endpoint_no = $1',
      [rounds.no],
    );
    return Number(rows[0]?.at);
  };
  const before = await readPosition();
  for (let n = 0; n < 1_100; n++) await database.owner.query('select pg_current_xact_id()');
  await expect.poll(readPosition, slow).toBeGreaterThan(before + 1_000);
});
