import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { signDriverLink } from '../../src/deliveries/driver_links.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DipStore } from '../../src/ingest/store_dips.ts';
import { newManualDevice } from '../../src/values/manual_device.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { type GivenRound, givenRound, readUntilMs } from '../support/driven_rounds.ts';
import { callApi, type Response } from '../support/http.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { givenManagedOrganization, type ManageApi, manageApi, manageSettings } from '../support/manage.ts';
import { test as base, type TestDatabase } from '../support/test.ts';

const LINK_SECRET = 'the current secret of links, of the tests';
const PREVIOUS_SECRET = 'the previous secret of links, of the tests';

const test = base.extend<{ $file: { manage: ManageApi } }>({
  manage: [
    async ({ database }, use) => {
      const running = await startApi(database.urls.api, {
        ...manageSettings(database),
        LINK_SECRET,
        LINK_SECRET_PREVIOUS: PREVIOUS_SECRET,
      });
      await use(manageApi(running.url));
      await running.close();
    },
    { scope: 'file' },
  ],
});

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

const readRound = (url: string, token: string): Promise<Response> =>
  callApi(url, '/driver/v1/round', { headers: bearer(token) });

const putEntry = (url: string, token: string, id: string, body: object): Promise<Response> =>
  callApi(url, `/driver/v1/entries/${id}`, {
    method: 'PUT',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const delivered = (round: GivenRound, number: number, volume = 300, at = new Date().toISOString()): object => ({
  stop: number,
  tank_id: round.stops[number - 1]?.tankId,
  kind: 'delivered',
  volume,
  unit: 'liters',
  reason: null,
  comment: null,
  note: null,
  filled_to: null,
  at,
});

const notPossible = (round: GivenRound, number: number, at = new Date().toISOString()): object => ({
  ...delivered(round, number, 1, at),
  kind: 'not_possible',
  volume: null,
  unit: null,
  reason: 'other',
  comment: 'The dog of Señora Número bites',
});

const reopened = (round: GivenRound, at: string): object => ({
  ...delivered(round, 1, 1, at),
  kind: 'reopened',
  volume: null,
  unit: null,
});

async function makeLink(manage: ManageApi, key: string, round: GivenRound): Promise<string> {
  const made = await manage.call(key, 'POST', `/rounds/${round.id}/driver-link`);
  expect(made.status, made.text).toBe(201);
  return String(made.json.url).replace('/driver/#', '');
}

/** A round of an organization of its own, with a link of its driver. */
async function givenLink(database: TestDatabase, manage: ManageApi, options?: Parameters<typeof givenRound>[2]) {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(database.owner, organizationNo, options);
  const token = await makeLink(manage, key, round);
  const put = (body: object): Promise<Response> => putEntry(manage.url, token, randomUUID(), body);
  return { organizationNo, key, round, token, put };
}

async function notesOf({ owner }: TestDatabase, organizationNo: number): Promise<unknown[]> {
  const { rows } = await owner.query(
    'select number, volume, is_cancelled from delivery_notes where organization_no = $1 order by number',
    [organizationNo],
  );
  return rows;
}

test('a link shows the round without an account, and closed stops without name, phone and address', async ({
  database,
  manage,
}) => {
  const { round, token, put } = await givenLink(database, manage);
  const first = await readRound(manage.url, token);
  expect(first.status, first.text).toBe(200);
  expect(first.headers['cache-control']).toBe('no-store');
  expect(first.json).toMatchObject({
    id: round.id,
    date: round.date,
    state: 'planned',
    unit: 'liters',
    truck_capacity: 9000,
    read_until: new Date(readUntilMs(round)).toISOString(),
    send_until: new Date(readUntilMs(round) + 7 * DAY_MS).toISOString(),
  });
  expect(first.json.stops[0]).toMatchObject({
    stop: 1,
    why: 'must',
    volume: 400,
    state: 'open',
    details: { customer: round.stops[0]?.customer, phone: '+52 461 1', address: 'Calle 1, Celaya' },
  });

  expect((await put(delivered(round, 1))).status).toBe(201);
  const after = await readRound(manage.url, token);
  expect(after.json.state).toBe('under_way');
  expect(after.json.stops[0]).toMatchObject({
    state: 'delivered',
    closed_by: 'driver',
    delivered_volume: 300,
    details: null,
  });
  expect(after.text).not.toContain(round.stops[0]?.customer);
  expect(after.text).toContain(round.stops[1]?.customer);
});

test('an entry is stored once: the same body is 200, another body is 409', async ({ database, manage }) => {
  const { key, round, token } = await givenLink(database, manage);
  const id = randomUUID();
  const entry = delivered(round, 1);
  const sent = await Promise.all(Array.from({ length: 5 }, () => putEntry(manage.url, token, id, entry)));
  expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(sent.filter(({ status }) => status === 200)).toHaveLength(4);
  expect((await putEntry(manage.url, token, id, delivered(round, 1, 301))).status).toBe(409);
  expect((await putEntry(manage.url, token, id, delivered(round, 2))).status).toBe(409);
  const listed = await manage.call(key, 'GET', `/rounds/${round.id}/driver-entries`);
  expect(listed.json.data).toMatchObject([{ id, stop: 1, kind: 'delivered', volume: 300 }]);
});

test('the newest entry of the driver counts, in any order of arrival, and over the outcome that a person recorded', async ({
  database,
  manage,
}) => {
  const { round, token, put } = await givenLink(database, manage);
  const minute = (number: number): string => new Date(Date.now() + (number - 9) * 60_000).toISOString();
  const stopOf = async (number: number): Promise<Record<string, unknown>> =>
    (await readRound(manage.url, token)).json.stops[number - 1];
  await database.owner.query(
    `update round_stops set said = 'not_possible', said_reason = 'full', said_as = 'person', said_by = 'contact', said_at = now()
     where round_no = $1 and number = 1`,
    [round.no],
  );
  // Newer entries arrive first.
  await put(delivered(round, 1, 250, minute(3)));
  await put(reopened(round, minute(2)));
  await put(notPossible(round, 1, minute(1)));
  expect(await stopOf(1)).toMatchObject({ state: 'delivered', delivered_volume: 250 });
  await put(reopened(round, minute(4)));
  expect(await stopOf(1)).toMatchObject({ state: 'open', details: { customer: round.stops[0]?.customer } });
});

test('an entry with the number of a delivery note creates the note once, and a note that the driver takes back is cancelled', async ({
  database,
  manage,
}) => {
  const { organizationNo, key, round, put } = await givenLink(database, manage);
  const minute = (number: number): string => new Date(Date.now() + number * 60_000).toISOString();
  const notes = async (): Promise<unknown[]> =>
    (
      await database.owner.query(
        `select series, number, volume, source, is_cancelled from delivery_notes where organization_no = $1 order by series, number`,
        [organizationNo],
      )
    ).rows;
  const written = { series: 'A', number: '20379', source: 'driver', is_cancelled: false };
  await put({ ...delivered(round, 1, 300, minute(1)), note: 'a 20379' });
  expect(await notes()).toEqual([{ ...written, volume: 300 }]);
  await put({ ...delivered(round, 1, 310, minute(2)), note: 'A-20379' });
  expect(await notes()).toEqual([{ ...written, volume: 310 }]);
  await put({ ...delivered(round, 1, 310, minute(3)), note: '77' });
  expect(await notes()).toEqual([
    { ...written, series: '', number: '77', volume: 310 },
    { ...written, volume: 310, is_cancelled: true },
  ]);
  // An entry does not change a note that somebody else has written.
  const corrected = { at: minute(3), volume: 299, unit: 'liters', tank: round.stops[0]?.tankId };
  const { etag } = (await manage.call(key, 'GET', '/delivery-notes/-/77')).json;
  const answer = await manage.call(key, 'PUT', '/delivery-notes/-/77', { body: corrected, ifMatch: etag });
  expect(answer.status, answer.text).toBe(200);
  await put({ ...delivered(round, 1, 320, minute(4)), note: '77' });
  await put(reopened(round, minute(5)));
  expect(await notes()).toMatchObject([
    { volume: 299, is_cancelled: false, source: 'api' },
    { volume: 310, is_cancelled: true, source: 'driver' },
  ]);
});

test('an entry of the year 9999 is corrected by the next one, and its delivery note with it', async ({
  database,
  manage,
}) => {
  const { organizationNo, round, token, put } = await givenLink(database, manage);
  await put({ ...delivered(round, 1, 900, '9999-01-01T00:00:00Z'), note: 'A-1' });
  await put({ ...delivered(round, 1, 300), note: 'A-2' });
  expect((await readRound(manage.url, token)).json.stops[0]).toMatchObject({
    state: 'delivered',
    delivered_volume: 300,
  });
  expect(await notesOf(database, organizationNo)).toEqual([
    { number: '1', volume: 900, is_cancelled: true },
    { number: '2', volume: 300, is_cancelled: false },
  ]);
});

test('the outcome that the office records is not undone by an older entry of the driver, but by a later one', async ({
  database,
  manage,
}) => {
  const { organizationNo, key, round, token, put } = await givenLink(database, manage);
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const setOutcome = async (body: object): Promise<unknown> => {
    const { status, json, text } = await manage.call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body });
    expect(status, text).toBe(200);
    const [{ outcome, outcome_from, delivered_volume }] = json.stops;
    return [outcome, outcome_from, delivered_volume];
  };
  const stop = async (): Promise<unknown> => (await readRound(manage.url, token)).json.stops[0].state;
  await put({ ...delivered(round, 1, 900, ago(5)), note: 'A-1' });
  expect(await setOutcome({ outcome: 'not_possible', reason: 'full' })).toEqual(['not_possible', 'person', null]);
  expect(await notesOf(database, organizationNo)).toEqual([{ number: '1', volume: 900, is_cancelled: true }]);
  expect(await setOutcome({ outcome: 'delivered', volume: 250 })).toEqual(['delivered', 'person', 250]);
  expect(await notesOf(database, organizationNo)).toEqual([{ number: '1', volume: 900, is_cancelled: false }]);
  expect(await setOutcome({ outcome: 'open' })).toEqual(['open', null, null]);

  await put({ ...delivered(round, 1, 800, ago(6)), note: 'A-2' });
  expect(await stop()).toBe('open');
  expect(await notesOf(database, organizationNo)).toEqual([{ number: '1', volume: 900, is_cancelled: true }]);
  await put(notPossible(round, 1));
  expect(await stop()).toBe('not_possible');

  const { json } = await manage.call(key, 'GET', '/audit?size=100');
  const outcomes = json.data.filter(({ fields }: { fields: string[] }) => fields.includes('stop_outcome'));
  expect(outcomes.map(({ actor, changed_id, fields }: Record<string, unknown>) => [actor, changed_id, fields])).toEqual(
    ['link of a driver', 'key', 'key', 'key', 'link of a driver'].map((actor) => [
      expect.stringMatching(`^${actor}`),
      round.id,
      ['stop_outcome', '1'],
    ]),
  );
});

