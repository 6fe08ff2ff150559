import { describe, expect } from 'vitest';
import { Tankwatch } from '../../packages/client/src/client.ts';
import { fireAllTimers } from '../../src/evaluation/fire_timers.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { STATUSES_OF_TANKS } from '../../src/status/status_rows.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { test as base, type TestApi, type TestDatabase } from '../support/test.ts';

interface Listed {
  tank: { id: string; name: string };
  status: string[];
  reading: { fill_percentage: number } | null;
  threshold: { likely_at: string | null } | null;
}

const NOW = Date.now();

/** Hourly readings of ten days up to now, falling by `perDay` points a day to `fill`. */
const fallingTo = (fill: number, perDay: number, tankNo: number, untilMs = NOW) =>
  Array.from({ length: 241 }, (_, index) => ({
    tankNo,
    atMs: untilMs - (240 - index) * HOUR_MS,
    fillPercentage: Math.round((fill + ((240 - index) / 24) * perDay) * 10) / 10,
  }));

async function givenFleet(database: TestDatabase) {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const maria = await givenCustomer(operator, organizationNo, {
    name: 'María López',
    phone: '+52 1',
    external_key: 'C-1',
  });
  const juan = await givenCustomer(operator, organizationNo, { name: 'Juan Pérez' });
  const [low, lower, soon, later, silent] = await givenTanks(operator, organizationNo, maria.no, [
    { name: 'low', city: 'Celaya' },
    { name: 'lower', city: 'Celaya', use_case: 'commercial' },
    { name: 'soon', custom_id: 'X-77', city: 'Puebla', latitude: 19.05, longitude: -98.2 },
    { name: 'later', latitude: 20.52, longitude: -100.81 },
    { name: 'silent' },
  ]);
  await givenTank(operator, organizationNo, juan.no, { name: 'unheard' });
  await new BatchIngester(writer).ingestReadings(
    [
      ...fallingTo(18, 1, low.no),
      ...fallingTo(9, 1, lower.no),
      ...fallingTo(25, 1, soon.no),
      ...fallingTo(60, 1, later.no),
      // Its earliest day is two or three days from now, so that the lists do not depend on the time of the test.
      ...fallingTo(42, 1, silent.no, NOW - 12 * DAY_MS),
    ].toSorted((a, b) => a.tankNo - b.tankNo || a.atMs - b.atMs),
  );
  await fireAllTimers(writer, NOW);
  const key = await givenKey(operator, { organizationNo });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: juan.no });
  return { organizationNo, maria, juan, key: key.text, narrowed: narrowed.text };
}

/** The fleet of all tests that do not change it. */
const test = base.extend<{ $file: { fleet: Awaited<ReturnType<typeof givenFleet>> } }>({
  fleet: [async ({ database }, use) => use(await givenFleet(database)), { scope: 'file' }],
});

const names = async (api: TestApi, key: string, query = ''): Promise<string[]> => {
  const { status, json, text } = await api.call(`/fleet/v1/tanks${query}`, { key });
  if (status !== 200) throw new Error(text);
  return json.data.map(({ tank }: Listed) => tank.name);
};

