import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkWeather } from '../../src/doctor/weather.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { findTankStatus } from '../../src/status/refill_list.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { updateWeatherForecasts } from '../../src/weather/learn_weather.ts';
import { deleteOldForecasts, storeTemperatures } from '../../src/weather/store_temperatures.ts';
import type { Temperature, TemperatureKind } from '../../src/weather/temperature_row.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { evaluationsOf, settle } from '../support/evaluation.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { test } from '../support/ingest.ts';
import type { TestDatabase } from '../support/test.ts';

const TODAY = Math.floor(Date.now() / DAY_MS);
/** The mean of a day, rounded to a tenth. It rises and falls within 19 days, so that the use of a heated tank does too. */
const celsiusOn = (day: number): number => Math.round(80 * Math.sin(day / 3) - 20) / 10;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

const temperature = (
  place: string,
  day: number,
  kind: TemperatureKind,
  meanC = celsiusOn(day),
  issuedAtMs = kind === 'forecast' ? Date.now() : (day + 1) * DAY_MS,
): Temperature => ({
  place,
  postalCode: null,
  latitude: null,
  longitude: null,
  day,
  kind,
  meanC,
  issuedAtMs,
  source: 'test',
});

const days = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

/** Returns the readings of the 50 days until a time. A tank that heats uses more on cold days, and one that cooks does not. */
function readingsUntil(tankNo: number, untilMs: number, isHeating: boolean) {
  let fill = 85;
  return days(-200, 1).map((n) => {
    const atMs = untilMs + n * 6 * HOUR_MS;
    const use = isHeating ? 0.15 * Math.max(0, 15 - celsiusOn(Math.floor(atMs / DAY_MS))) : 2;
    fill = fill - use / 4 < 30 ? 85 : fill - use / 4;
    return { tankNo, atMs, fillPercentage: Math.round(fill * 10) / 10 };
  });
}

async function givenPlaced(database: TestDatabase) {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const [heated, cooking, coded, chosen, far] = await givenTanks(database.operator, organizationNo, owner.no, [
    { name: 'heated', latitude: 39.7, longitude: -104.9, postal_code: '80202' },
    { name: 'cooking', latitude: 39.5, longitude: -104.9 },
    { name: 'coded', postal_code: '802 02' },
    { name: 'chosen', latitude: 39.7, longitude: -104.9 },
    { name: 'far', latitude: 41.5, longitude: -104.9, postal_code: '99999' },
  ]);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const run = (...args: string[]) =>
    runCommand([...args, '--organization', code], { DATABASE_URL: database.urls.operator });
  return { organizationNo, code, heated, cooking, coded, chosen, far, run };
}

/** Stores the weather of a station near the tanks: observed until yesterday, and a forecast for a week. */
async function givenWeather(database: TestDatabase, organizationNo: number, from = TODAY - 60): Promise<void> {
  const station = { latitude: 39.86, longitude: -104.67 };
  await storeTemperatures(database.operator, organizationNo, [
    ...days(from, TODAY).map((day) => ({ ...temperature('KDEN', day, 'observed'), ...station })),
    ...days(TODAY, TODAY + 7).map((day) => ({ ...temperature('KDEN', day, 'forecast'), ...station })),
  ]);
}

const rowOf = async ({ owner }: TestDatabase, tankNo: number) =>
  (
    await owner.query<{ place: string; matched_by: string; share: number; learned_days: number; threshold_on: string }>(
      `select p.name as place, w.matched_by, w.share, w.learned_days, f.threshold_on::text
       from tank_weather w join places p on p.no = w.place_no join fleet_tanks f on f.tank_no = w.tank_no
       where w.tank_no = $1`,
      [tankNo],
    )
  ).rows[0];