test('an entry can have the id of an entry or a note of another organization', async ({ database, manage }) => {
  const [own, other] = [await givenLink(database, manage), await givenLink(database, manage)];
  const id = randomUUID();
  expect((await putEntry(manage.url, other.token, id, { ...delivered(other.round, 1), note: 'A-1' })).status).toBe(201);
  const { rows } = await database.owner.query('select id from delivery_notes where organization_no = $1', [
    other.organizationNo,
  ]);
  for (const [index, taken] of [id, String(rows[0].id)].entries()) {
    const body = { ...delivered(own.round, index + 1), note: `B-${index}` };
    const answer = await putEntry(manage.url, own.token, taken, body);
    expect([answer.status, answer.json]).toEqual([201, { object: 'driver_entry', id: taken }]);
  }
  expect(await notesOf(database, own.organizationNo)).toHaveLength(2);
});

test('numbers and times that the database cannot store are refused or rounded, never answered with 500', async ({
  database,
  manage,
}) => {
  const { key, round, put } = await givenLink(database, manage);
  const outcome = (volume: number): Promise<Response> =>
    manage.call(key, 'PUT', `/rounds/${round.id}/stops/2/outcome`, { body: { outcome: 'delivered', volume } });
  expect((await outcome(1.7e308)).status).toBe(422);
  expect((await outcome(1_000_001)).status).toBe(422);
  expect((await outcome(1e-320)).status).toBe(200);
  expect((await put({ ...delivered(round, 1), filled_to: 1e-320 })).status).toBe(201);
  const note = { at: new Date().toISOString(), volume: 1, unit: 'liters', tank: round.stops[0]?.tankId };
  const written = await manage.call(key, 'PUT', '/delivery-notes/-/9', {
    body: { ...note, filled_to: 1e-320, product_temperature: -1e-320 },
  });
  expect([written.status, written.json.filled_to, written.json.product_temperature]).toEqual([201, 0, 0]);
  const pin = (refill_at: string): Promise<Response> =>
    manage.call(key, 'POST', `/delivery-notes/${written.json.id}/pins`, {
      body: { kind: 'apart', tank_id: round.stops[0]?.tankId, refill_at },
    });
  for (const time of [
    '0000-01-01T00:00:00Z',
    '0000-01-01T00:00:00+23:00',
    '9999-12-31T23:59:59-23:00',
    '9999-12-31T23:59:59.9999Z',
  ])
    expect([time, (await pin(time)).status]).toEqual([time, 422]);
});