describe('the list of tanks by urgency', () => {
  test('low tanks come first, the emptiest first, then tanks by the time to their threshold, and unheard tanks last', async ({
    fleet: { key, narrowed },
    api,
  }) => {
    expect(await names(api, key)).toEqual(['lower', 'low', 'silent', 'soon', 'later', 'unheard']);
    expect(await names(api, key, '?sort=-urgency')).toEqual(['unheard', 'later', 'soon', 'silent', 'low', 'lower']);
    expect(await names(api, key, '?sort=level')).toEqual(['lower', 'low', 'soon', 'silent', 'later', 'unheard']);
    expect(await names(api, key, '?sort=last_reading')).toEqual(['unheard', 'silent', 'low', 'lower', 'soon', 'later']);
    expect(await names(api, key, '?sort=created')).toEqual(['low', 'lower', 'soon', 'later', 'silent', 'unheard']);
    expect(await names(api, narrowed)).toEqual(['unheard']);
  });

  test('each filter returns the tanks that match, and their number', async ({
    fleet: { key, narrowed, maria },
    api,
  }) => {
    const filters: [string, string[]][] = [
      ['status=low', ['lower', 'low']],
      ['status=silent', ['silent']],
      ['status=soon', ['silent', 'soon']],
      ['status=losing', []],
      ['within_days=0', ['lower', 'low']],
      ['use_case=commercial', ['lower']],
      ['city=Celaya', ['lower', 'low']],
      ['city=Celaya&status=low&use_case=commercial', ['lower']],
      [`owner_id=${maria.id}`, ['lower', 'low', 'silent', 'soon', 'later']],
      ['q=maria', ['lower', 'low', 'silent', 'soon', 'later']],
      ['q=x-77', ['soon']],
      ['q=PÉREZ', ['unheard']],
      ['q=celaya%20low', ['lower', 'low']],
      ['near=20.5,-100.8', ['later']],
      ['near=20.5,-100.8&km=1', []],
    ];
    for (const [query, expected] of filters) {
      const { json, status } = await api.call(`/fleet/v1/tanks?${query}`, { key });
      expect(status, query).toBe(200);
      expect(
        json.data.map(({ tank }: Listed) => tank.name),
        query,
      ).toEqual(expected);
      expect(json.total_items, query).toBe(expected.length);
    }
    expect(await names(api, narrowed, `?owner_id=${maria.id}`)).toEqual([]);
    expect(await names(api, narrowed, '?q=maria')).toEqual([]);
    expect(await names(api, narrowed, '?q=unheard')).toEqual(['unheard']);
  });

  test('a walk by cursor returns every tank once, forwards and backwards, in every order', async ({
    fleet: { key },
    api,
  }) => {
    for (const sort of ['urgency', '-urgency', 'level', '-level', 'last_reading', 'last_refill']) {
      const all = await names(api, key, `?sort=${sort}`);
      const walked: string[] = [];
      let page = (await api.call(`/fleet/v1/tanks?sort=${sort}&size=2`, { key })).json;
      expect(page.previous).toBeNull();
      for (;;) {
        walked.push(...page.data.map(({ tank }: Listed) => tank.name));
        if (page.next === null) break;
        page = (await api.call(`/fleet/v1/tanks?sort=${sort}&size=2&after=${page.next}`, { key })).json;
      }
      expect(walked).toEqual(all);
      const before = await names(api, key, `?sort=${sort}&size=3&before=${page.previous}`);
      expect(before).toEqual(all.slice(1, 4));
    }
  });

  test('a cursor of another list or another caller, or a forged one, is refused', async ({
    fleet: { key, narrowed },
    api,
  }) => {
    const { json } = await api.call('/fleet/v1/tanks?size=1', { key });
    const forged = Buffer.from(JSON.stringify(['AAAAAAAA', ['x', 'y', 'z']])).toString('base64url');
    for (const [query, caller] of [
      [`after=${json.next}&size=1&sort=level`, key],
      [`after=${json.next}&status=low`, key],
      [`after=${json.next}`, narrowed],
      [`after=${forged}`, key],
      ['after=nonsense', key],
      [`after=${json.next}&before=${json.next}`, key],
    ] as const) {
      expect((await api.call(`/fleet/v1/tanks?${query}`, { key: caller })).status, query).toBe(422);
    }
  });

  test('a status has the reading, the forecast as times, the owner and the volumes', async ({
    fleet: { key },
    api,
  }) => {
    const { json } = await api.call('/fleet/v1/tanks?q=x-77', { key });
    const [tank] = json.data;
    expect(tank).toMatchObject({
      object: 'tank_status',
      owner: { external_key: 'C-1', name: 'María López', phone: '+52 1' },
      reading: { created_at: new Date(NOW).toISOString(), fill_percentage: 25, is_confirmed: true },
      status: ['soon'],
      low_since: null,
    });
    expect(tank.volume.left).toBeCloseTo(125, -1);
    expect((Date.parse(tank.threshold.likely_at) - NOW) / DAY_MS).toBeCloseTo(5, 0);
    const single = await api.call(`/fleet/v1/tanks/${tank.tank.id}`, { key });
    expect(single.json).toEqual(tank);
    expect((await api.call(`/v1/tanks/${tank.tank.id}`, { key })).json).toEqual(tank.tank);
  });

  test('the summary counts each status, and follows a change of the owner', async ({ database, api }) => {
    const { organizationNo, key, narrowed, juan } = await givenFleet(database);
    const { json } = await api.call('/fleet/v1/summary', { key });
    expect(json).toMatchObject({
      counts: { losing: 0, low: 2, gauge_unreliable: 0, silent: 1, soon: 2, refilled: 0 },
      total: 6,
      newest_reading_at: new Date(NOW).toISOString(),
    });
    await database.operator.query(`update tanks set owner_no = $1 where organization_no = $2 and name = 'low'`, [
      juan.no,
      organizationNo,
    ]);
    expect((await api.call('/fleet/v1/summary', { key: narrowed })).json).toMatchObject({
      counts: { low: 1 },
      total: 2,
    });
  });
});

