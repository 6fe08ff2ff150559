import { expect } from 'vitest';
import { makeKey } from '../../src/keys/key_format.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('an address that sends too many bad keys gets 429 with Retry-After, and its known keys still work', async ({
  database,
  api,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  expect((await api.call('/v1/tanks', { key })).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => api.call('/v1/tanks', { key: makeKey('a0').text })),
  );
  const refused = answers.filter(({ status }) => status !== 401);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(60);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, json, headers } of refused)
    expect([status, json.code, Number(headers['retry-after'])]).toEqual([429, 'rate_limited', 1]);
  expect((await api.call('/v1/tanks', { key })).status).toBe(200);
});

test('/readyz asks the database at most once a second', async ({ database, api }) => {
  const before = await migrationReads();
  const startedAt = performance.now();
  for (let n = 0; n < 200; n++) expect((await api.call('/readyz')).status).toBe(200);
  await expect.poll(async () => (await migrationReads()) - before).toBeGreaterThan(0);
  const seconds = (performance.now() - startedAt) / 1_000;
  expect((await migrationReads()) - before).toBeLessThan(9 + seconds);

  async function migrationReads(): Promise<number> {
    const { rows } = await database.owner.query<{ n: number }>(
      `select (seq_scan + coalesce(idx_scan, 0))::int as n from pg_stat_user_tables where relname = 'schema_migrations'`,
    );
    return rows[0]?.n ?? 0;
  }
});
