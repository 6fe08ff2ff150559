import { expect } from 'vitest';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { retractEvents } from '../../src/evaluation/record_events.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { callApi } from '../support/http.ts';
import { recordRefills, refillOf, settle } from '../support/ledger.ts';
import { type ManageApi, test } from '../support/manage.ts';
import { dayFromNow, givenTown } from '../support/rounds.ts';

const TYPES = 'customer,tank,level,event,round,stop,delivery_note,verdict';

/** A program that keeps a copy of everything: the objects by kind and id. */
class Copy {
  readonly objects = new Map<string, Record<string, unknown>>();
  readonly #url: string;
  readonly #key: string;
  #after = '';

  constructor({ url }: ManageApi, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Reads all changes that exist now. Returns their kinds. */
  async follow(size: number): Promise<string[]> {
    const kinds: string[] = [];
    let hasMore = true;
    while (hasMore) {
      const { status, json } = await callApi(this.#url, `/fleet/v1/changes?types=${TYPES}&size=${size}${this.#after}`, {
        key: this.#key,
      });
      expect(status).toBe(200);
      for (const { kind, id, deleted, ...change } of json.data) {
        kinds.push(deleted ? `${kind} deleted` : kind);
        if (deleted) this.objects.delete(`${kind} ${id}`);
        else this.objects.set(`${kind} ${id}`, change[kind]);
      }
      this.#after = `&after=${json.next}`;
      hasMore = json.has_more;
    }
    return [...new Set(kinds)].toSorted();
  }

  of(kind: string): Record<string, unknown>[] {
    return [...this.objects].flatMap(([key, object]) => (key.startsWith(`${kind} `) ? [object] : []));
  }
}