test('a sparkline has the last level of each of fourteen days', async ({ fleet: { key }, api }) => {
  const { json } = await api.call('/fleet/v1/tanks?include=spark&q=x-77', { key });
  expect(json.data[0].spark).toEqual([null, null, null, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25]);
  expect((await api.call('/fleet/v1/tanks?include=all', { key })).status).toBe(422);
});

test('the map groups tanks by place, and a cell of one tank names it', async ({ fleet: { key, narrowed }, api }) => {
  const cells = async (query: string, caller = key) => {
    const { json, text, status } = await api.call(`/fleet/v1/map?${query}`, { key: caller });
    expect(status, text).toBe(200);
    return json.cells.map(({ tanks, tank_id, counts }: { tanks: number; tank_id: string | null; counts: object }) => ({
      tanks,
      hasId: tank_id !== null,
      ...counts,
    }));
  };
  expect(await cells('zoom=10')).toMatchObject([
    { tanks: 1, hasId: true },
    { tanks: 1, hasId: true },
  ]);
  expect(await cells('zoom=0')).toMatchObject([{ tanks: 2, hasId: false, soon: 1, low: 0 }]);
  expect(await cells('zoom=10&bbox=-99,19,-98,20')).toMatchObject([{ tanks: 1, soon: 1 }]);
  expect(await cells('zoom=10', narrowed)).toEqual([]);
  const { places } = (await api.call('/fleet/v1/map?zoom=3&bbox=-99,19,-98,20', { key })).json;
  expect(places).toMatchObject([{ tanks: 1, counts: { soon: 1 } }]);
  for (const query of ['', 'zoom=30', 'zoom=3&bbox=1,2,3', 'zoom=3&bbox=5,2,3,4'])
    expect((await api.call(`/fleet/v1/map?${query}`, { key })).status, query).toBe(422);
});

