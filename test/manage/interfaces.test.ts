import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenContact, givenCustomer, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { callApi, type Response } from '../support/http.ts';
import { givenInterfaces } from '../support/interfaces.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { CUSTOMER, test } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';

test('a change of a customer by a person whose roles a command changes meanwhile succeeds, and so does the command', async ({
  database,
  manage,
}) => {
  const { organizationNo, run } = await givenInterfaces(database, manage);
  const contact = { email: 'ana@example.com', types: [], roles: ['administrator'] } as const;
  const { id: contactId } = await givenContact(database.operator, organizationNo, contact);
  const { cookie } = await givenSession(database, { contactId });
  const connection = await database.owner.connect();
  try {
    await connection.query('begin');
    // The request waits for its Idempotency-Key, which it claims after it has locked its caller.
    await connection.query(
      `insert into idempotency_keys (organization_no, caller, key, fingerprint)
       select $1, 'contact ' || no, 'same', '' from contacts where id = $2`,
      [organizationNo, contactId],
    );
    const put = callApi(manage.url, '/manage/v1/customers/external_key/C-1', {
      method: 'PUT',
      body: JSON.stringify(CUSTOMER),
      headers: { cookie, origin: manage.url, 'content-type': 'application/json', 'idempotency-key': 'same' },
    });
    await expectLockWaits(database.owner, 1);
    const update = run('contacts', 'update', 'ana@example.com', '--role', 'viewer');
    await expectLockWaits(database.owner, 2);
    await connection.query('rollback');
    expect([(await put).status, (await update).stderr]).toEqual([201, '']);
  } finally {
    connection.release();
  }
});

test('a contact beyond the limit is refused over HTTP and by a command', async ({ database, manage }) => {
  const { key, organizationNo, run } = await givenInterfaces(database, manage);
  await database.owner.query(
    `insert into contacts (id, organization_no, email, types)
     select gen_random_uuid(), $1, 'person' || n || '@example.com', '{}' from generate_series(1, 500) as n`,
    [organizationNo],
  );
  const body = { email: 'one.more@example.com', types: [] };
  const { status, json } = await manage.call(key, 'POST', '/contacts', { body });
  expect([status, json.detail]).toEqual([409, 'The organization has 500 contacts already.']);
  const added = await run('contacts', 'add', body.email);
  expect([added.code, added.stderr]).toEqual([
    1,
    'tankwatch: the organization has 500 contacts already; remove one with: tankwatch contacts remove\n',
  ]);
  // A known address is changed, not added.
  expect((await run('contacts', 'add', 'person7@example.com', '--role', 'viewer')).code).toBe(0);
});

test('a stored answer about a contact is erased with it, over HTTP and by a command', async ({ database, manage }) => {
  const { key, run } = await givenInterfaces(database, manage);
  for (const remove of [
    (id: string) => run('contacts', 'remove', id),
    (id: string) => manage.call(key, 'DELETE', `/contacts/${id}`, { ifMatch: '*' }),
  ]) {
    const request = { body: { email: 'ana@example.com', types: [] }, idempotencyKey: randomUUID() };
    const { json: made } = await manage.call(key, 'POST', '/contacts', request);
    expect((await manage.call(key, 'POST', '/contacts', request)).json).toEqual(made);
    await remove(made.id);
    const { status, text } = await manage.call(key, 'POST', '/contacts', request);
    expect([status, text.includes('ana@')]).toEqual([410, false]);
  }
});

test('a dry run uses up no internal number, over HTTP and by a command', async ({ database, manage }) => {
  const { key, run } = await givenInterfaces(database, manage);
  const lastNo = async (): Promise<unknown> =>
    (await database.owner.query(`select last_value from pg_sequences where sequencename = 'contacts_no_seq'`)).rows[0];
  await run('contacts', 'add', 'first@example.com');
  const before = await lastNo();
  expect((await run('contacts', 'add', 'dry@example.com', '--dry-run')).code).toBe(0);
  const body = { email: 'dry@example.com', types: [] };
  expect((await manage.call(key, 'POST', '/contacts?dry_run=true', { body })).status).toBe(201);
  expect(await lastNo()).toEqual(before);
});