test('a copy that follows changes of all types equals a fresh read', async ({ database, manage }) => {
  const town = await givenTown(database, manage);
  const { key, organizationNo, customer, idOf, noOf, truckId, driverId, nowMs } = town;
  const copy = new Copy(manage, key);
  /** Follows the feed until these kinds came. Transactions of other tests on the same server can delay it. */
  const untilReceived = async (...kinds: string[]): Promise<void> => {
    const received = new Set<string>();
    await expect
      .poll(
        async () => {
          for (const kind of await copy.follow(3)) received.add(kind);
          return [...received].toSorted();
        },
        { timeout: 30_000 },
      )
      .toEqual(expect.arrayContaining(kinds));
  };
  const call = async (method: string, path: string, body?: object, ifMatch?: string) => {
    const { status, json } = await manage.call(key, method, path, {
      ...(body && { body }),
      ...(ifMatch && { ifMatch }),
    });
    expect([path, status < 300, json]).toEqual([path, true, json]);
    return json;
  };

  await untilReceived('customer', 'tank', 'level');
  // Four gauges have reported.
  expect(copy.of('level').map(({ tank_id }) => tank_id)).toHaveLength(4);

  const round = await call('POST', '/rounds', { date: dayFromNow(0), truck_id: truckId, driver_id: driverId });
  const stops = (['empty soon', 'half full', 'full'] as const).map((name) => ({ tank_id: idOf(name), volume: 100 }));
  const planned = await call('PUT', `/rounds/${round.id}/stops`, { stops }, round.etag);
  await untilReceived('round', 'stop');
  expect(copy.of('stop')).toHaveLength(3);

  // A person closes the first stop, a gauge the second, and nobody the third.
  await call('PUT', `/rounds/${round.id}/stops/1/outcome`, { outcome: 'delivered', volume: 120 });
  const { rows } = await database.owner.query<{ from_ms: number }>(
    `select extract(epoch from day_begins_at) * 1000 as from_ms from rounds where id = $1`,
    [round.id],
  );
  const fromMs = Number(rows[0]?.from_ms) + HOUR_MS;
  const refill = refillOf(
    { organizationNo, tankNo: noOf('half full') },
    { fromMs, toMs: fromMs + HOUR_MS, liters: 90 },
  );
  await recordRefills(database.writer, [refill]);
  await untilReceived('stop', 'event');
  const outcomes = (): unknown[] =>
    copy
      .of('stop')
      .toSorted((a, b) => Number(a['number']) - Number(b['number']))
      .map(({ outcome, outcome_from, delivered_volume }) => [outcome, outcome_from, delivered_volume]);
  expect(outcomes()).toEqual([
    ['delivered', 'person', 120],
    ['delivered', 'gauge', 90],
    ['open', null, null],
  ]);
  await transaction(database.writer, (tx) => retractEvents(tx, [refill]));
  await untilReceived('stop', 'event');
  expect(outcomes()[1]).toEqual(['open', null, null]);
  const fewer = await call(
    'PUT',
    `/rounds/${round.id}/stops`,
    { stops: stops.slice(0, 2) },
    (await call('GET', `/rounds/${round.id}`)).etag,
  );
  await untilReceived('stop deleted');
  expect(fewer.stops.length).toBeLessThan(planned.stops.length);
  await call('PATCH', `/rounds/${round.id}`, { state: 'done' }, (await call('GET', `/rounds/${round.id}`)).etag);
  await untilReceived('round', 'stop');
  expect(outcomes()).toEqual([
    ['delivered', 'person', 120],
    ['not_done', null, null],
  ]);

  const at = new Date(nowMs - 30 * HOUR_MS).toISOString();
  await call('PUT', '/delivery-notes/A/1', { at, volume: 100, tank: idOf('full') });
  await call('PUT', '/delivery-notes/A/2', { at, volume: 50, customer: customer.id });
  await settle(database.worker);
  await untilReceived('delivery_note', 'verdict');
  expect(copy.of('verdict')).toHaveLength(2);
  await call('PUT', '/delivery-notes/A/2', { at, volume: 50, customer: customer.id, status: 'cancelled' });
  await settle(database.worker);
  await untilReceived('delivery_note', 'verdict deleted');
  expect(copy.of('delivery_note').map(({ status }) => status)).toEqual(['valid', 'cancelled']);

  await town.refill('empty soon');
  await untilReceived('level');
  expect(copy.of('level').find(({ tank_id }) => tank_id === idOf('empty soon'))).toMatchObject({ fill_percentage: 80 });

  const fresh = new Copy(manage, key);
  await fresh.follow(1_000);
  expect(Object.fromEntries(copy.objects)).toEqual(Object.fromEntries(fresh.objects));

  await transaction(database.operator, (tx) => deleteCustomer(tx, organizationNo, customer.no, { withTanks: true }));
  await untilReceived('customer deleted', 'tank deleted', 'delivery_note deleted', 'verdict deleted');
  expect([copy.of('customer'), copy.of('tank'), copy.of('delivery_note'), copy.of('verdict')]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

test('a cursor belongs to its types, and unknown types are refused', async ({ database, manage }) => {
  const { key } = await givenTown(database, manage);
  const call = (query: string) => callApi(manage.url, `/fleet/v1/changes?${query}`, { key });
  const { json: levels } = await call('types=level&size=1');
  expect((await call(`types=level&after=${levels.next}`)).status).toBe(200);
  expect((await call(`types=level,stop&after=${levels.next}`)).status).toBe(422);
  expect((await call(`after=${levels.next}`)).status).toBe(422);
  expect((await call('types=level,levels')).json.errors).toEqual([expect.objectContaining({ param: 'types' })]);
  // By default, items have only the fields of earlier releases.
  await expect.poll(async () => (await call('size=1')).json.data.length).toBe(1);
  const { json } = await call('size=1');
  expect(Object.keys(json.data[0])).toEqual(['object', 'kind', 'id', 'deleted', 'customer', 'tank']);
});

test('a cursor is refused with 410 if it is older than the time for which removals of its types are kept', async ({
  database,
  manage,
}) => {
  const { key } = await givenTown(database, manage);
  const call = (query: string) => callApi(manage.url, `/fleet/v1/changes?${query}`, { key });
  const statusAfter = async (types: string, days: number): Promise<number> => {
    const { json } = await call(`types=${types}&size=1000`);
    const [check, [history, readMs, ...place]] = JSON.parse(Buffer.from(json.next, 'base64url').toString());
    const position = [history, String(Number(readMs) - days * 86_400_000), ...place];
    const after = Buffer.from(JSON.stringify([check, position])).toString('base64url');
    return (await call(`types=${types}&after=${after}`)).status;
  };
  for (const [types, days, status] of [
    ['level', 6, 200],
    ['level,stop', 8, 410],
    ['stop', 89, 200],
    ['stop', 91, 410],
    ['customer,verdict', 91, 410],
    ['customer,tank,round,event', 400, 200],
  ] as const)
    expect([types, days, await statusAfter(types, days)]).toEqual([types, days, status]);
});