test('the map returns tanks one by one, narrowed by the filters of the list, and the list by the area of the map', async ({
  database,
  api,
}) => {
  const { key, maria, organizationNo, narrowed } = await givenFleet(database);
  const loser = await givenTank(database.operator, organizationNo, maria.no, {
    name: 'loser',
    city: 'Puebla',
    latitude: 19.051,
    longitude: -98.201,
    use_case: 'commercial',
  });
  await database.owner.query('update fleet_tanks set losing_seen_at = now() where tank_no = $1', [loser.no]);
  const tanksOf = async (query: string, caller = key) => {
    const { json, text, status } = await api.call(`/fleet/v1/map?zoom=8&include=tanks&${query}`, { key: caller });
    expect([status, json.cells], text).toEqual([200, []]);
    return json.tanks.map(({ latitude, status: statuses }: { latitude: number; status: string[] }) => [
      latitude,
      ...statuses,
    ]);
  };
  expect((await tanksOf('')).toSorted()).toEqual([[19.05, 'soon'], [19.051, 'losing'], [20.52]]);
  expect(await tanksOf('status=losing')).toEqual([[19.051, 'losing']]);
  expect(await tanksOf('use_case=commercial')).toEqual([[19.051, 'losing']]);
  expect(await tanksOf('q=x-77')).toEqual([[19.05, 'soon']]);
  expect(await tanksOf('near=20.5,-100.8&km=10')).toEqual([[20.52]]);
  expect(await tanksOf('within_days=30&bbox=-99,19,-98,20')).toEqual([[19.05, 'soon']]);
  expect(await tanksOf(`owner_id=${maria.id}&bbox=-101,20,-100,21`)).toEqual([[20.52]]);
  expect(await tanksOf('', narrowed)).toEqual([]);
  const { json } = await api.call('/fleet/v1/map?zoom=8&include=tanks&city=Puebla', { key });
  expect(json.places).toMatchObject([{ city: 'Puebla', tanks: 2, counts: { losing: 1, soon: 1 } }]);
  expect(json.bounds).toEqual({ west: -98.201, south: 19.05, east: -98.2, north: 19.051 });
  expect((await api.call('/fleet/v1/map?zoom=8', { key })).json.bounds).toEqual({
    west: -100.81,
    south: 19.05,
    east: -98.2,
    north: 20.52,
  });
  expect((await api.call('/fleet/v1/map?zoom=8', { key: narrowed })).json.bounds).toBeNull();

  expect(await names(api, key, '?bbox=-99,19,-98,20&use_case=commercial')).toEqual(['loser']);
  expect((await names(api, key, '?bbox=-99,19,-98,20')).toSorted()).toEqual(['loser', 'soon']);
  const { json: list } = await api.call('/fleet/v1/tanks?bbox=-99,19,-98,20&size=1', { key });
  expect(list.total_items).toBe(2);
  expect((await api.call('/fleet/v1/tanks?bbox=1,2,3', { key })).status).toBe(422);
  expect((await api.call('/fleet/v1/map?zoom=3&include=cells', { key })).status).toBe(422);
});

test('for more than 2,000 tanks the map returns cells, and each tank that is losing gas by itself', async ({
  database,
  api,
}) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const tanks = await givenTanks(
    operator,
    organizationNo,
    customer.no,
    Array.from({ length: 2_100 }, (_, index) => ({
      city: 'Celaya',
      latitude: 20.5 + (index % 50) * 0.002,
      longitude: -100.8 + Math.floor(index / 50) * 0.002,
    })),
  );
  const losing = tanks.filter((_, index) => index % 1_000 === 0);
  await owner.query('update fleet_tanks set losing_seen_at = now() where tank_no = any ($1)', [
    losing.map(({ no }) => no),
  ]);
  await owner.query('update fleet_tanks set is_low = true where tank_no = any ($1)', [
    tanks.slice(0, 500).map(({ no }) => no),
  ]);
  const { text: key } = await givenKey(operator, { organizationNo });
  const read = async (query: string) => {
    const { json, status, text } = await api.call(`/fleet/v1/map?include=tanks&${query}`, { key });
    expect(status, text).toBe(200);
    const inCells = (json.cells as { tanks: number; counts: { losing: number } }[]).reduce(
      (sum, cell) => ({ tanks: sum.tanks + cell.tanks, losing: sum.losing + cell.counts.losing }),
      { tanks: 0, losing: 0 },
    );
    return { inCells, ids: json.tanks.map(({ id }: { id: string }) => id).toSorted(), places: json.places };
  };
  const whole = await read('zoom=8');
  expect(whole).toMatchObject({
    inCells: { tanks: 2_097, losing: 0 },
    ids: losing.map(({ id }) => id).toSorted(),
    places: [{ city: 'Celaya', tanks: 2_100, counts: { losing: 3, low: 500 } }],
  });
  const low = await read('zoom=8&status=low');
  expect(low).toMatchObject({ inCells: { tanks: 499 }, ids: [losing[0]?.id] });
  // On a street, every tank is by itself.
  const street = await read('zoom=17&bbox=-100.8001,20.4999,-100.7899,20.5101');
  expect([street.inCells.tanks, street.ids.length]).toEqual([0, 36]);
});