test('a link makes notes and dips only of tanks that are or were on its round', async ({ database, manage }) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const [round, other] = [
    await givenRound(database.owner, organizationNo),
    await givenRound(database.owner, organizationNo),
  ];
  const tankNos = [...round.stops, ...other.stops].map(({ tankNo }) => tankNo);
  for (const tankNo of tankNos)
    await database.owner.query('update tanks set assigned_device_id = $2 where no = $1', [tankNo, newManualDevice()]);
  const token = await makeLink(manage, key, round);
  await database.owner.query('delete from round_stops where round_no = $1 and number = 2', [round.no]);
  for (const [index, stop] of [round.stops[0], round.stops[1], other.stops[0]].entries()) {
    const minuteAgo = new Date(Date.now() - 60_000).toISOString();
    const filled = { ...delivered(round, index + 1, 300, minuteAgo), tank_id: stop?.tankId };
    expect((await putEntry(manage.url, token, randomUUID(), { ...filled, filled_to: 95 })).status).toBe(201);
    const noted = { ...filled, note: `B-${index}` };
    expect((await putEntry(manage.url, token, randomUUID(), noted)).status).toBe(201);
  }
  const { rows } = await database.owner.query(
    `select array(select distinct tank_no from waiting_dips where organization_no = $1 order by 1) as dips,
            array(select tank_no from delivery_notes where organization_no = $1 order by 1) as notes`,
    [organizationNo],
  );
  const onRound = round.stops.slice(0, 2).map(({ tankNo }) => tankNo);
  expect(rows).toEqual([{ dips: onRound, notes: onRound }]);
});

