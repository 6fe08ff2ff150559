import { expect } from 'vitest';
import { givenCustomer, givenTank } from '../support/fleet.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

test('notes are added, changed and deleted, also with their tank, and no text is left', async ({
  database,
  manage,
}) => {
  const { key, prefix, organizationNo } = await givenManagedOrganization(database);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, owner.no);
  const path = `/tanks/${tank.id}/notes`;
  const list = async () => (await manage.call(key, 'GET', path)).json.data;
  // A note does not wait for an import, which holds the organization.
  const holder = await database.operator.connect();
  await holder.query('begin');
  await holder.query('select lock_organization($1)', [organizationNo]);
  const call = { body: { text: ' Gate code 4711 ', prints: true }, idempotencyKey: 'note' };
  const first = await manage.call(key, 'POST', path, call);
  await holder.query('commit');
  holder.release();
  expect([first.status, first.json]).toEqual([
    201,
    expect.objectContaining({ text: 'Gate code 4711', prints: true, tank_id: tank.id, written_by: `key ${prefix}` }),
  ]);
  const { json: second } = await manage.call(key, 'POST', path, { body: { text: 'A dog' } });
  expect((await list()).map(({ text }: { text: string }) => text)).toEqual(['A dog', 'Gate code 4711']);
  const patch = { body: { text: 'Two dogs' }, ifMatch: second.etag };
  const changed = await manage.call(key, 'PATCH', `/notes/${second.id}`, patch);
  expect(changed.json).toMatchObject({ text: 'Two dogs', prints: false });
  expect((await manage.call(key, 'PATCH', `/notes/${second.id}`, patch)).status).toBe(412);
  for (const text of ['', ' ', 'x'.repeat(2_001), null])
    expect((await manage.call(key, 'POST', path, { body: { text } })).status).toBe(422);

  expect((await manage.call(key, 'DELETE', `/notes/${first.json.id}`, { ifMatch: first.json.etag })).status).toBe(204);
  expect((await manage.call(key, 'DELETE', `/notes/${first.json.id}`, { ifMatch: '*' })).status).toBe(204);
  expect((await manage.call(key, 'POST', path, call)).json.code).toBe('gone');
  const notes = Array.from({ length: 19 }, () => manage.call(key, 'POST', path, { body: { text: 'More' } }));
  expect(new Set((await Promise.all(notes)).map(({ status }) => status))).toEqual(new Set([201]));
  expect((await manage.call(key, 'POST', path, { body: { text: 'Too many' } })).json.code).toBe('conflict');
  const { rows: audited } = await database.owner.query(
    `select action, count(*) as changes from audit_log where organization_no = $1 and object = 'note' group by 1 order by 1`,
    [organizationNo],
  );
  expect(audited).toEqual([
    { action: 'create', changes: 21 },
    { action: 'delete', changes: 1 },
    { action: 'update', changes: 1 },
  ]);
  const { json: log } = await manage.call(key, 'GET', '/audit?size=200');
  const ofSecond = log.data.filter(({ changed_id }: { changed_id: string }) => changed_id === second.id);
  expect(ofSecond.map(({ tank_id }: { tank_id: string }) => tank_id)).toEqual([tank.id, tank.id]);
  expect((await manage.call(key, 'DELETE', `/tanks/${tank.id}`, { ifMatch: '*' })).status).toBe(204);
  const { rows } = await database.owner.query(
    `select (select count(*) from tank_notes where organization_no = $1) as notes,
            (select count(*) from idempotency_keys where organization_no = $1 and object = 'note' and answer is not null) as answers`,
    [organizationNo],
  );
  expect(rows).toEqual([{ notes: 0, answers: 0 }]);
  expect((await manage.call(key, 'GET', path)).status).toBe(404);
});