test('the place of a tank is the chosen one, the nearest within 50 km, that of its postal code, or none', async ({
  database,
}) => {
  const fleet = await givenPlaced(database);
  const forecastAt = (place: string, latitude: number | null, longitude: number | null, postalCode: string | null) => ({
    ...temperature(place, TODAY, 'forecast'),
    latitude,
    longitude,
    postalCode,
  });
  await storeTemperatures(database.operator, fleet.organizationNo, [
    forecastAt('near', 39.8, -104.9, null),
    forecastAt('nearer', 39.71, -104.91, null),
    forecastAt('postal 8', null, null, '8'),
    forecastAt('postal 802', null, null, '802'),
    forecastAt('other', 10, 10, null),
  ]);
  const { stdout } = await fleet.run('weather', 'assign', fleet.chosen.id, '--place', 'other');
  expect(stdout).toContain('its weather is that of other');
  await updateWeatherForecasts(database.worker, Date.now());
  const places = await Promise.all(
    [fleet.heated, fleet.cooking, fleet.coded, fleet.chosen, fleet.far].map(({ no }) => rowOf(database, no)),
  );
  expect(places.map((row) => row && [row.place, row.matched_by])).toEqual([
    ['nearer', 'coordinates'],
    ['nearer', 'coordinates'],
    ['postal 802', 'postal_code'],
    ['other', 'choice'],
    undefined,
  ]);
  await fleet.run('weather', 'assign', fleet.chosen.id);
  await fleet.run('weather', 'remove', 'nearer');
  await updateWeatherForecasts(database.worker, Date.now());
  expect(await rowOf(database, fleet.chosen.no)).toMatchObject({ place: 'near', matched_by: 'coordinates' });
});

