import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { MAX_KEYS_PER_CALLER } from '../../src/api/manage/idempotency.ts';
import { deleteOldIdempotencyKeys } from '../../src/worker/retention.ts';
import { givenKey } from '../support/fleet.ts';
import { CUSTOMER, givenManagedOrganization, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

const countCustomers = async ({ owner }: TestDatabase, organizationNo: number): Promise<number> =>
  (await owner.query('select from customers where organization_no = $1', [organizationNo])).rowCount ?? 0;

test('twenty repetitions at once create one customer, and all of them get its answer', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const call = { body: CUSTOMER, idempotencyKey: 'once' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => manage.call(key, 'POST', '/customers', call)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19);
  expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1);
  expect(await countCustomers(database, organizationNo)).toBe(1);
});

test('a key is bound to its request and its caller, and an error is not kept', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const { text: colleague } = await givenKey(database.operator, { organizationNo, scopes: ['manage'] });
  const idempotencyKey = 'a';
  const post = (caller: string, body: object, path = '/customers') =>
    manage.call(caller, 'POST', path, { body, idempotencyKey });
  for (const wrong of ['', 'é', 'x'.repeat(256)]) {
    const call = { body: CUSTOMER, headers: { 'idempotency-key': Buffer.from(wrong).toString('latin1') } };
    expect((await manage.call(key, 'POST', '/customers', call)).status).toBe(400);
  }
  expect((await post(key, { name: 'x' })).status).toBe(422);
  const first = await post(key, CUSTOMER);
  expect(first.status).toBe(201);
  expect((await post(key, { ...CUSTOMER, name: 'B' })).json.code).toBe('idempotency_key_reused');
  // The key is also refused if the other body is invalid.
  expect((await post(key, { name: 5 })).json.code).toBe('idempotency_key_reused');
  expect((await post(key, CUSTOMER, '/customers?dry_run=false')).json.code).toBe('idempotency_key_reused');
  const others = await post(colleague, CUSTOMER);
  expect([others.status, others.json.id === first.json.id]).toEqual([201, false]);
  const { key: stranger } = await givenManagedOrganization(database);
  expect((await post(stranger, CUSTOMER)).json.id).not.toBe(first.json.id);
  expect(await countCustomers(database, organizationNo)).toBe(2);
});

test('a key is accepted on every write, and a repeated change writes no audit', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const { json } = await manage.call(key, 'POST', '/customers', { body: CUSTOMER });
  const patch = { body: { name: 'Ana' }, ifMatch: json.etag, idempotencyKey: 'patch' };
  const changed = await manage.call(key, 'PATCH', `/customers/${json.id}`, patch);
  const again = await manage.call(key, 'PATCH', `/customers/${json.id}`, patch);
  // Without the key, the old ETag would be refused.
  expect([again.status, again.text]).toEqual([200, changed.text]);
  const remove = { ifMatch: changed.json.etag, idempotencyKey: 'delete' };
  expect((await manage.call(key, 'DELETE', `/customers/${json.id}`, remove)).status).toBe(204);
  const { rows } = await database.owner.query(
    `select action from audit_log where organization_no = $1 and object = 'customer' order by no`,
    [organizationNo],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
});

test('stored answers are encrypted, end with their object, and are deleted after a day', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const call = { body: { ...CUSTOMER, name: 'Findable Person' }, idempotencyKey: 'secret' };
  const { json } = await manage.call(key, 'POST', '/customers', call);
  const stored = async () =>
    (await database.owner.query('select * from idempotency_keys where organization_no = $1', [organizationNo])).rows;
  const [row] = await stored();
  expect(row.answer.length).toBeGreaterThan(100);
  expect(JSON.stringify(row)).not.toContain('Findable');
  await manage.call(key, 'DELETE', `/customers/${json.id}`, { ifMatch: '*' });
  expect((await stored())[0].answer).toBe(null);
  expect((await manage.call(key, 'POST', '/customers', call)).json.code).toBe('gone');
  await database.owner.query(`update idempotency_keys set created_at = now() - interval '25 hours'`);
  // An expired key that is not deleted yet counts as new.
  expect((await manage.call(key, 'POST', '/customers', call)).status).toBe(201);
  await database.owner.query(`update idempotency_keys set created_at = now() - interval '25 hours'`);
  expect(await deleteOldIdempotencyKeys(database.worker)).toBeGreaterThan(0);
  expect(await stored()).toEqual([]);
});

test('a caller with too many keys in a day is refused, but can use PUT without a key', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  await manage.call(key, 'POST', '/customers', { body: CUSTOMER });
  await database.owner.query(
    `insert into idempotency_keys (organization_no, caller, key, fingerprint)
     select organization_no, caller, 'k' || n, fingerprint from idempotency_keys, generate_series(1, $2) as n
     where organization_no = $1`,
    [organizationNo, MAX_KEYS_PER_CALLER - 1],
  );
  const refused = await manage.call(key, 'POST', '/customers', { body: CUSTOMER, idempotencyKey: randomUUID() });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3600']);
  expect((await manage.call(key, 'PUT', '/customers/external_key/A', { body: CUSTOMER })).status).toBe(201);
});

test('a request whose twin is in progress for more than two seconds is refused, and can be repeated later', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  // Another process of the api has claimed the key and not ended yet.
  const other = await database.manager.connect();
  await other.query('begin');
  const { rows } = await database.owner.query('select no from api_keys where organization_no = $1', [organizationNo]);
  await other.query(
    `insert into idempotency_keys (organization_no, caller, key, fingerprint) values ($1, $2, 'twin', '')`,
    [organizationNo, `key ${rows[0].no}`],
  );
  const call = { body: CUSTOMER, idempotencyKey: 'twin' };
  expect((await manage.call(key, 'POST', '/customers', call)).json.code).toBe('idempotency_key_in_progress');
  await other.query('rollback');
  other.release();
  expect((await manage.call(key, 'POST', '/customers', call)).status).toBe(201);
});
