import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { markFromTheBeginning, readingsOf, settle } from '../support/evaluation.ts';
import { givenKey, organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { test } from '../support/manage.ts';
import { givenFleet } from '../support/readings.ts';

/** Readings every six hours until now: idle for 40 days, then 3 points a day for `hours`. */
function idleThenUsed(hours: number): [number, number][] {
  const untilMs = Math.floor(Date.now() / 60_000) * 60_000;
  const fills = Array.from({ length: 160 + hours / 6 }, (_, n) => 80 - Math.max(0, n - 159) * 0.75);
  return fills.map((fill, n) => [untilMs - (fills.length - 1 - n) * 6 * HOUR_MS, fill]);
}

test('unusual use is a section of the day, and an organization can turn it off', async ({ database, manage }) => {
  const { organizationNo, tanks } = await givenFleet(database, ['U1', 'U2', 'U3']);
  const [unusual = 0, later = 0, fine = 0] = tanks.map(({ no }) => no);
  const { rows: ids } = await database.owner.query<{ id: string }>(
    'select id from tanks where no = any ($1) order by no',
    [[unusual, later]],
  );
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestReadings(readingsOf(unusual, idleThenUsed(60)));
  await ingester.ingestReadings(readingsOf(fine, idleThenUsed(0)));
  const key = (await givenKey(database.operator, { organizationNo, scopes: ['read', 'manage'] })).text;
  const inSection = async (): Promise<string[]> => {
    const { json } = await callApi(manage.url, '/fleet/v1/tanks?section=unusual_use', { key });
    return json.data.map(({ tank }: { tank: { id: string } }) => tank.id);
  };
  const events = async (): Promise<number[]> => {
    const { rows } = await database.owner.query<{ tank_no: number }>(
      `select tank_no from events where organization_no = $1 and type = 'tank.unusual_use' and retracted_at is null`,
      [organizationNo],
    );
    return rows.map((row) => row.tank_no);
  };
  expect(await inSection()).toEqual([ids[0]?.id]);
  const { json: visible } = await callApi(manage.url, `/fleet/v1/tanks/${ids[0]?.id}`, { key });
  expect(visible).toMatchObject({ section: 'unusual_use', unusual_use_at: expect.stringMatching(/Z$/) });

  const off = await manage.call(key, 'PATCH', '/organization', { body: { reports_unusual_use: false } });
  expect([off.status, off.json]).toEqual([
    200,
    { object: 'organization', default_product: 'propane', reports_unusual_use: false },
  ]);
  expect((await callApi(manage.url, '/fleet/v1/settings', { key })).json.organization.reports_unusual_use).toBe(false);
  expect(await inSection()).toEqual([]);
  const { json: hidden } = await callApi(manage.url, `/fleet/v1/tanks/${ids[0]?.id}`, { key });
  expect(hidden.unusual_use_at).toBeNull();
  const { rows: audited } = await database.owner.query(
    `select fields from audit_log where organization_no = $1 and object = 'organization' and action = 'update'`,
    [organizationNo],
  );
  expect(audited).toEqual([{ fields: ['unusual_use_off_at'] }]);

  // Events from before stay, also if the tank is evaluated again. None is added, and the section stays empty.
  await database.owner.query(
    `update organizations set unusual_use_off_at = now() - interval '14 hours' where no = $1`,
    [organizationNo],
  );
  await ingester.ingestReadings(readingsOf(later, idleThenUsed(36)));
  await markFromTheBeginning(database, [unusual]);
  await settle(database);
  expect(await events()).toEqual([unusual]);
  expect(await inSection()).toEqual([]);

  const code = await organizationCodeOf(database.owner, organizationNo);
  await runCommand(['organizations', 'update', code, '--unusual-use', 'on'], {
    DATABASE_URL: database.urls.operator,
  });
  expect((await callApi(manage.url, '/fleet/v1/settings', { key })).json.organization.reports_unusual_use).toBe(true);
  await markFromTheBeginning(database, [later]);
  await settle(database);
  expect(new Set(await events())).toEqual(new Set([unusual, later]));
});
