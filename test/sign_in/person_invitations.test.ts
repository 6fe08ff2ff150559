import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import {
  addContact,
  type ContactValues,
  inviteContact,
  removeContact,
  updateContact,
} from '../../src/mail/contacts.ts';
import { givenContact, givenOrganization } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { LINK_SECRET } from '../support/mails.ts';
import { givenManageApi, givenManagedOrganization } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import { newAddress, signInByMail, TestBrowser, test } from '../support/sign_in.ts';
import type { TestDatabase } from '../support/test.ts';

/** A person with a role, and functions with which an operator invites, changes and removes the person. */
async function givenPerson({ operator }: TestDatabase, organizationNo: number, values: Partial<ContactValues> = {}) {
  const email = values.email ?? newAddress('eva');
  const change = <T>(act: (change: ReturnType<typeof operatorChange>) => Promise<T>): Promise<T> =>
    transaction(operator, (tx) => act(operatorChange(tx, organizationNo)));
  await change((by) => addContact(by, { roles: ['dispatcher'], ...values, email }));
  return {
    email,
    invite: () => change((by) => inviteContact(by, email)),
    update: (changes: Partial<ContactValues>) => change((by) => updateContact(by, email, changes)),
    remove: () => change((by) => removeContact(by, email)),
  };
}

test('the link of an invitation signs in once, is in the language of the person, and is not logged or stored', async ({
  database,
  service,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { email, invite } = await givenPerson(database, organizationNo, { name: 'Eva Ruiz', language: 'es' });
  await invite();
  const { mail, link, code } = await service.mail(email);
  expect([mail.subject, code]).toEqual([expect.stringContaining('le invita a su consola'), '']);
  expect(mail.text).toContain('Eva Ruiz');
  expect(link).not.toBe('');
  const browser = new TestBrowser(service.url);
  const opened = await browser.call(link);
  expect([opened.status, opened.text]).toEqual([200, expect.stringContaining('<html lang="es')]);
  expect((await browser.press(link)).headers['location']).toBe('/console/');
  const session = await browser.call('/session');
  expect(session.json).toMatchObject({ person: { email, language: 'es' }, roles: ['dispatcher'], mails: true });
  expect((await new TestBrowser(service.otherUrl).press(link)).status).toBe(410);

  const token = link.split('/').at(-1) ?? '';
  expect(service.logs.join('')).not.toContain(token);
  const { rows } = await database.owner.query('select link_sha256, contact_no, kind from sign_ins where address = $1', [
    email,
  ]);
  expect(JSON.stringify(rows)).not.toContain(token);
  const { rows: audit } = await database.owner.query(
    `select fields from audit_log where organization_no = $1 and object = 'contact' order by no desc limit 1`,
    [organizationNo],
  );
  expect(audit).toEqual([{ fields: ['invited_at'] }]);
});

test('an invitation ends when it is repeated or expires, or when the person is removed, loses the role or signs in', async ({
  database,
  service,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const isOpen = async (link: string): Promise<boolean> =>
    (await new TestBrowser(service.url).call(link)).status === 200;
  const [eva, leo, ida, max] = await Promise.all([1, 2, 3, 4].map(() => givenPerson(database, organizationNo)));
  if (!eva || !leo || !ida || !max) throw new Error('no people');

  await eva.invite();
  const first = await service.mail(eva.email);
  await eva.invite();
  const second = await service.mail(eva.email, 2);
  expect([await isOpen(first.link), await isOpen(second.link)]).toEqual([false, true]);
  // The invitation is kept for a week, and then deleted.
  await database.owner.query(`update sign_ins set created_at = now() - interval '6 days' where address = $1`, [
    eva.email,
  ]);
  await database.worker.query('select delete_ended_sessions()');
  expect(await isOpen(second.link)).toBe(true);
  await database.owner.query('update sign_ins set expires_at = now() where address = $1', [eva.email]);
  expect(await isOpen(second.link)).toBe(false);
  await database.worker.query('select delete_ended_sessions()');
  expect((await database.owner.query('select from sign_ins where address = $1', [eva.email])).rows).toEqual([]);

  const ends: [Awaited<ReturnType<typeof givenPerson>>, () => Promise<unknown>][] = [
    [leo, leo.remove],
    [ida, () => ida.update({ roles: [] })],
    [max, () => signInByMail(service, max.email)],
  ];
  for (const [person, end] of ends) {
    await person.invite();
    const { link } = await service.mail(person.email);
    expect(await isOpen(link)).toBe(true);
    await end();
    expect(await isOpen(link)).toBe(false);
    expect((await new TestBrowser(service.url).press(link)).status).toBe(410);
  }
  const { rows } = await database.owner.query('select from sign_ins where address = $1', [leo.email]);
  expect(rows).toEqual([]);
  await expect(ida.invite()).rejects.toThrow('this contact has no role');
});

test('a person gets at most five invitations a day and an organization sends at most 100, also to removed persons', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { invite } = await givenPerson(database, organizationNo);
  for (let n = 0; n < 5; n++) await invite();
  await expect(invite()).rejects.toThrow('too many invitations');
  const removed = await givenPerson(database, organizationNo);
  for (let n = 0; n < 4; n++) await removed.invite();
  await removed.remove();
  await database.owner.query(
    `insert into sign_ins (address, browser_sha256, kind, contact_no)
     select 'removed', sha256(n::text::bytea), 'invitation', c.no
     from generate_series(1, 90) n, (select no from contacts where organization_no = $1 order by no limit 1) c`,
    [organizationNo],
  );
  const next = await givenPerson(database, organizationNo);
  await next.invite();
  await expect(next.invite()).rejects.toThrow('too many invitations');
  const elsewhere = await givenPerson(database, await givenOrganization(database.operator));
  await elsewhere.invite();
});

test('an address gets at most ten invitations a day, also if its person was removed', async ({ database }) => {
  const { email, invite, remove } = await givenPerson(database, await givenOrganization(database.operator));
  const inviteFrom = async (): Promise<void> => {
    const { invite: inviteThere } = await givenPerson(database, await givenOrganization(database.operator), { email });
    await inviteThere();
  };
  for (let n = 0; n < 4; n++) await invite();
  await remove();
  for (let n = 0; n < 6; n++) await inviteFrom();
  await expect(inviteFrom()).rejects.toThrow('too many invitations');
  const { rows } = await database.owner.query('select from sign_ins where address = $1', [email]);
  expect(rows).toHaveLength(6); // the address of a person who was removed is not kept
});

test('a person who is removed and added again gets at most five invitations a day', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { email, invite, remove } = await givenPerson(database, organizationNo);
  for (let n = 0; n < 5; n++) await invite();
  await remove();
  const again = await givenPerson(database, organizationNo, { email });
  await expect(again.invite()).rejects.toThrow('too many invitations');
});

