import type { Pool } from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { serveApi } from '../../src/api/serve.ts';
import { organizationSecret } from '../../src/keys/organization_secret.ts';
import { makeLink } from '../../src/mail/signed_links.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { countLockWaits } from '../support/lock_waits.ts';
import { test } from '../support/test.ts';

/** Holds a lock until the test ends or the returned function is called. */
async function givenLock(owner: Pool, sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = await owner.connect();
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('rollback');
    client.release();
  };
  onTestFinished(release);
  await client.query('begin');
  await client.query(sql, values);
  return release;
}

test('reads of an organization that wait for a lock end with 503 and Retry-After, and delay no other organization', async ({
  database,
  api,
}) => {
  const [slow, other] = [await givenOrganization(database.operator), await givenOrganization(database.operator)];
  const { text: slowKey } = await givenKey(database.operator, { organizationNo: slow });
  const { text: otherKey } = await givenKey(database.operator, { organizationNo: other });
  const find = () => api.call('/fleet/v1/customers?external_key=C-1', { key: otherKey });
  expect((await find()).status).toBe(200);
  const release = await givenLock(database.owner, 'lock table events in access exclusive mode');

  let unfinished = 12;
  const events = Array.from({ length: unfinished }, () =>
    api.call('/fleet/v1/events', { key: slowKey }).finally(() => unfinished--),
  );
  await expect.poll(() => countLockWaits(database.owner)).toBeGreaterThanOrEqual(2);
  const found = await Promise.all(Array.from({ length: 6 }, find));
  expect(found.map(({ status }) => status)).toEqual(found.map(() => 200));
  expect(unfinished).toBeGreaterThan(0);

  const first = await Promise.race(events);
  expect([first.status, first.json.code, first.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
  await release();
  await Promise.all(events);
});

test('while ten keys of an organization read large pages, 20 reads of another one wait for fewer than 30 of the pages', async ({
  database,
  api,
}) => {
  const [large, other] = [await givenOrganization(database.operator), await givenOrganization(database.operator)];
  const { no: ownerNo } = await givenCustomer(database.operator, large);
  const tanks = Array.from({ length: 200 }, (_, n) => ({ name: `Tank ${n}` }));
  await givenTanks(database.operator, large, ownerNo, tanks);
  const keys = await Promise.all(
    Array.from({ length: 10 }, () => givenKey(database.operator, { organizationNo: large })),
  );
  const { text: otherKey } = await givenKey(database.operator, { organizationNo: other });
  const readOther = async (): Promise<void> => {
    for (const path of ['/v1/tanks', '/fleet/v1/tanks'])
      expect((await api.call(path, { key: otherKey })).status).toBe(200);
  };
  const readPage = (key: string) => api.call('/fleet/v1/tanks?size=200', { key });
  await readOther();
  for (const { text } of keys) expect((await readPage(text)).status).toBe(200);

  let answered = 0;
  const pages = keys.flatMap(({ text }) => Array.from({ length: 6 }, () => readPage(text).finally(() => answered++)));
  await expect.poll(() => answered, { interval: 1 }).toBeGreaterThan(0);
  const before = answered;
  for (let n = 0; n < 10; n++) await readOther();
  // Measured: 10 to 20 pages. When the queue counted requests instead of their costs, it was 38.
  expect(answered - before).toBeLessThan(30);
  await Promise.all(pages);
});

test('requests to the link of a mail that wait for a lock delay no read, and end with 503 and Retry-After', async ({
  database,
}) => {
  const secret = 'a secret of at least thirty-two characters';
  const environment = { API_DATABASE_URL: database.urls.api, API_HOST: '127.0.0.1', API_PORT: '0', API_DRAIN_MS: '0' };
  const api = await serveApi(readApiConfig({ ...environment, LINK_SECRET: secret }), pino({ level: 'silent' }));
  onTestFinished(() => api.close());
  const organizationNo = await givenOrganization(database.operator);
  const email = 'maria@example.com';
  const { id } = await givenCustomer(database.operator, organizationNo, { email });
  const code = await organizationCodeOf(database.owner, organizationNo);
  const link = makeLink(organizationSecret(secret, code), 'verify', id, email, Date.now());
  const { text: key } = await givenKey(database.operator, {
    organizationNo: await givenOrganization(database.operator),
  });
  const readTanks = () => callApi(api.url, '/v1/tanks', { key });
  expect((await readTanks()).status).toBe(200);
  await givenLock(database.owner, 'select from organizations where no = $1 for update', [organizationNo]);

  let unfinished = 12;
  const links = Array.from({ length: unfinished }, () =>
    callApi(api.url, `/links/${link}`, { method: 'POST' }).finally(() => unfinished--),
  );
  await expect.poll(() => countLockWaits(database.owner)).toBeGreaterThan(0);
  const reads = await Promise.all(Array.from({ length: 12 }, readTanks));
  expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));
  expect(unfinished).toBeGreaterThan(0);

  const first = await Promise.race(links);
  expect([first.status, first.json.code, first.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
});
