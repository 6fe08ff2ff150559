import { pino } from 'pino';
import { Compile } from 'typebox/compile';
import { describe, expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { withPort } from '../../engines/logins.ts';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { ManagedCustomer, ManagedTank } from '../../src/api/schemas/managed_objects.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { createCustomers } from '../../src/catalog/customers.ts';
import { rolledBack } from '../../src/db/pool.ts';
import { checkApi } from '../../src/doctor/api.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { readDoctorConfig } from '../../src/settings/command_settings.ts';
import { callApi } from '../support/http.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { CUSTOMER, givenManagedOrganization, TANK, test } from '../support/manage.ts';

const customerSchema = Compile(ManagedCustomer);
const tankSchema = Compile(ManagedTank);

describe('customers', () => {
  test('PUT by external_key creates, replaces or changes nothing, and answers with what GET returns', async ({
    database,
    manage,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const path = '/customers/external_key/C%2F1';
    const created = await manage.call(key, 'PUT', path, { body: { ...CUSTOMER, phone: '1' } });
    expect([created.status, created.json.external_key, created.json.phone]).toEqual([201, 'C/1', '1']);
    expect(customerSchema.Check(created.json)).toBe(true);
    expect(created.headers['etag']).toBe(created.json.etag);
    const same = await manage.call(key, 'PUT', path, { body: { ...CUSTOMER, phone: '1' } });
    expect([same.status, same.json]).toEqual([200, created.json]);
    // A nullable field that is missing becomes null, so the ETag changes.
    const replaced = await manage.call(key, 'PUT', path, { body: CUSTOMER });
    expect([replaced.status, replaced.json.phone, replaced.json.id]).toEqual([200, null, created.json.id]);
    expect(replaced.json.etag).not.toBe(created.json.etag);
    expect((await manage.call(key, 'GET', path)).json).toEqual(replaced.json);
    expect((await manage.call(key, 'GET', `/customers/${created.json.id}`)).json).toEqual(replaced.json);
    const known = { headers: { 'if-none-match': replaced.json.etag } };
    expect((await manage.call(key, 'GET', path, known)).status).toBe(304);
    const onlyNew = { body: CUSTOMER, headers: { 'if-none-match': '*' } };
    expect((await manage.call(key, 'PUT', path, onlyNew)).json.code).toBe('precondition_failed');
    expect((await manage.call(key, 'PUT', '/customers/external_key/C2', onlyNew)).status).toBe(201);
  });

  test('a changed address is no longer verified, unless the same request says so', async ({ database, manage }) => {
    const { key } = await givenManagedOrganization(database);
    const path = '/customers/external_key/V';
    const put = async (body: object) => (await manage.call(key, 'PUT', path, { body })).json;
    const verified = await put({ ...CUSTOMER, is_verified: true });
    expect([verified.is_verified, typeof verified.verified_at]).toEqual([true, 'string']);
    expect(await put(CUSTOMER)).toMatchObject({ is_verified: true, verified_at: verified.verified_at });
    expect(await put({ ...CUSTOMER, email: 'b@example.com' })).toMatchObject({ is_verified: false, verified_at: null });
    expect(await put({ ...CUSTOMER, email: 'c@example.com', is_verified: true })).toMatchObject({ is_verified: true });
    expect(await put({ ...CUSTOMER, is_verified: false })).toMatchObject({ is_verified: false, verified_at: null });
  });

  test('PATCH and DELETE need the ETag; a deleted customer stays as a tombstone, and its key can be used again', async ({
    database,
    manage,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const { json } = await manage.call(key, 'POST', '/customers', { body: { ...CUSTOMER, external_key: 'X' } });
    const path = `/customers/${json.id}`;
    const patch = { body: { name: 'Ana' } };
    expect((await manage.call(key, 'PATCH', path, patch)).json.code).toBe('precondition_required');
    expect((await manage.call(key, 'PATCH', path, { ...patch, ifMatch: '"old"' })).json.code).toBe(
      'precondition_failed',
    );
    // A proxy that compresses makes ETags weak.
    const changed = await manage.call(key, 'PATCH', path, { ...patch, ifMatch: `W/${json.etag}` });
    expect([changed.status, changed.json.name, changed.json.external_key]).toEqual([200, 'Ana', 'X']);
    expect((await manage.call(key, 'DELETE', path, { ifMatch: json.etag })).status).toBe(412);
    expect((await manage.call(key, 'DELETE', path)).status).toBe(428);
    const { json: tank } = await manage.call(key, 'POST', '/tanks', { body: { ...TANK, owner_id: json.id } });
    const owner = await manage.call(key, 'DELETE', path, { ifMatch: changed.json.etag });
    expect([owner.status, owner.json.code]).toEqual([409, 'conflict']);
    expect((await manage.call(key, 'DELETE', `${path}?with_tanks=true`, { ifMatch: changed.json.etag })).status).toBe(
      204,
    );
    expect((await manage.call(key, 'DELETE', path, { ifMatch: '*' })).status).toBe(204);
    expect((await manage.call(key, 'GET', path)).json).toEqual({ id: json.id, object: 'customer', deleted: true });
    expect((await manage.call(key, 'GET', `/tanks/${tank.id}`)).json).toMatchObject({ deleted: true });
    expect((await manage.call(key, 'PATCH', path, { ...patch, ifMatch: '*' })).status).toBe(404);
    const again = await manage.call(key, 'PUT', '/customers/external_key/X', { body: CUSTOMER });
    expect([again.status, again.json.id === json.id]).toEqual([201, false]);
  });
});

describe('tanks', () => {
  test('PUT by custom_id, with a placeholder device, replaces all fields but the device', async ({
    database,
    manage,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const { json: owner } = await manage.call(key, 'POST', '/customers', { body: CUSTOMER });
    const path = `/customers/${owner.id}/tanks/custom_id/house-1`;
    const location = { city: 'Puebla', latitude: 19.0561, longitude: -98.2273 };
    const created = await manage.call(key, 'PUT', path, { body: { ...TANK, location, use_case: 'residential' } });
    expect(created.status).toBe(201);
    expect(tankSchema.Check(created.json)).toBe(true);
    expect(created.json).toMatchObject({
      custom_id: 'house-1',
      owner_id: owner.id,
      location: { city: 'Puebla', region: null },
    });
    expect(created.json.assigned_device_id).toMatch(/^pending-[a-z0-9]{12}$/);
    const replaced = await manage.call(key, 'PUT', path, { body: TANK });
    expect(replaced.json).toMatchObject({ use_case: null, location: { city: null, latitude: null } });
    expect(replaced.json.assigned_device_id).toBe(created.json.assigned_device_id);
    const other = await manage.call(key, 'PUT', path, { body: { ...TANK, assigned_device_id: 'ABCD1234' } });
    expect([other.status, other.json.conflicting_id]).toEqual([409, created.json.id]);
    expect((await manage.call(key, 'GET', path)).json).toEqual(replaced.json);
  });

  test('PATCH merges the location, and another owner_id transfers the tank', async ({ database, manage }) => {
    const { key } = await givenManagedOrganization(database);
    const [firstOwner, nextOwner] = [
      (await manage.call(key, 'POST', '/customers', { body: CUSTOMER })).json,
      (await manage.call(key, 'POST', '/customers', { body: CUSTOMER })).json,
    ];
    const body = {
      ...TANK,
      owner_id: firstOwner.id,
      custom_id: 'a',
      assigned_device_id: 'DEV1',
      location: { city: 'X', street: 'Y' },
    };
    const { json: tank } = await manage.call(key, 'POST', '/tanks', { body });
    await manage.call(key, 'POST', '/tanks', { body: { ...TANK, owner_id: nextOwner.id, custom_id: 'a' } });
    const path = `/tanks/${tank.id}`;
    const device = (assigned_device_id: string, ifMatch: string) =>
      manage.call(key, 'PATCH', path, { body: { assigned_device_id }, ifMatch });
    const refused = await device('DEV2', tank.etag);
    expect([refused.status, refused.json.errors[0]]).toMatchObject([422, { param: 'assigned_device_id' }]);
    expect((await device('DEV1', tank.etag)).json).toEqual(tank);
    expect((await device('DEV2', '"older"')).status).toBe(412);
    const patched = await manage.call(key, 'PATCH', path, { body: { location: { city: null } }, ifMatch: tank.etag });
    expect(patched.json.location).toMatchObject({ city: null, street: 'Y' });
    expect(tank).toMatchObject({ report_interval_hours: null, is_mobile: false });
    const settings = { report_interval_hours: 168, is_mobile: true };
    const set = await manage.call(key, 'PATCH', path, { body: settings, ifMatch: patched.json.etag });
    expect(set.json).toMatchObject(settings);
    expect(set.json.etag).not.toBe(patched.json.etag);
    const call = { body: { owner_id: nextOwner.id }, ifMatch: '*' };
    expect((await manage.call(key, 'PATCH', path, call)).json.detail).toBe(
      'Another tank of this owner has this custom_id.',
    );
    const moved = await manage.call(key, 'PATCH', path, {
      ...call,
      body: { owner_id: nextOwner.id, custom_id: 'b' },
    });
    expect(moved.json).toMatchObject({ owner_id: nextOwner.id, custom_id: 'b' });
    // PATCH can also name the owner by its external_key.
    const { json: three } = await manage.call(key, 'PUT', '/customers/external_key/OWN-3', { body: CUSTOMER });
    const byKey = (owner: object) => manage.call(key, 'PATCH', path, { body: owner, ifMatch: '*' });
    expect((await byKey({ owner_external_key: 'OWN-3' })).json).toMatchObject({ owner_id: three.id });
    expect((await byKey({ owner_external_key: 'OWN-4' })).json.errors).toMatchObject([{ param: 'owner_external_key' }]);
    expect((await byKey({ owner_id: nextOwner.id, owner_external_key: 'OWN-3' })).json.errors).toMatchObject([
      { param: 'owner_external_key', code: 'contradiction' },
    ]);
    await byKey({ owner_id: nextOwner.id });
    const taken = await manage.call(key, 'POST', '/tanks', {
      body: { ...TANK, owner_id: firstOwner.id, assigned_device_id: 'DEV1' },
    });
    expect([taken.status, taken.json.conflicting_id]).toEqual([409, tank.id]);
  });
});

describe('errors', () => {
  test('each error has its code and its field, and they are reported in the documented order', async ({
    database,
    manage,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const { json: owner } = await manage.call(key, 'POST', '/customers', { body: CUSTOMER });
    const errors = async (path: string, body: unknown, method = 'POST') => {
      const { status, json } = await manage.call(key, method, path, { body, ifMatch: '*' });
      const named = (json.errors ?? []).map((error: { param: string; code: string }) => `${error.param} ${error.code}`);
      return [status, json.code, ...named];
    };
    expect(await errors('/customers', '{')).toEqual([400, 'malformed_request']);
    expect(await errors('/customers', '[]')).toEqual([400, 'malformed_request']);
    expect(await errors('/customers', 'x'.repeat(17_000))).toEqual([413, 'payload_too_large']);
    expect(await errors('/customers', { name: 5, email: 'x', color: 1 })).toEqual([
      422,
      'invalid_parameters',
      'color unknown',
      'name invalid',
    ]);
    expect(await errors('/customers', { name: ' ', email: 'x' })).toEqual([
      422,
      'invalid_parameters',
      'email invalid',
      'name invalid',
    ]);
    expect(await errors('/customers?size=1', CUSTOMER)).toEqual([422, 'invalid_parameters', 'size unknown']);
    expect(await errors('/tanks', { ...TANK, owner_id: owner.id, capacity: 0, location: { latitude: 91 } })).toEqual([
      422,
      'invalid_parameters',
      'capacity invalid',
      'location.latitude invalid',
    ]);
    expect(await errors('/tanks', { ...TANK, owner_id: 'nobody' })).toEqual([
      422,
      'invalid_parameters',
      'owner_id not_found',
    ]);
    expect(await errors('/tanks', { ...TANK, owner_id: owner.id, location: null })).toEqual([
      422,
      'invalid_parameters',
      'location invalid',
    ]);
    // The fields come before the object, and the object before the condition.
    expect(await errors('/tanks/nothing', { capacity: -1 }, 'PATCH')).toEqual([
      422,
      'invalid_parameters',
      'capacity invalid',
    ]);
    expect(await errors('/tanks/nothing', { capacity: 1 }, 'PATCH')).toEqual([404, 'not_found']);
    const noCondition = await manage.call(key, 'PATCH', '/tanks/nothing', { body: { capacity: 1 } });
    expect(noCondition.status).toBe(404);
    expect((await manage.call(key, 'POST', '/customers', { body: CUSTOMER, idempotencyKey: null })).json.code).toBe(
      'idempotency_key_missing',
    );
    const asJson = { body: { name: 'x' }, headers: { 'content-type': 'application/json-patch+json' }, ifMatch: '*' };
    expect((await manage.call(key, 'PATCH', `/customers/${owner.id}`, asJson)).json).toMatchObject({
      status: 415,
      detail: 'The body must have the type application/merge-patch+json or application/json.',
    });
    expect((await manage.call(key, 'PUT', '/customers', { body: CUSTOMER })).headers['allow']).toBe('POST');
  });

  test('a dry run answers as the change would, and leaves nothing, not even a used number', async ({
    database,
    manage,
  }) => {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const numbers = async () =>
      (
        await database.owner.query(
          `select last_value from pg_sequences where sequencename in ('customers_no_seq', 'tanks_no_seq')`,
        )
      ).rows;
    const before = await numbers();
    const tried = await manage.call(key, 'PUT', '/customers/external_key/D?dry_run=true', { body: CUSTOMER });
    expect([tried.status, tried.json.external_key]).toEqual([201, 'D']);
    const posted = await manage.call(key, 'POST', '/customers?dry_run=true', { body: CUSTOMER, idempotencyKey: null });
    expect(posted.status).toBe(201);
    const { rows } = await database.owner.query(
      `select (select count(*) from customers where organization_no = $1) as customers,
              (select count(*) from audit_log where organization_no = $1 and object = 'customer') as audited,
              (select count(*) from idempotency_keys where organization_no = $1) as keys`,
      [organizationNo],
    );
    expect(rows).toEqual([{ customers: 0, audited: 0, keys: 0 }]);
    expect(await numbers()).toEqual(before);
  });

  test('a dry run does not wait for that of another organization', async ({ database, manage }) => {
    const { organizationNo } = await givenManagedOrganization(database);
    const { key } = await givenManagedOrganization(database);
    const body = { email: 'ana@example.com', name: 'Ana', types: [] };
    await rolledBack(database.operator, async (tx) => {
      await createCustomers(tx, organizationNo, [CUSTOMER], { isDryRun: true });
      await addContact(operatorChange(tx, organizationNo, { isDryRun: true }), body);
      const tried = [
        await manage.call(key, 'PUT', '/customers/external_key/D?dry_run=true', { body: CUSTOMER }),
        await manage.call(key, 'POST', '/contacts?dry_run=true', { body, idempotencyKey: null }),
      ];
      expect(tried.map(({ status }) => status)).toEqual([201, 201]);
    });
  });

  test('names and keys are stored and found in the form NFC, and invisible characters are refused', async ({
    database,
    manage,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const [composed, decomposed] = ['Jos\u00e9', 'Jose\u0301'];
    const path = (externalKey: string): string => `/customers/external_key/${encodeURIComponent(externalKey)}`;
    const body = { ...CUSTOMER, name: `${decomposed}\n G\u00f3mez` };
    const created = await manage.call(key, 'PUT', path(decomposed), { body });
    expect([created.status, created.json.external_key]).toEqual([201, composed]);
    expect(created.json.name).toBe(`${composed} G\u00f3mez`.replace(' ', '  '));
    for (const given of [composed, decomposed])
      expect((await manage.call(key, 'PUT', path(given), { body })).json).toEqual(created.json);
    for (const invisible of ['\u0007', '\u007f', '\u200f', '\u202e', '\u2066']) {
      const named = await manage.call(key, 'PUT', path('B'), { body: { ...CUSTOMER, name: `a${invisible}b` } });
      const keyed = await manage.call(key, 'PUT', path(`a${invisible}b`), { body: CUSTOMER });
      expect([invisible, named.status, keyed.status]).toEqual([invisible, 422, 422]);
    }
    const contact = await manage.call(key, 'POST', '/contacts', {
      body: { email: 'ana@example.com', name: 'An\u202ea' },
    });
    expect(contact.status).toBe(422);
  });

  test('without MANAGE_DATABASE_URL every path is 404, and with a database that is away 503 while reads go on', async ({
    database,
    api,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const call = {
      method: 'PUT',
      key,
      body: JSON.stringify(CUSTOMER),
      headers: { 'content-type': 'application/json' },
    };
    expect((await api.call('/manage/v1/customers/external_key/A', call)).status).toBe(404);
    const proxy = await TcpProxy.listen(() => Number(new URL(database.urls.manager).port));
    const settings = {
      MANAGE_DATABASE_URL: withPort(database.urls.manager, proxy.port),
      API_SECRETS_KEY: 'x'.repeat(32),
    };
    const running = await startApi(database.urls.api, settings);
    try {
      expect((await callApi(running.url, '/manage/v1/customers/external_key/A', call)).status).toBe(201);
      await proxy.close();
      expect((await callApi(running.url, '/manage/v1/customers/external_key/A', call)).json.code).toBe('unavailable');
      expect((await callApi(running.url, '/v1/customers', { key })).status).toBe(200);
      // On a stalled machine, the api is not ready for a moment if it has not read changes of keys for seconds.
      await expect.poll(async () => (await callApi(running.url, '/readyz')).status).toBe(200);
    } finally {
      await running.close();
    }
  });

  test('without API_SECRETS_KEY the api serves reads, and /manage/v1, the log and doctor name the command to use', async ({
    database,
  }) => {
    const { key } = await givenManagedOrganization(database);
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const running = await startApi(database.urls.api, { MANAGE_DATABASE_URL: database.urls.manager }, logger);
    try {
      const refused = await callApi(running.url, '/manage/v1/audit', { key });
      expect([refused.status, refused.json.code]).toEqual([503, 'changes_not_set_up']);
      expect((await callApi(running.url, '/v1/customers', { key })).status).toBe(200);
      const environment = { OPERATOR_DATABASE_URL: database.urls.operator, PUBLIC_URL: running.url };
      const found = JSON.stringify(await checkApi(readDoctorConfig(environment)));
      for (const text of [refused.json.detail, lines.join(''), found])
        expect(text).toContain('tankwatch secrets api-key');
    } finally {
      await running.close();
    }
  });

  test('a revocation waits for the change in progress; the key then changes nothing', async ({ database, manage }) => {
    const { key, prefix, organizationNo } = await givenManagedOrganization(database);
    const holder = await database.operator.connect();
    await holder.query('begin');
    await holder.query('select lock_organization($1)', [organizationNo]);
    const waiting = manage.call(key, 'PUT', '/customers/external_key/A', { body: CUSTOMER });
    // The change has locked its key, so the revocation waits for its end.
    await expectLockWaits(database.owner, 1);
    const revoked = revokeKey(database.operator, prefix);
    await holder.query('commit');
    holder.release();
    expect((await waiting).status).toBe(201);
    expect(await revoked).toBe(true);
    expect((await manage.call(key, 'PUT', '/customers/external_key/B', { body: CUSTOMER })).status).toBe(401);
  });

  test('the audit log has the key, the request id and the fields of each change', async ({ database, manage }) => {
    const { key, prefix, organizationNo } = await givenManagedOrganization(database);
    const headers = { 'x-request-id': 'request-1' };
    await manage.call(key, 'PUT', '/customers/external_key/A', { body: CUSTOMER, headers });
    await manage.call(key, 'PUT', '/customers/external_key/A', {
      body: CUSTOMER,
      headers: { 'x-request-id': 'request-2' },
    });
    const third = { 'x-request-id': 'request-3' };
    await manage.call(key, 'PUT', '/customers/external_key/A', {
      body: { ...CUSTOMER, name: 'B', phone: '1' },
      headers: third,
    });
    const { rows } = await database.owner.query(
      `select actor, request_id, action, object, array_to_string(fields, ' ') as fields from audit_log
       where organization_no = $1 and object = 'customer' order by no`,
      [organizationNo],
    );
    const actor = `key ${prefix}`;
    expect(rows).toEqual([
      { actor, request_id: 'request-1', action: 'create', object: 'customer', fields: '' },
      { actor, request_id: 'request-3', action: 'update', object: 'customer', fields: 'name phone' },
    ]);
  });
});
