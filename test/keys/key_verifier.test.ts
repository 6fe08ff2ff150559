import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { AccessWriters } from '../../src/db/access_writers.ts';
import { DatabaseUnavailableError, Readers } from '../../src/db/readers.ts';
import { Outage } from '../../src/health/outage.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { KeyVerifier } from '../../src/keys/key_verifier.ts';
import { recordKeyUse } from '../../src/keys/last_use_recorder.ts';
import { givenCustomer, givenKey, givenOrganization } from '../support/fleet.ts';
import { within } from '../support/stopwatch.ts';
import { test } from '../support/test.ts';

/** Fails the test if a poll fails, because the database is up in these tests. */
const outage = new Outage(
  {
    warn: () => {},
    error: (fields) => {
      throw new Error('a poll failed', { cause: fields });
    },
  },
  'following changes to keys',
);

test('a process that knows a key rejects it within a second after its revocation', async ({ database, readers }) => {
  const organizationNo = await givenOrganization(database.operator);
  const key = await givenKey(database.operator, { organizationNo });
  const verifier = new KeyVerifier(readers, { outage });
  await verifier.start();
  expect(await verifier.verify(key.text)).toMatchObject({ organizationNo, customerNo: null, scopes: ['read'] });
  expect(verifier.verify(key.text)).not.toBeInstanceOf(Promise); // the key is in memory now
  await revokeKey(database.operator, key.prefix);
  await within(1_000, () => expect.poll(() => verifier.verify(key.text), { interval: 20 }).toBeUndefined());
  verifier.close();
});

test('a revocation whose transaction starts early and commits late is not missed', async ({ database, readers }) => {
  const organizationNo = await givenOrganization(database.operator);
  const key = await givenKey(database.operator, { organizationNo });
  const verifier = new KeyVerifier(readers, { outage });
  await verifier.start();
  await verifier.verify(key.text);
  const slow = await database.operator.connect();
  await slow.query('begin');
  await slow.query('update api_keys set revoked_at = now() where prefix = $1', [key.prefix]);
  for (let n = 0; n < 3; n++) await givenKey(database.operator, { organizationNo }); // higher transaction ids, committed first
  await sleep(1_200); // several polls pass
  expect(await verifier.verify(key.text)).toBeDefined();
  await slow.query('commit');
  slow.release();
  await within(1_000, () => expect.poll(() => verifier.verify(key.text), { interval: 20 }).toBeUndefined());
  verifier.close();
});

test('a new key works at once, or within a second if it was tried too early', async ({ database, readers }) => {
  const organizationNo = await givenOrganization(database.operator);
  const verifier = new KeyVerifier(readers, { outage });
  await verifier.start();
  const { text, prefix, secretSha256 } = makeKey('a0');
  expect(await verifier.verify(text)).toBeUndefined();
  await database.operator.query(
    `insert into api_keys (prefix, secret_sha256, organization_no, name, scopes) values ($1, $2, $3, 'late', '{read}')`,
    [prefix, secretSha256, organizationNo],
  );
  await within(1_000, () => expect.poll(() => verifier.verify(text), { interval: 20 }).toBeDefined());
  const fresh = await givenKey(database.operator, { organizationNo });
  expect(await verifier.verify(fresh.text)).toBeDefined();
  verifier.close();
});

test('an expired key and a right prefix with a wrong secret are rejected', async ({ database, readers }) => {
  const organizationNo = await givenOrganization(database.operator);
  const verifier = new KeyVerifier(readers, { outage });
  await verifier.start();
  const soon = await givenKey(database.operator, {
    organizationNo,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  expect(await verifier.verify(soon.text)).toBeDefined();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  expect(await verifier.verify(soon.text)).toBeUndefined();
  vi.useRealTimers();

  const key = await givenKey(database.operator, { organizationNo });
  const forged = makeKey('a0');
  await database.owner.query('update api_keys set prefix = $1 where no = $2', [forged.prefix, key.no]);
  expect(await verifier.verify(forged.text)).toBeUndefined();
  verifier.close();
});

test("the use of a narrowed key sets its customer's last_seen_at, to the minute, and changes nothing else", async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo, { created_at: '2025-01-01T00:00:00.000Z' });
  const key = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  const writers = await AccessWriters.open({ url: database.urls.api, applicationName: 'tests' });
  const usage = recordKeyUse(writers, outage);
  usage.record(key.no);
  await usage.close();
  await writers.close();
  const { rows } = await database.owner.query(
    `select c.updated_at, c.last_seen_at, k.last_used_at, now() - k.last_used_at < interval '10 s' as is_fresh
     from customers c join api_keys k on k.customer_no = c.no where c.no = $1`,
    [customer.no],
  );
  expect(rows[0]).toMatchObject({ updated_at: '2025-01-01T00:00:00.000Z', is_fresh: true });
  expect(rows[0].last_seen_at).toMatch(/:00\.000Z$/);
});

test('while the database is unavailable, known keys work and others are not verified, and later changes are read again', async () => {
  const { postgres, owner, ownerUrl: url, stop } = await startDatabase();
  onTestFinished(stop);
  const organizationNo = await givenOrganization(owner);
  const [known, unseen] = [await givenKey(owner, { organizationNo }), await givenKey(owner, { organizationNo })];
  const readers = await Readers.open({ url, applicationName: 'test', connections: 2 });
  const errors: unknown[] = [];
  const logger = { warn: () => {}, error: (fields: object) => void errors.push(fields) };
  const verifier = new KeyVerifier(readers, { outage: new Outage(logger, 'following changes to keys') });
  await verifier.start();
  await verifier.verify(known.text);
  await postgres.kill();

  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(await verifier.verify(known.text)).toBeDefined();
  await expect(async () => verifier.verify(unseen.text)).rejects.toThrow(DatabaseUnavailableError);

  await postgres.restart();
  await revokeKey(owner, known.prefix);
  await expect.poll(async () => verifier.verify(known.text), { interval: 50 }).toBeUndefined();
  expect(await verifier.verify(unseen.text)).toBeDefined();
  verifier.close();
  await readers.close();
});

test('guessed keys never remove a real key from memory', async ({ database, readers }) => {
  const organizationNo = await givenOrganization(database.operator);
  const key = await givenKey(database.operator, { organizationNo });
  const verifier = new KeyVerifier(readers, { outage, maxKnownKeys: 10 });
  await verifier.start();
  await verifier.verify(key.text);
  const guesses = Array.from({ length: 100 }, async () => verifier.verify(makeKey('a0').text));
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([undefined]));
  const isInMemory = !(verifier.verify(key.text) instanceof Promise);
  expect(isInMemory).toBe(true);
  verifier.close();
});

test('a prefix that no key has is looked up once', async ({ readers }) => {
  const verifier = new KeyVerifier(readers, { outage });
  await verifier.start();
  const { text } = makeKey('a0');
  let lookups = 0;
  const countLookup = (): void => {
    lookups++;
  };
  for (let n = 0; n < 3; n++) expect(await verifier.verify(text, countLookup)).toBeUndefined();
  expect(lookups).toBe(1);
  verifier.close();
});