test('the same value is refused for the same reason, over HTTP and by a command', async ({ database, manage }) => {
  const { key, run } = await givenInterfaces(database, manage);
  const contact = { email: 'ana@example.com', types: [], name: 'x'.repeat(201), digest_at: '25:00' };
  expect((await manage.call(key, 'POST', '/contacts', { body: contact })).json.errors).toEqual([
    { param: 'name', code: 'invalid', detail: 'Must have at most 200 characters.' },
    { param: 'digest_at', code: 'invalid', detail: 'Must be a time from 00:00 to 23:59, such as 07:00.' },
  ]);
  expect((await run('contacts', 'add', contact.email, '--name', contact.name)).stderr).toBe(
    'tankwatch: the name must have at most 200 characters.\n',
  );
  expect((await run('contacts', 'add', contact.email, '--digest', '25:00')).stderr).toContain(
    'must be a time from 00:00 to 23:59, such as 07:00',
  );
});

test('a contact without mails and roles is added, and one with a role can stop all mails, over HTTP and by a command', async ({
  database,
  manage,
}) => {
  const { call, run } = await givenInterfaces(database, manage);
  expect((await call('POST', '/contacts', { email: 'a@example.com', types: [] })).status).toBe(201);
  expect((await run('contacts', 'add', 'b@example.com', '--type', 'none')).stdout).toContain('no mails');
  await run('contacts', 'add', 'c@example.com', '--role', 'viewer');
  expect((await run('contacts', 'add', 'c@example.com', '--type', 'none')).stderr).toBe('');
  const { json } = await call('GET', '/contacts');
  expect(json.data).toMatchObject([
    { email: 'c@example.com', types: [], roles: ['viewer'] },
    { email: 'b@example.com', types: [], roles: [] },
    { email: 'a@example.com', types: [], roles: [] },
  ]);
});

test('the dry run of an invitation applies its limits, over HTTP and by a command', async ({ database, manage }) => {
  const { call, run, organizationNo } = await givenInterfaces(database, manage);
  const contact = { email: 'ana@example.com', types: [], roles: ['viewer'] } as const;
  const { id } = await givenContact(database.operator, organizationNo, contact);
  expect((await call('POST', `/contacts/${id}/invite?dry_run=true`, {})).json.invited_at).not.toBeNull();
  for (let n = 0; n < 5; n++) expect((await run('contacts', 'invite', id)).code).toBe(0);
  expect((await call('POST', `/contacts/${id}/invite?dry_run=true`, {})).status).toBe(409);
  expect((await run('contacts', 'invite', id, '--dry-run')).stderr).toContain('too many invitations were sent today');
});

test('a contact that was read can be sent back with a change', async ({ database, manage }) => {
  const { call, organizationNo } = await givenInterfaces(database, manage);
  const { id } = await givenContact(database.operator, organizationNo, {
    email: 'ana@example.com',
    types: [],
    roles: [],
  });
  const { json: contact } = await call('GET', `/contacts/${id}`);
  expect((await call('GET', '/contacts')).json.data).toEqual([contact]);
  expect((await call('PATCH', `/contacts/${id}`, { ...contact, name: 'Ana' })).json).toMatchObject({ id, name: 'Ana' });
  // The address is not ignored silently.
  const { status, json } = await call('PATCH', `/contacts/${id}`, { email: 'eva@example.com' });
  expect([status, json.errors[0].param]).toEqual([422, 'email']);
});

