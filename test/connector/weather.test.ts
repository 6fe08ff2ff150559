import { createServer } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import type { Cloud } from '../../engines/clouds.ts';
import { type NwsOptions, startDwd, startNws } from '../../engines/weather_services.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { requestTrial } from '../../src/connectors/connector_changes.ts';
import type { ConnectorKind } from '../../src/connectors/connector_settings.ts';
import { dailyMeans } from '../../src/connectors/weather/daily_means.ts';
import { parseClimateStations, parseMosmixCatalog } from '../../src/connectors/weather/dwd.ts';
import { readWeatherFile } from '../../src/connectors/weather/weather_file.ts';
import { transaction } from '../../src/db/pool.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { updateWeatherForecasts } from '../../src/weather/learn_weather.ts';
import { listPlaces } from '../../src/weather/places.ts';
import {
  askNow,
  connectorEnvironment,
  failuresOf,
  givenConnector,
  givenConnectorRole,
  stateOf,
} from '../support/connectors.ts';
import { givenSender, test } from '../support/ingest.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';
import { workbookOf, zipOf } from '../support/workbook.ts';

const NOW_MS = Date.now();
/** The temperature of a day is its number in the month. */
const weather = (atMs: number): number => new Date(atMs - 7 * HOUR_MS).getUTCDate();

async function givenWeatherSource(
  database: TestDatabase,
  kind: ConnectorKind,
  settings: object,
  tanks: readonly { latitude: number; longitude: number }[],
  secret?: string,
) {
  const sender = await givenSender(
    database,
    tanks.map((_, n) => `W${Math.random().toString(36).slice(2, 10)}${n}`),
  );
  for (const [n, { latitude, longitude }] of tanks.entries())
    await database.owner.query('update tanks set latitude = $2, longitude = $3 where no = $1', [
      sender.tankNos[n],
      latitude,
      longitude,
    ]);
  const connector = await givenConnector(database, sender.organizationNo, {
    kind,
    name: 'Weather',
    settings: { requests_per_minute: 6_000, ...settings },
    ...(secret !== undefined && { secret }),
  });
  const state = () => stateOf(database, sender.organizationNo, connector.id);
  const untilState = (expected: string) => expect.poll(async () => (await state()).state).toBe(expected);
  const untilNextSuccess = async (): Promise<void> => {
    const before = (await state()).last_success_at;
    await askNow(database, connector.no);
    await expect.poll(async () => (await state()).last_success_at).not.toBe(before);
  };
  return { ...sender, ...connector, state, untilState, untilNextSuccess };
}

const readMeans = async ({ owner }: TestDatabase, organizationNo: number, place: string) =>
  (
    await owner.query<{ kind: string; date: string; mean_c: number }>(
      `select distinct on (t.kind, t.on_date) t.kind, t.on_date::text as date, t.mean_c
       from place_temperatures t join places p on p.no = t.place_no
       where p.organization_no = $1 and p.name = $2 order by t.kind, t.on_date, t.issued_at desc`,
      [organizationNo, place],
    )
  ).rows;

const DENVER = { latitude: 39.74, longitude: -104.99 };
const STATIONS = { KBKF: { latitude: 39.70166, longitude: -104.75166 } };

async function givenNws(stations: NwsOptions['stations'] = STATIONS): Promise<Cloud> {
  return untilTestEnds(startNws({ nowMs: NOW_MS, weather, stations, timeZone: 'America/Denver' }));
}

test('tanks in the United States get observed and forecast days of the nearest station, with few requests', async ({
  database,
}) => {
  const cloud = await givenNws();
  const settings = { url: cloud.url, contact: 'ops@example.com' };
  const near = { latitude: 39.79, longitude: -104.81 };
  const mexico = { latitude: 20.5, longitude: -100.8 };
  const source = await givenWeatherSource(database, 'nws', settings, [DENVER, DENVER, near, mexico]);
  await givenConnectorRole(connectorEnvironment(database));
  await source.untilState('works');
  const stored = await readMeans(database, source.organizationNo, 'KBKF');
  const observed = stored.filter(({ kind }) => kind === 'observed');
  expect(observed).toHaveLength(6);
  // A day of Denver ends at 7:00 UTC in winter and at 6:00 UTC in summer, so an hour may have the temperature of another day.
  for (const { date, mean_c } of stored) expect(Math.abs(mean_c - Number(date.slice(8)))).toBeLessThan(1.5);
  expect(stored.filter(({ kind }) => kind === 'forecast').length).toBeGreaterThanOrEqual(5);
  // Two cells have the same station. The request for the point in Mexico is answered with 404.
  const paths = cloud.requests.map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith('/points'))).toEqual([
    '/points/39.75,-105',
    '/points/39.7017,-104.7517',
    '/points/20.5,-100.75',
    '/points/39.75,-104.75',
  ]);
  expect(paths.filter((path) => path.endsWith('/forecast/hourly'))).toHaveLength(1);
  expect(cloud.requests.length).toBe(4 + 2 + 1 + 6);

  // The next round requests only the forecast.
  cloud.requests.length = 0;
  await source.untilNextSuccess();
  expect(cloud.requests.map(({ path }) => path)).toEqual(['/gridpoints/BOU/0,61/forecast/hourly']);
  expect(await readMeans(database, source.organizationNo, 'KBKF')).toEqual(stored);

  // The tanks near the station get its weather, as they do after an import of temperatures.
  await updateWeatherForecasts(database.worker, Date.now());
  const [place] = await listPlaces(database.operator, source.organizationNo);
  expect(place).toMatchObject({ place: 'KBKF', tanks: 3, source: 'NWS' });
  await source.untilNextSuccess();
  expect(await source.state()).toMatchObject({ devices: 1, tanks: 3 });
});