test('a heated tank learns its share of heating, and a colder forecast moves only its date, not that of a kitchen', async ({
  database,
}) => {
  const { organizationNo, heated, cooking, run } = await givenPlaced(database);
  const ingester = new BatchIngester(database.writer);
  // The forecast begins with the day of the last reading, so that reading is of today, also in the first hour of a day.
  const untilMs = Math.max(Date.now() - HOUR_MS, TODAY * DAY_MS);
  const readings = [readingsUntil(heated.no, untilMs, true), readingsUntil(cooking.no, untilMs, false)];
  const upTo = (ms: number) => readings.flat().filter(({ atMs }) => atMs <= ms);
  const since = (fromMs: number, toMs: number) => upTo(toMs).filter(({ atMs }) => atMs > fromMs);
  // The worker runs once a day, and the weather of a day is known on the next day.
  for (let ms = untilMs - 50 * DAY_MS, fromMs = 0; ms <= untilMs; fromMs = ms, ms += DAY_MS) {
    await ingester.ingestReadings(since(fromMs, ms));
    const day = Math.floor(ms / DAY_MS);
    await storeTemperatures(database.operator, organizationNo, [
      ...days(fromMs === 0 ? day - 60 : day - 1, day).map((observedDay) => ({
        ...temperature('KDEN', observedDay, 'observed'),
        latitude: 39.86,
        longitude: -104.67,
      })),
      ...days(day, day + 7).map((next) => temperature('KDEN', next, 'forecast', celsiusOn(next), ms)),
    ]);
    await updateWeatherForecasts(database.worker, ms);
  }
  expect(await rowOf(database, heated.no)).toMatchObject({ place: 'KDEN', share: expect.closeTo(0.95, 0) });
  expect((await rowOf(database, heated.no))?.share).toBeGreaterThan(0.6);
  expect(await rowOf(database, cooking.no)).toMatchObject({ share: 0 });

  // A much colder forecast moves the date of the heated tank. No state and no event changes.
  const before = await evaluationsOf(database, [heated.no, cooking.no]);
  const dates = async () =>
    [await rowOf(database, heated.no), await rowOf(database, cooking.no)].map((row) => row?.threshold_on);
  const [heatedOn = '', cookingOn] = await dates();
  const cold = days(TODAY, TODAY + 10).map((day) => temperature('KDEN', day, 'forecast', -30));
  await storeTemperatures(database.operator, organizationNo, cold);
  expect(await updateWeatherForecasts(database.worker, Date.now())).toMatchObject({ places: 1, tanks: 3, moved: 1 });
  const [colderOn = '', sameOn] = await dates();
  expect(colderOn < heatedOn).toBe(true);
  expect(sameOn).toBe(cookingOn);
  expect(await evaluationsOf(database, [heated.no, cooking.no])).toEqual(before);
  expect(await updateWeatherForecasts(database.worker, Date.now())).toEqual({ places: 0, tanks: 0, moved: 0 });

  // A new evaluation of the tank writes the same date.
  const date = async () => (await rowOf(database, heated.no))?.threshold_on;
  await database.owner.query(`update fleet_tanks set threshold_on = 'infinity' where tank_no = $1`, [heated.no]);
  await run('tanks', 'update', heated.id, '--min-fill-alert-percentage', '21');
  await settle(database);
  await run('tanks', 'update', heated.id, '--min-fill-alert-percentage', '20');
  await settle(database);
  expect(await date()).toBe(colderOn);

  // The status and the explanation name the forecast and the weather that it assumes.
  const status = await findTankStatus(database.api, organizationNo, heated.no, untilMs);
  expect(status?.weather).toMatchObject({
    place: 'KDEN',
    use: 'used',
    forecast_c: -30,
    forecast_until: dateOf(TODAY + 9),
  });
  expect(status?.weather?.days).toBeLessThan(status?.weather?.days_without ?? 0);
  expect((await findTankStatus(database.api, organizationNo, cooking.no, untilMs))?.weather).toMatchObject({
    use: 'not_explained',
  });
  const explained = await run('alerts', 'explain', heated.id);
  expect(explained.stdout).toMatch(
    /with -30 °C forecast until .* in KDEN: .* days to the threshold instead of .* days; about \d+ % of/,
  );

  // With normals, observations until yesterday are current weather.
  const doctor = () => checkWeather({ pool: database.operator, fix: false, progress: () => {} });
  await database.owner.query(
    `with old as (delete from place_temperatures where kind = 'forecast')
     insert into place_temperatures (place_no, kind, on_date, issued_at, mean_c)
     select no, 'normal', date '2026-01-15' + make_interval(months => month), now(), 5 from places, generate_series(0, 11) month
     where organization_no = $1`,
    [organizationNo],
  );
  await database.owner.query(`update places set changed_at = now(), computed_at = null where organization_no = $1`, [
    organizationNo,
  ]);
  await updateWeatherForecasts(database.worker, Date.now());
  expect(await doctor()).toEqual([]);

  // The weather ended 41 days ago: doctor reports it, and the forecast does not use it.
  await database.owner.query(
    `update place_temperatures set on_date = on_date - 40 where place_no in (select no from places where organization_no = $1)`,
    [organizationNo],
  );
  await database.owner.query('update places set changed_at = now() where organization_no = $1', [organizationNo]);
  await updateWeatherForecasts(database.worker, Date.now());
  expect((await findTankStatus(database.api, organizationNo, heated.no, untilMs))?.weather).toMatchObject({
    use: 'not_current',
    known_until: dateOf(TODAY - 1 - 40),
  });
  const [found] = await doctor();
  expect(found).toMatchObject({ isWarning: true, problem: expect.stringContaining('the weather of KDEN') });
});