test('a webhook beyond the limits is refused over HTTP and by a command', async ({ database, manage }) => {
  const { key, run } = await givenInterfaces(database, manage);
  const create = () => manage.call(key, 'POST', '/webhooks', { body: { url: 'https://1.1.1.1/hook' } });
  const { json: first } = await create();
  expect((await run('webhooks', 'disable', first.id)).stdout).toBe(`disabled the webhook ${first.id}\n`);
  for (let n = 0; n < 20; n++) expect((await create()).status).toBe(201);
  const fact = 'he organization has 20 enabled webhooks already';
  expect((await create()).json.detail).toBe(`T${fact}. Disable one of them first.`);
  const remedy = '; disable one of them first with: tankwatch webhooks disable';
  for (const args of [
    ['enable', first.id],
    ['create', 'https://1.1.1.1/hook'],
  ])
    expect((await run('webhooks', ...args)).stderr).toBe(`tankwatch: t${fact}${remedy}\n`);
  const rotated = await run('webhooks', 'rotate-secret', first.id, '--overlap-hours', '9999');
  expect([rotated.code, rotated.stderr]).toEqual([1, expect.stringContaining('from 0 to 168')]);
  const over = { body: { overlap_hours: 9_999 } };
  expect((await manage.call(key, 'POST', `/webhooks/${first.id}/rotate_secret`, over)).status).toBe(422);
});

test('a manual reading and an estimate have the same result, refusal and audit entry over HTTP and by a command', async ({
  database,
  manage,
}) => {
  const { call, run, lastAudit, organizationNo } = await givenInterfaces(database, manage);
  const owner = await givenCustomer(database.operator, organizationNo);
  const [manual, sensor] = await givenTanks(database.operator, organizationNo, owner.no, [
    { assigned_device_id: 'manual' },
    {},
  ]);
  const interfaces = {
    HTTP: {
      dip: (id = '', fill_percentage = 45) => call('POST', `/tanks/${id}/dips`, { fill_percentage }),
      estimate: (id = '', is_told = false) => call('PUT', `/tanks/${id}/estimate`, { is_told }),
    },
    command: {
      dip: (id = '', level = 45) => run('tanks', 'dip', id, String(level)),
      estimate: (id = '', isTold = false) => run('tanks', 'estimate', id, isTold ? 'on' : 'off'),
    },
  };
  const textOf = (done: Response | Finished): string => ('status' in done ? done.json.detail : done.stderr);
  for (const [via, { dip, estimate }] of Object.entries(interfaces)) {
    await dip(manual?.id);
    const { rows } = await database.owner.query('delete from waiting_dips returning tank_no, fill_percentage');
    expect([via, rows]).toEqual([via, [{ tank_no: manual?.no, fill_percentage: 45 }]]);
    expect([via, await lastAudit()]).toEqual([via, { object: 'tank', action: 'update', fields: 'dip' }]);
    await estimate(manual?.id, true);
    await estimate(manual?.id, false);
    expect([via, await lastAudit()]).toEqual([via, { object: 'tank', action: 'update', fields: 'estimate' }]);
    for (const refused of [await dip(sensor?.id), await estimate(sensor?.id)])
      expect([via, textOf(refused)]).toEqual([
        via,
        expect.stringMatching(/his tank has a sensor[.;] [oO]nly a tank without/),
      ]);
    expect([via, textOf(await dip(manual?.id, 101))]).toEqual([via, expect.stringContaining('100')]);
  }
});

test('an empty change of the organization changes nothing over HTTP, and a command without a field says so', async ({
  database,
  manage,
}) => {
  const { call, organizationNo } = await givenInterfaces(database, manage);
  const { status, json } = await call('PATCH', '/organization', {});
  expect([status, json]).toEqual([
    200,
    { object: 'organization', default_product: 'propane', reports_unusual_use: true },
  ]);
  const { rows } = await database.owner.query(
    `select from audit_log where organization_no = $1 and object = 'organization' and action = 'update'`,
    [organizationNo],
  );
  expect(rows).toEqual([]);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const update = await runCommand(['organizations', 'update', code], { DATABASE_URL: database.urls.operator });
  expect(update).toMatchObject({ code: 1, stderr: 'tankwatch: name at least one field to change.\n' });
});
