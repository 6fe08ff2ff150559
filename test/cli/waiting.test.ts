import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenOrganization, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const NOW_MS = Date.now();

/** Stores readings every six hours until now: 20 days from 60 % with one point a day, then the levels `then`. */
async function store({ writer }: TestDatabase, tankNo: number | undefined, then: readonly number[]): Promise<void> {
  const fills = [...Array.from({ length: 80 }, (_, n) => 60 - n / 4), ...then];
  await new BatchIngester(writer).ingestReadings(
    fills.map((fillPercentage, n) => ({
      tankNo: tankNo ?? 0,
      atMs: NOW_MS - (fills.length - 1 - n) * 6 * HOUR_MS,
      fillPercentage,
    })),
  );
}

test('show, forecast and explain say what a tank waits for', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const [low, stuck] = await givenTanks(database.operator, organizationNo, owner.no, [
    { name: 'Low?', assigned_device_id: 'LOW1' },
    { name: 'Stuck', assigned_device_id: 'STUCK1' },
  ]);
  await store(database, low?.no, [12]);
  await store(
    database,
    stuck?.no,
    Array.from({ length: 9 }, () => 100),
  );
  const code = await organizationCodeOf(database.owner, organizationNo);
  const run = (...args: string[]) =>
    runCommand([...args, '--organization', code], { DATABASE_URL: database.urls.operator });

  const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const waitsForSecond = `12 % at ${minute(NOW_MS)} is low, but 40 % was expected; waiting for a second reading, at the latest until ${minute(NOW_MS + 30 * HOUR_MS)}`;
  const waitsForGauge = `since ${minute(NOW_MS - 48 * HOUR_MS)} the gauge shows exactly 100 %, which nothing explains; waiting for plausible readings`;

  const shown = await run('tanks', 'show', 'LOW1');
  expect(shown.stdout).toContain(
    `\nis_low: false\nis_gauge_reliable: true\nreason: -\nestimate: -\nwaiting: ${waitsForSecond}\n`,
  );
  expect(JSON.parse((await run('tanks', 'show', 'STUCK1', '--json')).stdout)).toMatchObject({
    id: stuck?.id,
    is_gauge_reliable: false,
    reason: 'gauge unreliable',
    waiting: [{ kind: 'gauge', reason: 'stuck_at_limit', text: waitsForGauge }],
  });
  const forecast = await run('tanks', 'forecast');
  expect(forecast.stdout).toMatch(/STUCK1 .* was 100 +- +- +\d/);
  expect(forecast.stdout).toMatch(
    new RegExp(`gauge unreliable; last reliable level 40(\\.\\d+)? %, at [\\d-]+ [\\d:]+ UTC; ${waitsForGauge}\\n`),
  );
  expect(forecast.stdout).toContain(`${waitsForSecond}\n`);

  const tank = JSON.parse((await run('alerts', 'explain', 'STUCK1', '--json')).stdout);
  expect(tank).toMatchObject({
    tank_id: stuck?.id,
    is_low: false,
    waiting: [{ kind: 'gauge' }],
    latest_event: { type: 'tank.gauge_unreliable' },
  });
  const event = await run('alerts', 'explain', tank.latest_event.id);
  expect(event.stdout).toMatch(/^id: .*\ntype: tank\.gauge_unreliable\n/);
  expect(event.stdout).toContain(`\nwaiting: ${waitsForGauge}\n`);
});

test('a tank that never reported has no known state, and waits for its first reading', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  await givenTanks(database.operator, organizationNo, owner.no, [{ name: 'New', assigned_device_id: 'NEW1' }]);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const run = async (...args: string[]) => {
    const environment = { DATABASE_URL: database.urls.operator };
    return (await runCommand([...args, '--organization', code], environment)).stdout;
  };
  const nothingKnown =
    'is_low: -\nis_gauge_reliable: -\nreason: no reading yet\nestimate: -\nwaiting: waiting for the first reading of the device NEW1\n';
  expect(await run('alerts', 'explain', 'NEW1')).toContain(`reading: -\n${nothingKnown}`);
  expect(await run('tanks', 'show', 'NEW1')).toContain(nothingKnown);
  expect(await run('tanks', 'forecast')).toContain('no reading yet; waiting for the first reading of the device NEW1');
  expect(JSON.parse(await run('alerts', 'explain', 'NEW1', '--json'))).toMatchObject({ is_low: null });
});
