import { expect } from 'vitest';
import { givenCustomer, givenKey, givenOrganization } from '../support/fleet.ts';
import { givenDispatcher, newAddress, signInByMail, TestBrowser, test } from '../support/sign_in.ts';

test('only an owner who is signed in can turn the own reminders on again, and only from our own page', async ({
  database,
  service,
}) => {
  const { operator, owner } = database;
  const organizationNo = await givenOrganization(operator);
  const email = newAddress('owner');
  const customer = await givenCustomer(operator, organizationNo, { email, is_verified: true });
  const other = await givenCustomer(operator, organizationNo);
  for (const { id } of [customer, other]) await operator.query('select unsubscribe_customer_of_link($1)', [id]);
  const readUnsubscribed = async (): Promise<unknown[]> =>
    (await owner.query('select customer_no from reminder_unsubscribes order by 1')).rows.map((row) => row.customer_no);
  const both = await readUnsubscribed();
  expect(both).toHaveLength(2);

  const { text: narrowed } = await givenKey(operator, { organizationNo, customerNo: customer.no });
  const byKey = new TestBrowser(service.url);
  await byKey.call('/session', { json: { api_key: narrowed } });
  const dispatcher = await signInByMail(service, await givenDispatcher(database, organizationNo));
  const turnOn = async (browser: TestBrowser, headers = {}): Promise<number> =>
    (await browser.call('/session/reminders', { method: 'POST', headers })).status;
  expect([await turnOn(byKey), await turnOn(dispatcher), await turnOn(new TestBrowser(service.url))]).toEqual([
    403, 403, 401,
  ]);
  expect(await turnOn(new TestBrowser(service.url), { 'x-api-key': narrowed })).toBe(403);
  const browser = await signInByMail(service, email);
  expect(await turnOn(browser, { origin: 'https://attacker.example' })).toBe(403);
  expect(await readUnsubscribed()).toEqual(both);

  const session = async () => (await browser.call('/session')).json.customer;
  expect(await session()).toMatchObject({ reminders_off_since: expect.any(String) });
  const { json } = await dispatcher.call(`/fleet/v1/customers?q=${encodeURIComponent(email)}`);
  expect(json.data).toMatchObject([{ id: customer.id, reminders_off_since: expect.stringMatching(/Z$/) }]);
  expect(await turnOn(browser)).toBe(204);
  expect([await readUnsubscribed(), await session()]).toMatchObject([[other.no], { reminders_off_since: null }]);
});