test('the CSV file has the tanks of the filter in the same order, and opens in a spreadsheet', async ({
  database,
  api,
}) => {
  const { key, organizationNo, maria } = await givenFleet(database);
  await givenTanks(database.operator, organizationNo, maria.no, [{ name: '=1+1' }]);
  const { text, headers } = await api.call('/fleet/v1/tanks.csv', { key });
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(text.charCodeAt(0)).toBe(0xfeff);
  const lines = text.trim().split('\n').slice(1);
  expect(lines.map((line) => line.split(',')[1])).toEqual([
    'lower',
    'low',
    'silent',
    'soon',
    'later',
    'unheard',
    "'=1+1",
  ]);
  const low = await api.call('/fleet/v1/tanks.csv?status=low', { key });
  expect(low.text.trim().split('\n').length).toBe(3);
});

test('the client walks over all tanks and events, and finds a customer by external key', async ({
  fleet: { key, maria },
  api,
}) => {
  const client = new Tankwatch({ apiKey: key, baseUrl: api.url });
  const walked = await Array.fromAsync(client.fleet.tanks({ size: 2 }));
  expect(walked.map(({ tank }) => tank.name)).toEqual(['low', 'lower', 'soon', 'later', 'silent', 'unheard']);
  expect((await client.fleet.tanks({ status: 'low' })).total_items).toBe(2);
  expect((await client.fleet.summary()).counts.low).toBe(2);
  const eventTypes = async () => (await Array.fromAsync(client.fleet.events({ size: 1 }))).map(({ type }) => type);
  await expect
    .poll(async () => (await eventTypes()).toSorted(compareTexts))
    .toEqual(['tank.device_silent', 'tank.low_fill', 'tank.low_fill']);
  expect((await client.fleet.customerByExternalKey('C-1'))?.id).toBe(maria.id);
  const [first] = walked;
  if (first === undefined) throw new Error('no tank');
  expect((await client.fleet.series(first.tank.id)).readings?.levels.length).toBe(241);
  expect((await client.fleet.usage(first.tank.id, { unit: 'week' })).periods.length).toBeGreaterThan(1);
  expect((await client.fleet.search('celaya')).tanks.length).toBe(2);
});

const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1);

test('an owner finds the own tank by a word that more than a thousand tanks of others contain', async ({
  database,
  api,
}) => {
  const { operator } = database;
  const organizationNo = await givenOrganization(operator);
  const company = await givenCustomer(operator, organizationNo);
  await givenTanks(
    operator,
    organizationNo,
    company.no,
    Array.from({ length: 1_100 }, (_, n) => ({ name: `House ${n}` })),
  );
  const owner = await givenCustomer(operator, organizationNo);
  await givenTanks(operator, organizationNo, owner.no, [{ name: 'My house' }]);
  const { text: key } = await givenKey(operator, { organizationNo, customerNo: owner.no });
  expect(await names(api, key, '?q=house')).toEqual(['My house']);
  const { json } = await api.call('/fleet/v1/search?q=house', { key });
  expect(json.tanks.map(({ tank }: Listed) => tank.name)).toEqual(['My house']);
});

test('a tank that is sold between the statements of a page is hidden from its former owner; the others stay in order', async ({
  database: { owner, operator },
}) => {
  const organizationNo = await givenOrganization(operator);
  const [maria, juan] = [await givenCustomer(operator, organizationNo), await givenCustomer(operator, organizationNo)];
  const [first, sold, last] = await givenTanks(operator, organizationNo, maria.no, [{}, {}, {}]);
  await operator.query('update tanks set owner_no = $1 where no = $2', [juan.no, sold.no]);
  const readIds = async (organization: number, customerNo: number | null): Promise<unknown[]> => {
    const nos = [last.no, sold.no, first.no];
    const { rows } = await owner.query<{ id: string }>(STATUSES_OF_TANKS.text, [
      organization,
      customerNo,
      nos,
      '2026-01-01',
    ]);
    return rows.map(({ id }) => id);
  };
  expect(await readIds(organizationNo, maria.no)).toEqual([last.id, first.id]);
  expect(await readIds(organizationNo, null)).toEqual([last.id, sold.id, first.id]);
  expect(await readIds(await givenOrganization(operator), null)).toEqual([]);
});