test('a link ends with its driver and with the day of its round', async ({ database, manage }) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const makeRound = async () => {
    const round = await givenRound(database.owner, organizationNo);
    const token = await makeLink(manage, key, round);
    expect((await readRound(manage.url, token)).status).toBe(200);
    const { json } = await callApi(manage.url, `/fleet/v1/rounds/${round.id}`, { key });
    return { round, token, driverId: json.driver.id };
  };
  const change = async ({ round }: Awaited<ReturnType<typeof makeRound>>, body: object) => {
    const changed = await manage.call(key, 'PATCH', `/rounds/${round.id}`, { body, ifMatch: '*' });
    expect(changed.status, changed.text).toBe(200);
  };
  const [kept, replaced, deleted, moved] = [await makeRound(), await makeRound(), await makeRound(), await makeRound()];
  await change(kept, { fill_to_percentage: 75, driver_id: kept.driverId });
  await change(replaced, { driver_id: kept.driverId });
  const { json: driver } = await manage.call(key, 'GET', `/drivers/${deleted.driverId}`);
  await manage.call(key, 'DELETE', `/drivers/${deleted.driverId}`, { ifMatch: driver.etag });
  await change(moved, { date: new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10) });
  const statuses = [];
  for (const { token } of [kept, replaced, deleted, moved]) statuses.push((await readRound(manage.url, token)).status);
  expect(statuses).toEqual([200, 401, 401, 401]);
});