test('a weather service that fails is asked again later, and an answer with other fields is not stored', async ({
  database,
}) => {
  const cloud = await givenNws();
  const source = await givenWeatherSource(database, 'nws', { url: cloud.url, contact: 'ops@example.com' }, [DENVER]);
  cloud.faults.push({ status: 500 });
  await givenConnectorRole(connectorEnvironment(database));
  await source.untilState('failing');
  expect(await source.state()).toMatchObject({ last_error: 'the source answered 500' });
  cloud.faults.push({ status: 503, retryAfter: '3600' });
  await askNow(database, source.no);
  await expect.poll(async () => (await source.state()).last_error).toBe('the source answered 503');
  const { next_attempt_at: next } = await source.state();
  expect(Date.parse(next ?? '') - Date.now()).toBeGreaterThan(59 * 60_000);
  // The points and stations are read. Then the answer with the forecast has other fields.
  cloud.faults.push({ fields: true }, { fields: true }, { fields: true }, { fields: true });
  await askNow(database, source.no);
  await expect.poll(async () => (await source.state()).last_error).toContain('has no temperatures');
  expect(await readMeans(database, source.organizationNo, 'KBKF')).toEqual([]);
  cloud.faults.push({ body: '<html>maintenance</html>' });
  await askNow(database, source.no);
  await expect.poll(async () => (await source.state()).last_error).toBe('the answer is not JSON');
  // A service that blocks a contact is not a refused key: it is asked again.
  cloud.faults.push({ status: 403 });
  await askNow(database, source.no);
  await expect.poll(async () => (await source.state()).last_error).toBe('the source answered 403');
  expect((await source.state()).state).toBe('failing');
  await source.untilNextSuccess();
  await source.untilState('works');
});

test('stations whose requests fail do not stop the weather of the stations before them', async ({ database }) => {
  const tanks = [0, 1, 2, 3, 4, 5].map((n) => ({ latitude: 35 + n, longitude: -105 }));
  const cloud = await givenNws(Object.fromEntries(tanks.map((at, n) => [`KAA${n}`, at])));
  const source = await givenWeatherSource(database, 'nws', { url: cloud.url, contact: 'ops@example.com' }, tanks);
  await givenConnectorRole(connectorEnvironment(database));
  await source.untilState('works');
  const forecastOf = (n: number): string => `/gridpoints/BOU/${n},61/forecast/hourly`;
  for (const n of [1, 2, 3, 4]) cloud.failing.add(forecastOf(n));
  const nextRound = async (): Promise<string[]> => {
    cloud.requests.length = 0;
    const failures = await failuresOf(database, source.no);
    await askNow(database, source.no);
    await expect.poll(() => failuresOf(database, source.no)).toBe(failures + 1);
    return cloud.requests.map(({ path }) => path);
  };
  const firstFive = [0, 1, 2, 3, 4].map(forecastOf);
  expect(await nextRound()).toEqual(firstFive);
  expect(await nextRound()).toEqual([forecastOf(1)]); // the round goes on after the first station
  expect(await nextRound()).toEqual(firstFive);
  cloud.failing.clear();
  await source.untilNextSuccess();
  await source.untilState('works');
});