test('observations up to 12 days late, twice and out of order give the same model as observations in order', async ({
  database,
}) => {
  const [inOrder, shuffled] = [await givenPlaced(database), await givenPlaced(database)];
  const ingester = new BatchIngester(database.writer);
  const untilMs = Date.now() - HOUR_MS;
  const [firstMs, first] = [untilMs - 35 * DAY_MS, Math.floor(untilMs / DAY_MS) - 35];
  const station = { latitude: 39.86, longitude: -104.67 };
  const observe = ({ organizationNo }: { organizationNo: number }, observed: readonly number[]) =>
    storeTemperatures(
      database.operator,
      organizationNo,
      observed.map((day) => ({ ...temperature('KDEN', day, 'observed'), ...station })),
    );
  for (const fleet of [inOrder, shuffled]) await observe(fleet, days(first - 60, first));
  const arrivesOn = (day: number): number => Math.min(TODAY, day + 1 + ((day * 7_919) % 13));
  for (let ms = firstMs, fromMs = 0; ms <= untilMs; fromMs = ms, ms += DAY_MS) {
    const day = Math.floor(ms / DAY_MS);
    for (const { heated } of [inOrder, shuffled]) {
      const readings = readingsUntil(heated.no, untilMs, true);
      await ingester.ingestReadings(readings.filter(({ atMs }) => atMs > fromMs && atMs <= ms));
    }
    await observe(inOrder, days(first, day));
    await observe(
      shuffled,
      days(first, day).filter((observed) => arrivesOn(observed) === day || arrivesOn(observed) === day - 2),
    );
    // In reality a day passes, which makes every place due.
    await database.owner.query('update places set changed_at = clock_timestamp()');
    await updateWeatherForecasts(database.worker, ms);
  }
  await observe(shuffled, days(first, TODAY));
  await observe(inOrder, days(first, TODAY));
  await updateWeatherForecasts(database.worker, Date.now());
  const { rows } = await database.owner.query<{ model: string; learned_days: number }>(
    'select model, learned_days from tank_weather where tank_no = any ($1)',
    [[inOrder.heated.no, shuffled.heated.no]],
  );
  expect(rows[0]?.learned_days).toBeGreaterThan(30);
  expect(rows[1]).toEqual(rows[0]);
});

test('an observation counts before forecasts, then the newest issue, and old issues are deleted', async ({
  database,
}) => {
  const { organizationNo, run } = await givenPlaced(database);
  const hoursAgo = (hours: number): number => Date.now() - hours * HOUR_MS;
  await givenWeather(database, organizationNo, TODAY - 20);
  const issue = (celsius: number, hours: number) =>
    temperature('KDEN', TODAY + 1, 'forecast', celsius, hoursAgo(hours));
  await storeTemperatures(database.operator, organizationNo, [
    issue(11, -0.5),
    issue(12, 80 * 24),
    issue(13, 10 * 24),
    temperature('KDEN', TODAY - 3, 'forecast', 14, Date.now()),
    temperature('KDEN', TODAY - 4, 'observed', 15, Date.now()),
  ]);
  const shown: { days: { date: string; mean_c: number; kind: string }[] } = JSON.parse(
    (await run('weather', 'show', 'KDEN', '--json')).stdout,
  );
  const on = (day: number) => shown.days.find(({ date }) => date === dateOf(day));
  expect([on(TODAY + 1), on(TODAY - 3), on(TODAY - 4)]).toMatchObject([
    { mean_c: 11, kind: 'forecast' },
    { mean_c: celsiusOn(TODAY - 3), kind: 'observed' },
    { mean_c: 15, kind: 'observed' },
  ]);
  await deleteOldForecasts(database.worker);
  const { rows: left } = await database.owner.query(
    `select t.mean_c from place_temperatures t join places p on p.no = t.place_no
     where p.organization_no = $1 and t.kind = 'forecast' and t.on_date = $2 order by t.mean_c`,
    [organizationNo, dateOf(TODAY + 1)],
  );
  expect(left.map(({ mean_c }) => mean_c)).toEqual([celsiusOn(TODAY + 1), 11, 13]);
  expect((await run('weather', 'list')).stdout).toMatch(/KDEN .* test/);
});