test('the level that a driver enters for a tank without a sensor is a dip, and the volume is a delivery', async ({
  database,
  manage,
}) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(database.owner, organizationNo, { stops: 1 });
  const tankNo = round.stops[0]?.tankNo ?? 0;
  await database.owner.query('update tanks set assigned_device_id = $2 where no = $1', [tankNo, newManualDevice()]);
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestReadings([{ tankNo, atMs: Date.now() - 5 * DAY_MS, fillPercentage: 30 }]);
  const token = await makeLink(manage, key, round);
  const put = (body: object): Promise<Response> => putEntry(manage.url, token, randomUUID(), body);
  expect((await readRound(manage.url, token)).json).toMatchObject({ stops: [{ is_dip: true, fill_percentage: 30 }] });
  const deliveries = async () => {
    const { rows } = await database.writer.query(
      'select points, filled_to from deliveries_of_tanks(array[$1::int], array[0::float8])',
      [tankNo],
    );
    return rows;
  };
  const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  expect((await put({ ...delivered(round, 1, 300, at(9)), filled_to: 101 })).status).toBe(400);
  expect((await put({ ...notPossible(round, 1, at(9)), filled_to: 50 })).status).toBe(400);
  expect((await put({ ...delivered(round, 1, 300, at(8)), filled_to: 78 })).status).toBe(201);
  expect(await deliveries()).toEqual([{ points: 60, filled_to: 78 }]);
  expect(await new DipStore(database.writer).storeBatch()).toBe(false);
  const { rows } = await database.owner.query('select latest_fill_percentage from tank_states where tank_no = $1', [
    tankNo,
  ]);
  expect(rows).toEqual([{ latest_fill_percentage: 78 }]);
  const { rows: marked } = await database.owner.query(
    'select settings_from is not null as is_marked from reevaluations where tank_no = $1',
    [tankNo],
  );
  expect(marked).toEqual([{ is_marked: true }]);
  // With the number of a delivery note the delivery still counts once.
  await put({ ...delivered(round, 1, 300, at(7)), filled_to: 78, note: 'A-1' });
  expect(await deliveries()).toEqual([{ points: 60, filled_to: 78 }]);
  await put({ ...delivered(round, 1, 1, at(6)), kind: 'reopened', volume: null, unit: null });
  expect(await deliveries()).toEqual([]);
});

