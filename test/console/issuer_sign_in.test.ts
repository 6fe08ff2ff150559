import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../../engines/browser.ts';
import { givenAccount, type IssuerService, test } from '../sign_in/issuer_test.ts';
import { givenDispatcher, newAddress } from '../support/sign_in.ts';
import { findBarriers, overflow } from './barriers.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function openConsole({ url }: IssuerService, path: string, locale = 'en-US'): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, locale, viewport: { width: 390, height: 800 } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** Types the account on the provider's own pages. */
async function signInAtProvider(page: Page, sub: string): Promise<void> {
  await page.locator('input[name=login]').fill(sub);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('button[type=submit]:has-text("Continue")').click();
}

test('a person signs in at the provider, comes back to the page, gets the session renewed, and signs out', async ({
  database,
  service,
}) => {
  const email = await givenDispatcher(database, service.organizationNo, newAddress('ana'), ['dispatcher']);
  const { sub } = givenAccount(service, { email });
  const { rows } = await database.owner.query('select name from organizations where no = $1', [service.organizationNo]);
  const organization: string = rows[0]?.name;

  const page = await openConsole(service, '/console/customers');
  await page.getByRole('button', { name: 'Sign in with The other one' }).waitFor();
  expect([await findBarriers(page, 'sign-in'), await overflow(page)]).toEqual([[], 0]);
  await page.locator('input[type=email]').fill(email);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send me an email instead' }).waitFor();
  expect([await findBarriers(page, 'sign-in'), await overflow(page)]).toEqual([[], 0]);
  await page.getByRole('button', { name: `Sign in with ${organization}` }).click();
  await signInAtProvider(page, sub);
  await page.waitForURL(`${service.url}/console/customers`);
  await page.getByRole('heading', { name: 'Customers' }).waitFor();

  // Shortly before its end, the session is renewed without a page of the provider.
  const secondsLeft = (): Promise<number> =>
    page.evaluate(`fetch('/session').then((answer) => answer.json()).then(({ issuer }) => issuer.seconds_left)`);
  expect(await secondsLeft()).toBeGreaterThan(3_500);
  await database.owner.query(
    `update sessions set latest_end = now() + interval '121 seconds', expires_at = now() + interval '121 seconds'
     where contact_no = (select no from contacts where email = $1) and ended_at is null`,
    [email],
  );
  await page.reload();
  await expect.poll(() => secondsLeft().catch(() => 0)).toBeGreaterThan(3_500);
  await page.getByRole('heading', { name: 'Customers' }).waitFor();

  await page.locator('details.menu summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  // The browser remembers the provider, and the person is still signed in there.
  await page.getByRole('button', { name: `Sign in with ${organization}` }).waitFor();
  const signOutThere = page.getByRole('link', { name: 'Sign out there too' });
  expect(new URL((await signOutThere.getAttribute('href')) ?? '').origin).toBe(service.provider.url);
  await page.context().close();
});

test('the sign-in is in Spanish, and a page of Tankwatch says why a person has no access', async ({ service }) => {
  const { sub } = givenAccount(service, { email: newAddress('unknown') });
  const page = await openConsole(service, '/console/', 'es-MX');
  await page.locator('input[type=email]').fill(`somebody@example.com`);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Enviarme un correo en su lugar' }).waitFor();
  await page.getByRole('button', { name: 'Iniciar sesión con Organization' }).click();
  await signInAtProvider(page, sub);
  // This page has the language of the organization.
  await page.getByText('nobody has given you access here').waitFor();
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await page.getByRole('button', { name: 'Iniciar sesión con Organization' }).waitFor();
  await page.context().close();
});