test('an import of a file names its bad rows, and a second import changes nothing', async ({ database }) => {
  const { run } = await givenPlaced(database);
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-weather-'));
  const file = join(folder, 'weather.csv');
  await writeFile(
    file,
    ['station;date;min;max;unit', `KDEN;${dateOf(TODAY - 2)};14,0;32,0;F`, `KDEN;${dateOf(TODAY - 1)};14;999;F`].join(
      '\n',
    ),
  );
  const options = ['weather', 'import', file, '--decimal', 'comma', '--bad', join(folder, 'bad.csv')];
  const dry = await run(...options, '--dry-run');
  expect([dry.code, dry.stdout]).toEqual([1, expect.stringContaining('2 rows: 1 stored, 0 unchanged, 1 rejected')]);
  const first = await run(...options);
  expect(first.stderr).toMatch(/max: '999' must be between -70 and 55 °C; is the unit right\?, line 3/);
  expect(first.stdout).toBe('2 rows: 1 stored, 0 unchanged, 1 rejected\n');
  expect((await run(...options)).stdout).toBe('2 rows: 0 stored, 1 unchanged, 1 rejected\n');
  const shown: unknown = JSON.parse((await run('weather', 'show', 'KDEN', '--json')).stdout);
  expect(shown).toMatchObject({ place: 'KDEN', days: [{ date: dateOf(TODAY - 2), mean_c: -5, kind: 'observed' }] });
});

test('a program pushes temperatures with an ingest key, into its own organization only', async ({
  database,
  ingest,
}) => {
  const mine = await givenPlaced(database);
  const other = await givenPlaced(database);
  const { text: key } = await givenKey(database.operator, { organizationNo: mine.organizationNo, scopes: ['ingest'] });
  const { text: readKey } = await givenKey(database.operator, { organizationNo: mine.organizationNo });
  const push = (apiKey: string, body: string) =>
    callApi(ingest.gateway.httpUrl, '/ingest/weather', { method: 'POST', body, headers: { 'x-api-key': apiKey } });
  const body = JSON.stringify({
    temperatures: [
      { station: 'KDEN', date: dateOf(TODAY + 1), mean: -8.5, kind: 'forecast', source: 'a program' },
      { station: 'KDEN', date: 'soon', mean: 1 },
    ],
  });
  const answer = await push(key, body);
  expect([answer.status, answer.json]).toEqual([
    202,
    {
      accepted: 1,
      rejected: [{ index: 1, code: 'invalid_date', detail: expect.stringContaining("'soon' must be a day") }],
    },
  ]);
  expect((await push(key, body)).status).toBe(202);
  expect((await push(readKey, body)).status).toBe(403);
  expect((await push('a0nobody', body)).status).toBe(401);
  expect((await push(key, '{"temperatures": 1}')).status).toBe(400);
  const get = await callApi(ingest.gateway.httpUrl, '/ingest/weather', { headers: { 'x-api-key': key } });
  expect([get.status, get.headers['allow']]).toEqual([405, 'POST']);
  const counts = await database.owner.query(
    `select (select count(*) from places where organization_no = $1) as mine,
            (select count(*) from places where organization_no = $2) as others,
            (select count(*) from place_temperatures t join places p on p.no = t.place_no where p.organization_no = $1) as days`,
    [mine.organizationNo, other.organizationNo],
  );
  expect(counts.rows).toMatchObject([{ mine: 1, others: 0 }]);
  // A place above the limit of 5,000 is refused.
  await database.owner.query(
    `insert into places (organization_no, name) select $1, 'p' || n from generate_series(1, 4999) as n`,
    [mine.organizationNo],
  );
  const many = await push(
    key,
    JSON.stringify({ temperatures: [{ station: 'one more', date: dateOf(TODAY), mean: 1 }] }),
  );
  expect([many.status, many.json.detail]).toEqual([400, expect.stringContaining('at most 5000 places')]);
  await database.owner.query('delete from places where organization_no = $1', [mine.organizationNo]);
});

test('a deleted tank has no weather, and an erased organization has no places', async ({ database }) => {
  const { organizationNo, heated, run } = await givenPlaced(database);
  await givenWeather(database, organizationNo);
  await updateWeatherForecasts(database.worker, Date.now());
  expect(await rowOf(database, heated.no)).toBeDefined();
  await run('tanks', 'delete', heated.id);
  expect(await rowOf(database, heated.no)).toBeUndefined();
  await database.owner.query('update organizations set deleted_at = now(), erased_at = now() where no = $1', [
    organizationNo,
  ]);
  const { rows } = await database.owner.query('select from places where organization_no = $1', [organizationNo]);
  expect(rows).toEqual([]);
});