test('notes and dips of a phone with a wrong year get plausible times, and its entries keep their order', async ({
  database,
  manage,
}) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(database.owner, organizationNo, { stops: 2 });
  for (const { tankNo } of round.stops)
    await database.owner.query('update tanks set assigned_device_id = $2 where no = $1', [tankNo, newManualDevice()]);
  const token = await makeLink(manage, key, round);
  const earliest = new Date(Date.parse(`${round.date}T00:00:00Z`) - 2 * DAY_MS).toISOString();
  const read = async (text: string): Promise<unknown[]> => (await database.owner.query(text, [organizationNo])).rows;
  const NOTES = 'select number, at, volume, filled_to from delivery_notes where organization_no = $1 order by number';
  const DIPS = `select at, fill_percentage, at between now() - interval '1 minute' and now() as is_now
    from waiting_dips where organization_no = $1 order by no`;

  // The phone was reset to 1970, and the newer entry arrives first. Its time becomes two days before the round.
  const noted = { ...delivered(round, 1, 310, '1970-01-01T00:09:00Z'), note: '7', filled_to: 80 };
  const id = randomUUID();
  expect((await putEntry(manage.url, token, id, noted)).status).toBe(201);
  expect((await putEntry(manage.url, token, id, noted)).status, 'the same entry again').toBe(200);
  const earlier = { ...delivered(round, 1, 300, '1970-01-01T00:08:00Z'), filled_to: 70 };
  expect((await putEntry(manage.url, token, randomUUID(), earlier)).status).toBe(201);
  expect(await read(NOTES)).toEqual([{ number: '7', at: earliest, volume: 310, filled_to: 80 }]);
  expect(
    await read(
      'select said_at, said_litres, said_filled_to from round_stops where organization_no = $1 and number = 1',
    ),
  ).toEqual([{ said_at: earliest, said_litres: 310, said_filled_to: 80 }]);
  const listed = await manage.call(key, 'GET', `/rounds/${round.id}/driver-entries`);
  expect(listed.json.data.map(({ at }: { at: string }) => at)).toEqual([
    '1970-01-01T00:09:00.000Z',
    '1970-01-01T00:08:00.000Z',
  ]);

  // The phone is years ahead. The time of an entry becomes the time of its arrival, so that the next entry counts.
  await database.owner.query('delete from waiting_dips where organization_no = $1', [organizationNo]);
  await putEntry(manage.url, token, randomUUID(), {
    ...delivered(round, 2, 300, '9998-01-01T00:00:00Z'),
    filled_to: 75,
  });
  const [dip, ...more] = await read(DIPS);
  expect([dip, more]).toEqual([{ at: expect.any(String), fill_percentage: 75, is_now: true }, []]);
  await putEntry(manage.url, token, randomUUID(), delivered(round, 2, 200, '9997-01-01T00:00:00Z'));
  expect(await read('select said_litres from round_stops where organization_no = $1 and number = 2')).toEqual([
    { said_litres: 200 },
  ]);
  await putEntry(manage.url, token, randomUUID(), {
    ...delivered(round, 2, 301, '9998-01-01T00:01:00Z'),
    note: '8',
    filled_to: 76,
  });
  expect((await read(DIPS)).at(-1)).toEqual({ at: expect.any(String), fill_percentage: 76, is_now: true });
});

test('a delivery at a stop that is no longer on the round is stored with its tank', async ({ database, manage }) => {
  const { key, round, token, put } = await givenLink(database, manage);
  await database.owner.query('delete from round_stops where round_no = $1 and number = 2', [round.no]);
  // Its number now belongs to another tank.
  await database.owner.query('update round_stops set number = 2 where round_no = $1 and number = 3', [round.no]);
  expect((await put(delivered(round, 2))).status).toBe(201);
  const { json } = await readRound(manage.url, token);
  expect(json.stops.map((stop: { state: string }) => stop.state)).toEqual(['open', 'open']);
  const listed = await manage.call(key, 'GET', `/rounds/${round.id}/driver-entries`);
  expect(listed.json.data).toMatchObject([{ tank_id: round.stops[1]?.tankId, volume: 300 }]);
});