test('an invitation of one organization never offers the console of another with the same address', async ({
  database,
  service,
}) => {
  const [ours, theirs] = [await givenOrganization(database.operator), await givenOrganization(database.operator)];
  const { email, invite } = await givenPerson(database, ours, { roles: ['viewer'] });
  await givenPerson(database, theirs, { email, roles: ['administrator'] });
  await invite();
  const { link } = await service.mail(email);
  const browser = new TestBrowser(service.url);
  expect((await browser.press(link)).headers['location']).toBe('/console/');
  expect((await browser.call('/session')).json).toMatchObject({ roles: ['viewer'] });
  const { rows } = await database.owner.query(
    'select distinct c.organization_no from sessions s join contacts c on c.no = s.contact_no where c.email = $1',
    [email],
  );
  expect(rows).toEqual([{ organization_no: ours }]);
});

test('if an issuer has the domain of the person, the mail of the invitation has no link that signs in', async ({
  database,
  service,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  await database.owner.query(
    `insert into issuers (id, organization_no, url, client_id, label, domains)
     values (gen_random_uuid(), $1, 'https://id.example.com', 'tankwatch', 'Gas ID', '{example.com}')`,
    [organizationNo],
  );
  const { email, invite } = await givenPerson(database, organizationNo);
  await invite();
  const { mail, link } = await service.mail(email);
  expect(link).toBe('');
  expect(mail.text).toContain('Sign in with Gas ID');
  expect(mail.text).toContain(`${service.url}/console`);
});

test('an administrator can add and invite a person over HTTP, a key can only repeat it, and a dispatcher cannot', async ({
  database,
  service,
}) => {
  const running = await givenManageApi(database, { LINK_SECRET });
  const { organizationNo, key } = await givenManagedOrganization(database);
  const cookieOf = async (role: 'administrator' | 'dispatcher'): Promise<string> => {
    const { id } = await givenContact(database.operator, organizationNo, { email: newAddress(role), roles: [role] });
    return (await givenSession(database, { contactId: id })).cookie;
  };
  const post = (path: string, body: object, credential: Record<string, string>) =>
    callApi(running.url, `/manage/v1/contacts${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        origin: running.url,
        ...credential,
      },
    });
  const administrator = { cookie: await cookieOf('administrator') };
  const person = { email: newAddress('eva'), types: [], roles: ['viewer'], language: 'en', invite: true };
  const made = await post('', person, administrator);
  expect([made.status, made.json]).toMatchObject([
    201,
    { language: 'en', invited_at: expect.any(String), last_seen_at: null },
  ]);
  expect((await service.mail(person.email)).mail.subject).toContain('invites you to its console');
  const path = `/${made.json.id}/invite`;
  const again = await post(path, {}, administrator);
  expect([again.status, again.json.id]).toEqual([202, made.json.id]);
  expect((await post(path, {}, { cookie: await cookieOf('dispatcher') })).status).toBe(403);
  // A key cannot give a role, but can repeat the mail.
  expect((await post('', person, { 'x-api-key': key })).status).toBe(403);
  expect((await post(path, {}, { 'x-api-key': key })).status).toBe(202);
  const refused = await post('', { ...person, email: newAddress('leo'), roles: [] }, administrator);
  expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining('Give the contact a role')]);
  expect((await post(`/${randomUUID()}/invite`, {}, administrator)).status).toBe(404);
});
