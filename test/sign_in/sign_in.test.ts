import { expect } from 'vitest';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { cookiesOf, givenDispatcher, newAddress, signInByMail, TestBrowser, test } from '../support/sign_in.ts';
import type { TestDatabase } from '../support/test.ts';

const SESSION = '__Host-tankwatch';
const ASKED = '__Host-tankwatch-sign-in';

/** An organization with two tanks, of two customers. The first one is the given customer. */
async function givenOwner({ operator }: TestDatabase, customer = {}) {
  const organizationNo = await givenOrganization(operator);
  const email = newAddress('owner');
  const owner = await givenCustomer(operator, organizationNo, { name: 'Ana', email, is_verified: true, ...customer });
  const other = await givenCustomer(operator, organizationNo, { name: 'Other', email: newAddress() });
  const tank = await givenTank(operator, organizationNo, owner.no);
  await givenTank(operator, organizationNo, other.no);
  return { organizationNo, email, owner, tank };
}

test('the button on the page of a link signs an owner in once, and opening the link changes nothing', async ({
  database,
  service,
}) => {
  const { email, owner, tank } = await givenOwner(database);
  const asking = new TestBrowser(service.url);
  const asked = await asking.ask(email.toUpperCase(), { return_to: `/tanks/${tank.id}?range=90d` });
  expect([asked.status, asked.json]).toEqual([
    202,
    { object: 'sign_in_mail', detail: 'If this address is known, a mail is on its way.' },
  ]);
  const { link, mail } = await service.mail(email);
  expect(mail.to).toEqual([email]);
  for (let n = 0; n < 2; n++) {
    const page = await new TestBrowser(service.url).call(link);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<button')]);
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(cookiesOf(page)).toEqual([]);
  }
  // The link also works in another browser than the one that asked, such as that of the mail program.
  const browser = new TestBrowser(service.url);
  const pressed = await browser.press(link);
  expect([pressed.status, pressed.headers['location']]).toEqual([303, `/console/tanks/${tank.id}?range=90d`]);
  expect(cookiesOf(pressed)[0]).toMatch(
    /^__Host-tankwatch=a0[a-z0-9]{10}\.[\w-]{48}; Max-Age=15552000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  );
  expect((await browser.call('/session')).json.customer).toEqual({
    id: owner.id,
    name: 'Ana',
    reminders_off_since: null,
  });
  expect((await browser.call('/v1/tanks')).json.total_items).toBe(1);

  for (const again of [browser, new TestBrowser(service.url)]) {
    const second = await again.press(link);
    expect([second.status, second.text]).toEqual([410, expect.stringContaining('This link was used already')]);
  }
  expect((await browser.call(link)).status).toBe(410);
  expect(await browser.status()).toBe(200);
});