test('wrong, expired, ended and unknown links get the same answer, and change nothing', async ({
  database,
  manage,
}) => {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(database.owner, organizationNo);
  const yesterday = await givenRound(database.owner, organizationNo, { daysAgo: 2 });
  const cancelled = await givenRound(database.owner, organizationNo);
  const ofCancelled = await makeLink(manage, key, cancelled);
  await database.owner.query(`update rounds set state = 'cancelled', ended_at = now() where no = $1`, [cancelled.no]);
  const token = await makeLink(manage, key, round);
  const [, generation, expires, signature = ''] = token.split('.');
  const link = { roundId: round.id, generation: 0, readUntilMs: readUntilMs(round) };
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const ended = [
    [round.id, generation, expires, flipped].join('.'),
    [round.id, generation, Number(expires) + 86_400, signature].join('.'),
    [yesterday.id, generation, expires, signature].join('.'),
    signDriverLink('a secret that never was one of this installation', link),
    signDriverLink(LINK_SECRET, { ...link, roundId: yesterday.id, readUntilMs: readUntilMs(yesterday) }),
    signDriverLink(LINK_SECRET, { ...link, roundId: uuid7() }),
    signDriverLink(LINK_SECRET, { ...link, generation: 1 }),
    ofCancelled,
    'nonsense',
    '',
  ];
  const withoutId = ({ status, text, headers }: Response): unknown => [
    status,
    text.replace(/"request_id":"[^"]*"/, ''),
    headers['www-authenticate'],
  ];
  const answers = await Promise.all(ended.map(async (text) => withoutId(await readRound(manage.url, text))));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject([401, expect.stringContaining('not valid'), 'Bearer']);
  expect((await readRound(manage.url, token)).status).toBe(200);

  expect((await manage.call(key, 'DELETE', `/rounds/${round.id}/driver-link`)).status).toBe(204);
  expect(withoutId(await readRound(manage.url, token))).toEqual(answers[0]);
  expect(withoutId(await putEntry(manage.url, token, randomUUID(), delivered(round, 1)))).toEqual(answers[0]);
  const { rows } = await database.owner.query(
    `select (select count(*)::int from driver_entries where round_no = $1) as entries, state from rounds where no = $1`,
    [round.no],
  );
  expect(rows).toEqual([{ entries: 0, state: 'planned' }]);
  // A new link works, also for the entry that the ended link could not send.
  const again = await makeLink(manage, key, round);
  expect(again).not.toBe(token);
  expect((await putEntry(manage.url, again, randomUUID(), delivered(round, 1))).status).toBe(201);
});

test('after its day a link shows nothing, but accepts entries for seven days', async ({ database, manage }) => {
  const { organizationNo } = await givenManagedOrganization(database);
  const tokenOf = (round: GivenRound): string =>
    signDriverLink(PREVIOUS_SECRET, { roundId: round.id, generation: 0, readUntilMs: readUntilMs(round) });
  const late = await givenRound(database.owner, organizationNo, { daysAgo: 6 });
  expect((await readRound(manage.url, tokenOf(late))).status).toBe(401);
  expect((await putEntry(manage.url, tokenOf(late), randomUUID(), delivered(late, 1))).status).toBe(201);
  const tooLate = await givenRound(database.owner, organizationNo, { daysAgo: 9 });
  expect((await putEntry(manage.url, tokenOf(tooLate), randomUUID(), delivered(tooLate, 1))).status).toBe(401);
});

test('invalid, too large and too many entries are refused, requests are limited, and reading changes nothing', async ({
  database,
  manage,
}) => {
  const { organizationNo, round, token, put } = await givenLink(database, manage, { stops: 1 });
  const good = delivered(round, 1);
  for (const wrong of [
    { ...good, volume: null },
    { ...good, volume: -1 },
    { ...good, volume: 1_000_001 },
    { ...good, unit: null },
    { ...good, reason: 'full' },
    { ...good, kind: 'stolen' },
    { ...good, at: 'noon' },
    { ...good, at: '0001-01-01T00:00:00+14:00' },
    { ...good, at: '1969-12-31T23:59:59.999Z' },
    { ...good, at: '9999-12-31T23:59:59-12:00' },
    { ...good, at: '9999-12-31T23:59:59.9999Z' },
    { ...good, stop: 0 },
    { ...good, more: 1 },
    { ...notPossible(round, 1), comment: 'a\0b' },
  ])
    expect((await put(wrong)).status, JSON.stringify(wrong)).toBe(400);
  expect((await put({ ...notPossible(round, 1), comment: 'x'.repeat(5_000) })).status).toBe(413);
  expect((await putEntry(manage.url, token, 'not-a-uuid', good)).status).toBe(400);
  const before = await database.owner.query('select xmin::text from rounds where no = $1', [round.no]);
  await readRound(manage.url, token);
  expect((await database.owner.query('select xmin::text from rounds where no = $1', [round.no])).rows).toEqual(
    before.rows,
  );

  await database.owner.query(
    `insert into driver_entries (id, organization_no, round_no, stop_number, kind, at)
     select gen_random_uuid(), $1, $2, 1, 'reopened', now() from generate_series(1, 2000)`,
    [organizationNo, round.no],
  );
  expect((await put(good)).status).toBe(409);
  // The requests of all phones of a link are limited together, to 5 a second, so a slow machine may need several attempts.
  const statuses = new Set<number>();
  while (!statuses.has(429)) {
    const flood = await Promise.all(Array.from({ length: 100 }, () => readRound(manage.url, token)));
    for (const { status } of flood) statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200, 429]));
});

