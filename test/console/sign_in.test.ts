import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../../engines/browser.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { givenDispatcher, newAddress, type SignInService, test } from '../support/sign_in.ts';
import { findBarriers, overflow } from './barriers.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser(['--disable-gpu', '--host-resolver-rules=MAP tanks.lan 127.0.0.1']);
});
afterAll(() => browser.close());

/** Opens a page in a new browser profile. `faults` has every error, and every request to another origin. */
async function openPage(
  { url }: SignInService,
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    // The browser reports every response with an error status: no session yet, and refused codes.
    const isSession = /\/session(\/|$)/.test(message.location().url);
    if (message.type() === 'error' && !isSession) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(request.url());
  });
  await page.goto(path);
  return { page, faults };
}

const expectNoBarriers = async (page: Page): Promise<void> =>
  expect([await findBarriers(page, 'sign-in'), await overflow(page)]).toEqual([[], 0]);

const askFor = async (page: Page, email: string): Promise<void> => {
  await page.locator('input[type=email]').fill(email);
  await page.keyboard.press('Enter');
  await page.locator('input[autocomplete=one-time-code]').waitFor();
};

test('a link is opened twice and used once; the code of another browser is refused', async ({ database, service }) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo, { name: 'Ana' });
  const tank = await givenTank(database.operator, organizationNo, customer.no, { name: 'Bakery' });
  const email = await givenDispatcher(database, organizationNo);

  // The page of a tank is opened without a session. It asks for the email address and keeps the URL.
  const { page, faults } = await openPage(service, `/console/tanks/${tank.id}`);
  await askFor(page, email);
  await page.getByText(`If ${email} is registered, an email is on its way.`).waitFor();
  const { link, code } = await service.mail(email);

  const foreign = await openPage(service, '/console/');
  await askFor(foreign.page, newAddress('stranger'));
  await foreign.page.keyboard.type(code);
  await foreign.page.keyboard.press('Enter');
  await foreign.page.getByText('This code is wrong.').waitFor();

  const phone = await openPage(service, link, { viewport: { width: 390, height: 800 } });
  await phone.page.reload();
  const again = await openPage(service, link);
  await phone.page.getByRole('button', { name: 'Sign in' }).click();
  await phone.page.waitForURL(`**/console/tanks/${tank.id}`);
  await phone.page.getByRole('heading', { name: 'Bakery' }).waitFor();
  await again.page.getByRole('button', { name: 'Sign in' }).click();
  await again.page.getByText('This link was used already').waitFor();
  await again.page.getByRole('link', { name: 'Sign in again' }).click();
  await again.page.locator('input[type=email]').waitFor();

  const kept = await phone.page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  expect(kept).not.toContain(link.split('/').at(-1));
  expect(await phone.page.evaluate('document.cookie')).toBe('');
  expect([...faults, ...foreign.faults, ...phone.faults, ...again.faults]).toEqual([]);
  for (const { page: one } of [{ page }, foreign, phone, again]) await one.context().close();
});

test('at an address without TLS the page says why nobody can sign in there, and what to do', async ({ service }) => {
  const { port } = new URL(service.url);
  const { page } = await openPage(service, `http://tanks.lan:${port}/console/`, { bypassCSP: true });
  await page.getByText(`You cannot sign in at http://tanks.lan:${port}: it begins with http://`).waitFor();
  await page.getByText('Open the address of the console that begins with https://.').waitFor();
  expect(await page.locator('form').count()).toBe(0);
  await expectNoBarriers(page);
  await page.context().close();
});

test('a dispatcher asks for the mail again, types its code and sees Today; signing out leads back', async ({
  database,
  service,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const email = await givenDispatcher(database, organizationNo);
  const { page, faults } = await openPage(service, '/console/');
  await askFor(page, email);
  const { code: firstCode } = await service.mail(email);
  await page.getByRole('button', { name: 'Send the email again' }).click();
  await page.getByText('Sent. Only the newest code is valid.').waitFor();
  const { code } = await service.mail(email, 2);
  expect(code).not.toBe(firstCode);
  await page.locator('input[autocomplete=one-time-code]').fill(code);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Today', exact: true }).waitFor();
  expect(await page.evaluate('location.pathname')).toBe('/console/');
  await page.locator('.menu summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('input[type=email]').waitFor();
  await page.getByRole('button', { name: 'Use an API key instead' }).click();
  await page.locator('input[type=password]').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('an owner of two organizations chooses, in Spanish, and sees only the own tanks', async ({
  database,
  service,
}) => {
  const email = newAddress('owner');
  for (const name of ['Casa', 'Taller']) {
    const organizationNo = await givenOrganization(database.operator);
    const customer = await givenCustomer(database.operator, organizationNo, { name, email, is_verified: true });
    await givenTank(database.operator, organizationNo, customer.no, { name: `Tanque de ${name}` });
    const other = await givenCustomer(database.operator, organizationNo);
    await givenTank(database.operator, organizationNo, other.no, { name: 'Ajeno' });
  }
  // The checker of barriers is injected as a script, which the policy of the console forbids.
  const look = { locale: 'es-MX', viewport: { width: 390, height: 800 } };
  const { page, faults } = await openPage(service, '/console/', { ...look, bypassCSP: true });
  await page.locator('input[type=email]').waitFor();
  await expectNoBarriers(page);
  await askFor(page, email);
  await expectNoBarriers(page);
  const { link, code } = await service.mail(email);
  await page.locator('input[autocomplete=one-time-code]').fill(code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '¿Qué desea ver?' }).waitFor();
  await expectNoBarriers(page);
  await page.getByRole('button', { name: 'Taller' }).click();
  await page.locator('.owner-tank').waitFor();
  expect(await page.locator('.owner-tank h2').allInnerTexts()).toEqual(['Tanque de Taller']);

  const { page: byLink, faults: linkFaults } = await openPage(service, '/console/', look);
  await askFor(byLink, email);
  const second = await service.mail(email, 2);
  expect(second.link).not.toBe(link);
  await byLink.goto(second.link);
  await byLink.getByRole('button').click();
  await byLink.getByRole('button', { name: 'Casa' }).click();
  await byLink.locator('.owner-tank').waitFor();
  expect(await byLink.locator('.owner-tank h2').allInnerTexts()).toEqual(['Tanque de Casa']);
  expect(await byLink.evaluate('location.pathname')).toBe('/console/');
  expect([...faults, ...linkFaults]).toEqual([]);
  for (const one of [page, byLink]) await one.context().close();
});
