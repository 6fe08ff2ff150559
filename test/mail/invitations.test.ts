import { expect } from 'vitest';
import { deleteCustomer, updateCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { callApi } from '../support/http.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { givenMailedCustomer, givenMailWorker, setLanguage, soon, untilNoJobIsDue } from '../support/mails.ts';
import { test } from '../support/test.ts';

test('the button of an invitation verifies the address, and opening the link does not', async ({ database }) => {
  const { mailbox, apiUrl } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database, { is_verified: false });
  await setLanguage(database, fleet, 'es');
  await database.operator.query('select enqueue_invitation($1)', [fleet.customer.no]);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  const [mail] = mailbox.of(fleet.email);
  const link = /http:\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  const path = link.slice(apiUrl.length);
  const state = async () =>
    (await database.owner.query('select is_verified, verified_at from customers where no = $1', [fleet.customer.no]))
      .rows[0];

  const opened = await callApi(apiUrl, path);
  expect([opened.status, opened.text]).toEqual([200, expect.stringContaining('Sí, avísenme')]);
  const { rows } = await database.operator.query<{ name: string }>('select name from organizations where no = $1', [
    fleet.organizationNo,
  ]);
  expect(opened.text).toContain(`<h1>${rows[0]?.name}</h1>`);
  expect(opened.headers['content-security-policy']).toContain("default-src 'none'");
  expect(opened.headers['referrer-policy']).toBe('no-referrer');
  expect(await state()).toEqual({ is_verified: false, verified_at: null });

  for (const bad of [
    path.slice(0, -1),
    `${path}x`,
    path.replace('verify', 'unsubscribe'),
    '/links/x',
    '/links/verify.x.1.y',
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await callApi(apiUrl, bad, { method });
      expect([bad, answer.status, answer.text]).toEqual([bad, 404, expect.stringContaining('has expired')]);
    }
  }
  expect(await state()).toEqual({ is_verified: false, verified_at: null });
  // An unknown link does not show the language of its reader, but the browser names it.
  const spanish = await callApi(apiUrl, '/links/x', { headers: { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' } });
  expect(spanish.text).toContain('<html lang="es">');
  expect(spanish.text).toMatch(/Este enlace venció[^]*This link has expired/);

  // After a change of the address the link is invalid, because it only proves the old address.
  await database.operator.query(`update customers set email = 'other@example.com' where no = $1`, [fleet.customer.no]);
  expect((await callApi(apiUrl, path, { method: 'POST' })).status).toBe(404);
  await database.operator.query('update customers set email = $2 where no = $1', [fleet.customer.no, fleet.email]);

  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect((await callApi(apiUrl, path, form)).text).toMatch(/Gracias\.[^]*<a href="\/console\/">Ver mis tanques<\/a>/);
  const verified = await state();
  expect(verified).toEqual({ is_verified: true, verified_at: expect.any(String) });
  expect((await callApi(apiUrl, path, form)).status).toBe(200);
  expect(await state()).toEqual(verified);
  const { rows: audit } = await database.operator.query(
    `select actor, fields from audit_log where object = 'customer' and $1 = any (object_nos) order by no desc limit 1`,
    [fleet.customer.no],
  );
  expect(audit).toEqual([{ actor: 'link in a mail', fields: ['is_verified', 'verified_at'] }]);

  // A verified customer gets no second invitation. The link of a deleted customer is invalid.
  await database.operator.query('select enqueue_invitation($1)', [fleet.customer.no]);
  await untilNoJobIsDue(database);
  expect(mailbox.of(fleet.email).length).toBe(1);
  await transaction(database.operator, (tx) =>
    deleteCustomer(tx, fleet.organizationNo, fleet.customer.no, { withTanks: true }),
  );
  expect((await callApi(apiUrl, path)).status).toBe(404);
  expect((await callApi(apiUrl, path, { method: 'PUT' })).headers['allow']).toBe('GET, HEAD, POST');
});

test('a link does not confirm an address that is changed at the same moment', async ({ database }) => {
  const { mailbox, apiUrl } = await givenMailWorker(database);
  const fleet = await givenMailedCustomer(database, { is_verified: false });
  await database.operator.query('select enqueue_invitation($1)', [fleet.customer.no]);
  await expect.poll(() => mailbox.of(fleet.email).length, soon).toBe(1);
  const link = /http:\S+/.exec(mailbox.of(fleet.email)[0]?.text ?? '')?.[0] ?? '';
  const { confirming } = await transaction(database.operator, async (tx) => {
    await updateCustomer(tx, fleet.organizationNo, { no: fleet.customer.no }, { email: 'new@example.com' });
    const waiting = callApi(apiUrl, link.slice(apiUrl.length), { method: 'POST' });
    await expectLockWaits(database.owner, 1);
    return { confirming: waiting };
  });
  expect((await confirming).status).toBe(404);
});

test('without LINK_SECRET the link pages are not served', async ({ api }) => {
  expect((await api.call('/links/verify.x')).json.code).toBe('not_found');
});