test('links and entries belong to one organization, and the login of the api writes no entry itself', async ({
  database,
  manage,
}) => {
  const one = await givenManagedOrganization(database);
  const other = await givenManagedOrganization(database);
  const round = await givenRound(database.owner, one.organizationNo);
  const foreign = await givenRound(database.owner, other.organizationNo);
  for (const [method, path] of [
    ['POST', 'driver-link'],
    ['DELETE', 'driver-link'],
    ['GET', 'driver-entries'],
  ] as const)
    expect((await manage.call(one.key, method, `/rounds/${foreign.id}/${path}`)).status).toBe(404);
  // The tank of another organization closes nothing and is not named.
  const token = await makeLink(manage, one.key, round);
  const sent = await putEntry(manage.url, token, randomUUID(), {
    ...delivered(round, 1),
    tank_id: foreign.stops[0]?.tankId,
  });
  expect(sent.status).toBe(201);
  const listed = await manage.call(one.key, 'GET', `/rounds/${round.id}/driver-entries`);
  expect(listed.json.data).toMatchObject([{ tank_id: null }]);
  expect((await readRound(manage.url, token)).json.stops[0].state).toBe('open');
  for (const statement of [
    'select * from driver_entries',
    'delete from driver_entries',
    `update rounds set link_generation = 9`,
    `update round_stops set said = null`,
  ])
    await expect(database.api.query(statement)).rejects.toThrow('permission denied');
});

test('an entry that waits for the deletion of its tank has no tank, no comment and no note', async ({
  database,
  manage,
}) => {
  const { organizationNo, round, token } = await givenLink(database, manage);
  const { rows: tanks } = await database.owner.query('select no from tanks where id = $1', [round.stops[0]?.tankId]);
  const id = randomUUID();
  const entry = { ...delivered(round, 1), comment: 'The gate is open', note: 'A-1' };
  const { sent } = await transaction(database.operator, async (tx) => {
    await deleteTank(tx, organizationNo, tanks[0].no);
    const waiting = putEntry(manage.url, token, id, entry);
    await expectLockWaits(database.owner, 1);
    return { sent: waiting };
  });
  expect((await sent).status).toBe(201);
  const { rows } = await database.owner.query('select tank_no, comment, volume from driver_entries where id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ tank_no: null, comment: null, volume: 300 }]);
  expect(await notesOf(database, organizationNo)).toEqual([]);
});

test('the entries at a deleted tank stay, without the tank and the comment', async ({ database, manage }) => {
  const { key, round, token } = await givenLink(database, manage);
  const entry = notPossible(round, 1);
  const id = randomUUID();
  await putEntry(manage.url, token, id, entry);
  await database.owner.query('select set_config($1, $2, false)', ['tankwatch.actor', 'test']);
  const deleted = await manage.call(key, 'DELETE', `/tanks/${round.stops[0]?.tankId}`, { ifMatch: '*' });
  expect(deleted.status, deleted.text).toBe(204);
  const { rows } = await database.owner.query('select tank_no, comment, reason from driver_entries where id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ tank_no: null, comment: null, reason: 'other' }]);
  // A phone that got no answer sends it again.
  expect((await putEntry(manage.url, token, id, entry)).status).toBe(200);
});
