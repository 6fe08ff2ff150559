import { expect } from 'vitest';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenKey, givenOrganization, organizationCodeOf } from '../support/fleet.ts';
import { givenDispatcher, newAddress, signInByMail, TestBrowser, test } from '../support/sign_in.ts';
import { within } from '../support/stopwatch.ts';

test('a change of roles takes effect within a second in open sessions of all processes, and the loss of all roles ends them', async ({
  database,
  service,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const email = await givenDispatcher(database, organizationNo, newAddress('ana'), ['technician', 'dispatcher']);
  const browser = await signInByMail(service, email);
  const other = new TestBrowser(service.otherUrl);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  const rolesIn = async (client: TestBrowser): Promise<unknown> => (await client.call('/session')).json.roles;
  // The roles are in the order of the list of roles, not in the given order.
  for (const client of [browser, other]) expect(await rolesIn(client)).toEqual(['dispatcher', 'technician']);

  const code = await organizationCodeOf(database.owner, organizationNo);
  const update = (...role: string[]) =>
    runCommand(['contacts', 'update', email, '--organization', code, '--role', ...role], {
      OPERATOR_DATABASE_URL: database.urls.operator,
    });
  expect((await update('administrator')).stdout).toContain('can sign in to the console as administrator');
  await within(1_000, async () => {
    for (const client of [browser, other]) await expect.poll(() => rolesIn(client)).toEqual(['administrator']);
  });
  expect((await update('none')).stdout).toContain('can no longer sign in to the console');
  await within(1_000, async () => {
    for (const client of [browser, other]) await expect.poll(() => client.status('/session')).toBe(401);
  });
});

test('a session is that of a person with roles, of a key as a viewer, or of an owner without a role', async ({
  database,
  service,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const email = await givenDispatcher(database, organizationNo, newAddress('ana'), ['dispatcher']);
  await database.operator.query(`update contacts set name = 'Ana' where email = $1`, [email]);
  const person = await signInByMail(service, email);
  // This service has no paths for changes, so `can` is empty.
  expect((await person.call('/session')).json).toMatchObject({
    person: { id: expect.any(String), email, name: 'Ana' },
    issuer: null,
    roles: ['dispatcher'],
    can: [],
  });
  const ownerEmail = newAddress('owner');
  await givenCustomer(database.operator, organizationNo, { email: ownerEmail, is_verified: true });
  const ownerBrowser = await signInByMail(service, ownerEmail);
  expect((await ownerBrowser.call('/session')).json).toMatchObject({ person: null, roles: [], can: [] });

  const { text: apiKey } = await givenKey(database.operator, { organizationNo });
  const keyBrowser = new TestBrowser(service.url);
  await keyBrowser.call('/session', { json: { api_key: apiKey } });
  expect((await keyBrowser.call('/session')).json).toMatchObject({ person: null, roles: ['viewer'], can: [] });
});

test('roles and has_console of a contact agree if 0.2.0 or this release writes one of them', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const write = async (sql: string, ...values: unknown[]): Promise<unknown> =>
    (await database.operator.query(`${sql} returning roles, has_console`, values)).rows[0];
  const insert = `insert into contacts (id, organization_no, email, types, has_console)
    values (gen_random_uuid(), $1, $2, '{}', $3)`;
  expect(await write(insert, organizationNo, newAddress(), false)).toEqual({ roles: [], has_console: false });
  const email = newAddress();
  expect(await write(insert, organizationNo, email, true)).toEqual({ roles: ['viewer'], has_console: true });
  const update = (set: string): Promise<unknown> => write(`update contacts set ${set} where email = $1`, email);
  expect(await update(`roles = '{administrator,dispatcher,dispatcher}'`)).toEqual({
    roles: ['dispatcher', 'administrator'],
    has_console: true,
  });
  // `contacts add` of 0.2.0 writes the value that it has read.
  expect(await update('has_console = true')).toMatchObject({ roles: ['dispatcher', 'administrator'] });
  expect(await update('has_console = false')).toEqual({ roles: [], has_console: false });
  expect(await update(`roles = '{viewer}'`)).toEqual({ roles: ['viewer'], has_console: true });
  expect(await update(`roles = '{}'`)).toEqual({ roles: [], has_console: false });
  for (const roles of ['{boss}', '{viewer,NULL}'])
    await expect(update(`roles = '${roles}'`)).rejects.toThrow(/known_roles/);
  await update(`name = 'Ana'`);
  await database.operator.query('update contacts set deleted_at = now(), email = null where email = $1', [email]);
  const { rows } = await database.owner.query(`select from contacts where name = 'Ana' and organization_no = $1`, [
    organizationNo,
  ]);
  expect(rows).toEqual([]);
});
