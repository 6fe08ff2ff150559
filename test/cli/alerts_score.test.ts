import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { scoreOrganizations } from '../../src/status/score_organization.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('the score of an organization is printed, stored for the console, and computed from its own readings', async ({
  database,
  api,
}) => {
  const { operator, writer } = database;
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const tanks = await givenTanks(operator, organizationNo, customer.no, [
    { city: 'León', use_case: 'residential' },
    { city: 'Celaya', use_case: 'commercial' },
    { city: 'Celaya' },
  ]);
  const firstMs = Date.now() - 100 * DAY_MS;
  const readings = tanks.slice(0, 2).flatMap(({ no }, index) =>
    Array.from({ length: 400 }, (_, n) => ({
      tankNo: no,
      atMs: firstMs + n * 6 * HOUR_MS,
      // The tank uses two points a day, and is filled to 90 at 15.
      fillPercentage: Math.round((90 - ((n * 0.5 + index * 30) % 75)) * 10) / 10,
    })),
  );
  await new BatchIngester(writer).ingestReadings(readings);
  const code = await organizationCodeOf(operator, organizationNo);
  const { text: key } = await givenKey(operator, { organizationNo });
  const read = async () => (await api.call('/fleet/v1/score', { key })).json;
  expect(await read()).toEqual({
    object: 'score',
    computed_at: null,
    since: null,
    tanks: 0,
    scored_tanks: 0,
    groups: [],
  });

  // The worker does this in the night, and each score replaces the one before.
  const nightMs = Date.now() - DAY_MS;
  await scoreOrganizations(database.worker, nightMs);
  expect(await read()).toMatchObject({ computed_at: new Date(nightMs).toISOString(), tanks: 3, scored_tanks: 3 });
  await expect(scoreOrganizations(database.worker, Date.now(), AbortSignal.abort())).rejects.toThrow('aborted');

  const run = (...args: string[]) =>
    runCommand(['alerts', 'score', '--organization', code, ...args], { DATABASE_URL: database.urls.operator });
  const json = await run('--json');
  expect([json.code, json.stderr]).toEqual([0, '']);
  const score = JSON.parse(json.stdout);
  expect(score).toMatchObject({ tanks: 3, scored_tanks: 3 });
  expect(score.groups.map(({ by, name }: { by: string; name: string | null }) => `${by} ${name}`).toSorted()).toEqual([
    'all null',
    'cadence 1',
    'cadence 4',
    'place Celaya',
    'place León',
    'use commercial',
    'use null',
    'use residential',
  ]);
  const [all] = score.groups;
  for (const { asked, median_error, inside } of all.forecasts) {
    expect(asked).toBeGreaterThan(2);
    expect(median_error).toBeLessThan(0.2);
    expect(inside).toBeGreaterThan(0.5);
  }
  const refills = all.events.find(({ type }: { type: string }) => type === 'tank.refilled');
  expect(refills.raised).toBe(5);
  expect(refills.right + refills.unknown).toBe(5);
  expect(await read()).toEqual({ object: 'score', ...score });

  const text = await run('--tanks', '1');
  expect(text.stdout).toMatch(/^1 tanks \(a sample of 3\), since \d{4}-\d\d-\d\d\n\nForecasts\n[^]*\n\nEvents\n/);
  expect((await read()).scored_tanks).toBe(1);
  expect((await run('--tanks', '0')).code).not.toBe(0);

  const { text: narrowed } = await givenKey(operator, { organizationNo, customerNo: customer.no });
  expect((await api.call('/fleet/v1/score', { key: narrowed })).status).toBe(403);
});