test('the code of a mail signs a dispatcher in, only in the browser that asked for it', async ({
  database,
  service,
}) => {
  const { organizationNo } = await givenOwner(database);
  const email = await givenDispatcher(database, organizationNo);
  const browser = new TestBrowser(service.url);
  const [cookie = ''] = cookiesOf(await browser.ask(email));
  expect(cookie).toMatch(/^__Host-tankwatch-sign-in=[\w-]{43}; Max-Age=900; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  const { code, link } = await service.mail(email);

  const foreign = new TestBrowser(service.url);
  expect((await foreign.type(code)).json).toMatchObject({ code: 'gone', detail: expect.stringContaining('browser') });
  await foreign.ask(newAddress('stranger'));
  expect((await foreign.type(code)).json).toMatchObject({ code: 'unauthorized' });

  const typed = await browser.type(` ${code.slice(0, 3)} ${code.slice(3)} `);
  expect(typed.status).toBe(204);
  expect(cookiesOf(typed)[0]).toContain('Max-Age=604800');
  expect((await browser.call('/session')).json).toMatchObject({ customer: null });
  expect((await browser.call('/v1/tanks')).json.total_items).toBe(2);
  // The code and the link of the same mail are used up together.
  expect((await foreign.press(link)).status).toBe(410);
  expect((await browser.type(code)).status).toBe(410);
});

test('if a browser asks twice, the newest code and both links are valid until one of them is used', async ({
  database,
  service,
}) => {
  const { email } = await givenOwner(database);
  const browser = new TestBrowser(service.url);
  await browser.ask(email);
  const first = await service.mail(email, 1); // waits for the first mail, because two mails may overtake each other
  await browser.ask(email);
  const second = await service.mail(email, 2);
  expect((await browser.type(first.code)).status).toBe(401);
  expect((await browser.call(first.link)).status).toBe(200);
  expect((await browser.type(second.code)).status).toBe(204);
  expect((await new TestBrowser(service.url).press(first.link)).status).toBe(410);
});

test('a person whose address belongs to several organizations and customers chooses one of them after the sign-in, once', async ({
  database,
  service,
}) => {
  const [first, second] = [await givenOwner(database), await givenOwner(database)];
  const email = await givenDispatcher(database, first.organizationNo);
  const customer = await givenCustomer(database.operator, second.organizationNo, {
    name: 'Bakery',
    email,
    is_verified: true,
  });
  const byLink = new TestBrowser(service.url);
  await byLink.ask(email);
  const { mail, link } = await service.mail(email);
  expect(mail.subject).toMatch(/^Sign in to Organization \w+ and Organization \w+$/);
  const pressed = await byLink.press(link);
  expect(pressed.headers['location']).toBe('/console/choose?return_to=%2F');
  expect(byLink.cookies.has(SESSION)).toBe(false);
  expect(await byLink.status()).toBe(401);
  const { data } = (await byLink.call('/session/choices')).json;
  expect(data).toEqual([
    { id: expect.any(String), organization: { name: expect.any(String) }, customer: null },
    { id: customer.id, organization: { name: expect.any(String) }, customer: { name: 'Bakery' } },
  ]);
  expect((await byLink.choose(first.owner.id)).status).toBe(410);
  expect((await new TestBrowser(service.url).choose(customer.id)).status).toBe(410);
  expect((await byLink.choose(customer.id)).status).toBe(204);
  expect((await byLink.call('/session')).json.customer).toMatchObject({ id: customer.id, name: 'Bakery' });
  expect((await byLink.choose(data[0].id)).status).toBe(410);
  expect((await byLink.call('/session/choices')).status).toBe(410);

  const byCode = new TestBrowser(service.url);
  await byCode.ask(email);
  const typed = await byCode.type((await service.mail(email, 2)).code);
  expect([typed.status, typed.json.data]).toEqual([200, data]);
  expect((await byCode.choose(data[0].id)).status).toBe(204);
  expect((await byCode.call('/v1/tanks')).json.total_items).toBe(2);
});

test('the mail is in the language of the organization, as text and as HTML', async ({ database, service }) => {
  const { email, organizationNo } = await givenOwner(database);
  await database.owner.query(`update organizations set language = 'es-MX', name = 'Gas & Más' where no = $1`, [
    organizationNo,
  ]);
  await new TestBrowser(service.url).ask(email);
  const { mail, code, link } = await service.mail(email);
  expect(mail.subject).toBe('Iniciar sesión en Gas & Más');
  expect(mail.text).toContain('Escriba este código en la página donde lo pidió:');
  expect(mail.text).toContain('No dé el código a nadie.');
  for (const part of [code, `${service.url}${link}`, 'Gas &amp; Más']) expect(mail.html).toContain(part);
  const page = await new TestBrowser(service.url).call(link);
  expect(page.text).toContain('Inicie sesión para ver los tanques de Gas &amp; Más.');
});

test('an unused session ends after 3 days for a dispatcher and 30 for an owner, a used one after 7 and 180 days', async ({
  database,
  service,
}) => {
  const { email, owner, organizationNo } = await givenOwner(database);
  const dispatcher = await givenDispatcher(database, organizationNo);
  const hoursLeft = async (browser: TestBrowser): Promise<number> => {
    const prefix = browser.cookies.get(SESSION)?.split('.')[0];
    const { rows } = await database.owner.query<{ hours: number }>(
      'select round(extract(epoch from expires_at - now()) / 3600)::int as hours from sessions where prefix = $1',
      [prefix],
    );
    return rows[0]?.hours ?? 0;
  };
  for (const [address, idleHours, maxDays] of [
    [dispatcher, 72, 7],
    [email, 30 * 24, 180],
  ] as const) {
    const browser = await signInByMail(service, address);
    const prefix = browser.cookies.get(SESSION)?.split('.')[0];
    const use = () => database.api.query('select record_session_use(array[$1], array[now()])', [prefix]);
    expect(await hoursLeft(browser)).toBe(idleHours);
    await database.owner.query(
      `update sessions set expires_at = expires_at - interval '10 hours', created_at = created_at - interval '1 day'
       where prefix = $1`,
      [prefix],
    );
    await use();
    expect(await hoursLeft(browser)).toBe(idleHours);
    await database.owner.query(
      `update sessions set expires_at = now() + interval '1 hour', created_at = now() + make_interval(days => -$2::int, hours => 10)
       where prefix = $1`,
      [prefix, maxDays],
    );
    await use();
    expect(await hoursLeft(browser)).toBe(10);
  }
  // A request is a use. The api records uses every five seconds.
  const browser = await signInByMail(service, dispatcher);
  await database.owner.query(
    `update sessions set expires_at = now() + interval '1 hour', changed_xid = pg_current_xact_id() where prefix = $1`,
    [browser.cookies.get(SESSION)?.split('.')[0]],
  );
  expect(await browser.status()).toBe(200);
  await expect.poll(() => hoursLeft(browser)).toBe(72);
  const { rows } = await database.owner.query('select last_seen_at from customers where no = $1', [owner.no]);
  expect(rows[0]?.last_seen_at).toMatch(/:00\.000Z$/);
  const { rows: contacts } = await database.owner.query('select last_seen_at from contacts where email = $1', [
    dispatcher,
  ]);
  expect(contacts[0]?.last_seen_at).toMatch(/:00\.000Z$/);
});

test('signing out ends the session, and the browser forgets both cookies', async ({ database, service }) => {
  const { email } = await givenOwner(database);
  const browser = await signInByMail(service, email);
  const copy = new TestBrowser(service.url);
  copy.cookies.set(SESSION, browser.cookies.get(SESSION) ?? '');
  expect(await copy.status()).toBe(200);
  expect((await browser.call('/session', { method: 'DELETE' })).status).toBe(204);
  expect([browser.cookies.has(SESSION), browser.cookies.has(ASKED)]).toEqual([false, false]);
  await expect.poll(() => copy.status()).toBe(401);
});

test('the worker deletes ended sessions and old requests, and keeps those that are still needed', async ({
  database,
  service,
}) => {
  const { email } = await givenOwner(database);
  const browser = await signInByMail(service, email);
  await database.owner.query(`update sign_ins set created_at = now() - interval '25 hours' where address = $1`, [
    email,
  ]);
  const countRows = async (): Promise<number[]> => {
    const { rows } = await database.owner.query(
      `select (select count(*)::int from sign_ins where address = $1) as requests,
              (select count(*)::int from sessions where prefix = $2) as sessions`,
      [email, browser.cookies.get(SESSION)?.split('.')[0]],
    );
    return [rows[0]?.requests, rows[0]?.sessions];
  };
  await database.worker.query('select delete_ended_sessions()');
  expect(await countRows()).toEqual([0, 1]);
  await database.owner.query(`update sessions set expires_at = now() - interval '61 minutes' where prefix = $1`, [
    browser.cookies.get(SESSION)?.split('.')[0],
  ]);
  await database.worker.query('select delete_ended_sessions()');
  expect(await countRows()).toEqual([0, 0]);
});