test('tanks in Germany get forecasts of MOSMIX and an archive of daily climate values', async ({ database }) => {
  const zip = (name: string, content: Buffer): Buffer => zipOf([{ path: name, bytes: content }]);
  const cloud = await untilTestEnds(startDwd({ nowMs: NOW_MS, weather, zip }));
  const settings = { url: cloud.url, catalog_url: `${cloud.url}/catalog.cfg` };
  const [berlin, tromso] = [
    { latitude: 52.5, longitude: 13.4 },
    { latitude: 69.68, longitude: 18.92 },
  ];
  const source = await givenWeatherSource(database, 'dwd', settings, [berlin, tromso]);
  await transaction(database.operator, (tx) => requestTrial(operatorChange(tx, source.organizationNo), source.id));
  await givenConnectorRole(connectorEnvironment(database));
  await source.untilState('works');
  expect((await source.state()).last_try).toMatchObject({ works: true, devices: 1, error: null });
  const stored = await readMeans(database, source.organizationNo, 'DWD 10384');
  const observed = stored.filter(({ kind }) => kind === 'observed');
  expect(observed).toHaveLength(550 - 6); // six days have no value
  for (const { date, mean_c } of observed) expect(mean_c).toBe(Number(date.slice(8)));
  expect(stored.length - observed.length).toBeGreaterThanOrEqual(9);
  const [place] = await listPlaces(database.operator, source.organizationNo);
  expect(place).toMatchObject({ latitude: 52.4667, longitude: 13.4, source: 'DWD' });
  expect(cloud.requests.map(({ path }) => path).filter((path) => path.endsWith('.kmz')).length).toBe(2); // a try and a round

  cloud.faults.push({ body: 'not a zip file' });
  await askNow(database, source.no);
  await expect.poll(async () => (await source.state()).last_error).toContain('cannot be unpacked');
  cloud.requests.length = 0;
  await source.untilNextSuccess();
  await source.untilState('works');
  expect(cloud.requests).toHaveLength(4); // the station of the tank is looked up again
});

test('temperatures are read from a CSV file at any URL, with a key in a header', async ({ database }) => {
  let body = 'station,date,mean\nQRO,2026-01-05,11.5\nQRO,yesterday,12\n';
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers['x-key']));
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const settings = { url: `http://127.0.0.1:${port}/t.csv`, header: { name: 'X-Key', value: '{secret}' } };
  const source = await givenWeatherSource(database, 'weather_csv', settings, [], 'k3y');
  await givenConnectorRole(connectorEnvironment(database));
  await source.untilState('works');
  expect(await readMeans(database, source.organizationNo, 'QRO')).toEqual([
    { kind: 'observed', date: '2026-01-05', mean_c: 11.5 },
  ]);
  expect(new Set(seen)).toEqual(new Set(['k3y']));
  expect(await source.state()).toMatchObject({ devices: 1, has_secret: true });
  body = 'place;day;degrees\nQRO;2026-01-05;11.5\n';
  await askNow(database, source.no);
  await expect.poll(async () => (await source.state()).last_error).toContain('the header has no date');
});

test('a file of temperatures that is too large is refused early, also one whose rows are wrong', async () => {
  const read = (bytes: Buffer) => readWeatherFile(bytes, { url: 'http://127.0.0.1' }, NOW_MS);
  const rows = (count: number) => Buffer.from(`station,date,mean\n${'QRO,yesterday,12\n'.repeat(count)}`);
  await expect(read(rows(50_000))).rejects.toThrow('nothing of the file can be read');
  await expect(read(rows(50_001))).rejects.toThrow('the file has more than 50000 rows');
  const text = ' '.repeat(49 * 2 ** 20);
  const workbook = workbookOf([{ name: 'a', rows: [['station', 'date', 'mean', text]] }]);
  expect(workbook.length).toBeLessThan(2 ** 20);
  await expect(read(workbook)).rejects.toThrow('at most 48 MiB are read');
});

test('a day needs most of its hours, which weigh the same, and coordinates of stations are read in degrees', () => {
  const hours = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ atMs: 20_000 * DAY_MS + n * HOUR_MS, celsius: n }));
  expect(dailyMeans(hours(24), 'UTC')).toEqual(new Map([[20_000, 11.5]]));
  expect(dailyMeans(hours(20), 'UTC').size).toBe(0);
  // Five-minute values of one hour do not weigh more than the others.
  const many = Array.from({ length: 11 }, () => ({ atMs: 20_000 * DAY_MS + 60_000, celsius: 0 }));
  expect(dailyMeans([...hours(24), ...many], 'UTC')).toEqual(new Map([[20_000, 11.5]]));
  expect(parseMosmixCatalog('01001 ENJA JAN MAYEN             70.56   -8.40    10\nx\n')).toEqual([
    { id: '01001', latitude: 70 + 56 / 60, longitude: -(8 + 40 / 60) },
  ]);
  const closedStation = '00003 19500401 20110331            202     50.7827    6.0941 Aachen     Nordrhein-Westfalen';
  expect(parseClimateStations(closedStation, Date.UTC(2026, 0, 1))).toEqual([]);
});
