import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

test('a key manages contacts without roles but not people with a role, and the audit log has its changes', async ({
  database,
  manage,
}) => {
  const { key, prefix, organizationNo } = await givenManagedOrganization(database);
  const body = { email: 'ana@example.com', types: ['tank.low_fill'], digest_at: '07:00' };
  const made = await manage.call(key, 'POST', '/contacts', { body });
  expect([made.status, made.json]).toEqual([201, expect.objectContaining({ ...body, name: null, roles: [] })]);
  const again = await manage.call(key, 'POST', '/contacts', { body });
  expect([again.status, again.json.conflicting_id]).toEqual([409, made.json.id]);
  const withRole = { ...body, email: 'eva@example.com', roles: ['viewer'] };
  expect((await manage.call(key, 'POST', '/contacts', { body: withRole })).status).toBe(403);
  for (const [field, value] of [
    ['digest_at', '7:00'],
    ['email', 'nobody'],
    ['types', ['tank.acknowledged']],
  ] as const) {
    const { status } = await manage.call(key, 'POST', '/contacts', { body: { ...body, [field]: value } });
    expect([field, status]).toEqual([field, 422]);
  }
  const patch = { body: { name: 'Ana', digest_at: null }, ifMatch: made.json.etag };
  const changed = await manage.call(key, 'PATCH', `/contacts/${made.json.id}`, patch);
  expect(changed.json).toMatchObject({ name: 'Ana', digest_at: null, types: ['tank.low_fill'] });
  expect((await manage.call(key, 'PATCH', `/contacts/${made.json.id}`, patch)).status).toBe(412);
  const otherAddress = { body: { email: 'ana.torres@example.com' }, ifMatch: '*' };
  const refused = await manage.call(key, 'PATCH', `/contacts/${made.json.id}`, otherAddress);
  expect([refused.status, refused.json.errors]).toEqual([
    422,
    [expect.objectContaining({ param: 'email', detail: expect.stringContaining('add another contact') })],
  ]);

  const { id: bossId } = await transaction(database.operator, (tx) =>
    addContact(operatorChange(tx, organizationNo), { email: 'boss@example.com', types: [], roles: ['administrator'] }),
  );
  const bossPatch = { body: { name: 'Boss' }, ifMatch: '*' };
  expect((await manage.call(key, 'PATCH', `/contacts/${bossId}`, bossPatch)).status).toBe(403);
  expect((await manage.call(key, 'DELETE', `/contacts/${bossId}`, { ifMatch: '*' })).status).toBe(403);
  expect((await manage.call(key, 'DELETE', `/contacts/${made.json.id}`, { ifMatch: '*' })).status).toBe(204);
  const { json: listed } = await manage.call(key, 'GET', '/contacts');
  expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([bossId]);

  const { json: audit } = await manage.call(key, 'GET', '/audit?size=1');
  expect(audit).toMatchObject({
    has_more: true,
    data: [
      { actor: `key ${prefix}`, action: 'delete', changed: 'contact', changed_id: made.json.id, changed_name: null },
    ],
  });
  const { json: older } = await manage.call(key, 'GET', `/audit?before=${audit.data[0].number}`);
  expect(older.data[0].number).toBeLessThan(audit.data[0].number);
  const ofBoss = older.data.find(({ changed_id }: { changed_id: string }) => changed_id === bossId);
  expect(ofBoss).toMatchObject({ action: 'create', changed_name: 'boss@example.com', tank_id: null });
});

test('an address that a command adds at the same moment is a conflict', async ({ database, manage }) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const connection = await database.owner.connect();
  try {
    await connection.query('begin');
    await connection.query(
      `insert into contacts (id, organization_no, email, types) values (gen_random_uuid(), $1, 'ana@example.com', '{}')`,
      [organizationNo],
    );
    const second = manage.call(key, 'POST', '/contacts', { body: { email: 'ana@example.com', types: [] } });
    await expect
      .poll(async () => {
        const { rows } = await connection.query(
          'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
        );
        return rows.length;
      })
      .toBe(1);
    await connection.query('commit');
    const { status, json } = await second;
    expect([status, json.code, json.detail]).toEqual([409, 'conflict', 'A contact has this address.']);
  } finally {
    connection.release();
  }
});
