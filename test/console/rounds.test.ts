import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { manageSettings } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';
import { findBarriers, overflow } from './barriers.ts';
import { type OpenConsole, test } from './console_test.ts';

/** A session of a contact with this role. Returns its cookie. */
async function givenDispatcher({ operator, owner }: TestDatabase, organizationNo: number): Promise<string> {
  const { id } = await transaction(operator, (tx) =>
    addContact(operatorChange(tx, organizationNo), { email: 'ana@example.com', types: [], roles: ['dispatcher'] }),
  );
  const { text, prefix, secretSha256 } = makeKey('a0');
  await owner.query(
    `insert into sessions (prefix, secret_sha256, contact_no, organization_no, requests_per_second, burst, expires_at)
     select $1, $2, no, organization_no, 1000, 10000, now() + interval '1 day' from contacts where id = $3`,
    [prefix, secretSha256, id],
  );
  return text;
}

/** Twelve tanks around a depot: four must be filled, the others have room. */
async function givenTanksToFill({ operator, writer, owner }: TestDatabase): Promise<{ organizationNo: number }> {
  const organizationNo = await givenOrganization(operator);
  await owner.query(`update organizations set language = 'es-MX' where no = $1`, [organizationNo]);
  const customer = await givenCustomer(operator, organizationNo, {
    name: 'Panadería La Espiga',
    phone: '+52 461 555 0142',
  });
  const tanks = await givenTanks(
    operator,
    organizationNo,
    customer.no,
    Array.from({ length: 12 }, (_, at) => ({
      name: `Tank ${at + 1}`,
      custom_id: `T-${1000 + at}`,
      capacity: 1_000,
      city: at % 2 === 0 ? 'Celaya' : 'Cortazar',
      street: 'Hidalgo',
      street_number: String(at + 1),
      latitude: 20.5 + 0.03 * Math.cos(at),
      longitude: -100.8 + 0.03 * Math.sin(at),
    })),
  );
  const nowMs = Date.now();
  await new BatchIngester(writer).ingestReadings(
    tanks.flatMap(({ no }, tank) =>
      Array.from({ length: 120 }, (_, at) => {
        const ageMs = (119 - at) * 4 * HOUR_MS;
        const fill = (tank < 4 ? 3 : 24 + tank) + (ageMs / DAY_MS) * 3;
        return { tankNo: no, atMs: nowMs - ageMs, fillPercentage: Math.min(80, Math.round(fill * 10) / 10) };
      }),
    ),
  );
  return { organizationNo };
}

const volumeOf = async (page: Page): Promise<string> => (await page.locator('.load-sum').innerText()).trim();
const stopNames = (page: Page): Promise<string[]> => page.locator('.plan-stops tr.row .tank-name').allInnerTexts();
const isSaved = (page: Page): Promise<void> =>
  page.locator('.page-head').getByText('saved', { exact: false }).waitFor();

test('a dispatcher plans a round, sends it to the driver, and sees what the driver says', { timeout: 180_000 }, async ({
  browser,
  database,
}) => {
  const { organizationNo } = await givenTanksToFill(database);
  const cookie = await givenDispatcher(database, organizationNo);
  const api = await startApi(database.urls.api, manageSettings(database));
  onTestFinished(() => api.close());
  const context = await browser.newContext({
    baseURL: api.url,
    locale: 'en-US',
    viewport: { width: 1440, height: 1000 },
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(60_000);
  const url = api.url.replace('http:', 'https:');
  await context.addCookies([{ name: '__Host-tankwatch', value: cookie, url, secure: true }]);
  const opened: OpenConsole = { page: await context.newPage(), faults: [] };
  const { page, faults } = opened;
  page.on('pageerror', ({ message }) => faults.push(message));

  // The first truck, with its depot.
  await page.goto('/console/round');
  await page.getByText('There is no truck yet.').waitFor();
  for (const [truck, capacity] of [
    ['Truck 1', '3200'],
    ['Truck 2', '9000'],
  ] as const) {
    await page.getByText('Add a truck', { exact: true }).click();
    const form = page.locator('.transport', { hasText: 'Add a truck' });
    await form.getByLabel('Truck').fill(truck);
    await form.getByLabel('Holds').fill(capacity);
    await form.getByLabel('Depot').fill('Celaya');
    await form.getByLabel('Latitude').fill('20.5');
    await form.getByLabel('Longitude').fill('-100.8');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.locator('.truck-tab', { hasText: truck }).waitFor();
  }
  await page.getByText('Add a driver', { exact: true }).click();
  const driverForm = page.locator('.transport', { hasText: 'Add a driver' });
  await driverForm.getByLabel('Driver').fill('Raúl Vega');
  await driverForm.getByRole('button', { name: 'Save' }).click();

  // The proposal has every must. It is stored with one button.
  await page.getByText('Nothing is saved yet.').waitFor();
  expect(await page.locator('.proposed .must').count()).toBe(4);
  expect(await findBarriers(page, 'proposal')).toEqual([]);
  await page.getByRole('button', { name: /^Create a round with/ }).click();
  await page.locator('.plan-stops tr.row').first().waitFor();
  await isSaved(page);
  expect(await page.getByText('Straight-line order, not a route').count()).toBe(1);
  await page.getByLabel('Driver').first().selectOption({ label: 'Raúl Vega' });
  await isSaved(page);

  // Keyboard: the first stop becomes the second. It is stored.
  const [first = '', second = ''] = await stopNames(page);
  await page.getByRole('button', { name: new RegExp(`^Move ${first}`) }).press('Alt+ArrowDown');
  await expect.poll(async () => (await stopNames(page)).slice(0, 2)).toEqual([second, first]);
  await isSaved(page);
  await page.reload();
  await expect.poll(async () => (await stopNames(page)).slice(0, 2)).toEqual([second, first]);

  // Everything that could be filled too: the truck is overfull and looks so, and may be saved.
  const before = await volumeOf(page);
  while ((await page.locator('.offered-could .add').count()) > 0) {
    const count = await page.locator('.plan-stops tr.row').count();
    await page.locator('.offered-could .add').first().click();
    await expect.poll(() => page.locator('.plan-stops tr.row').count()).toBe(count + 1);
    await isSaved(page);
  }
  expect(await volumeOf(page)).not.toBe(before);
  await page.locator('.plan-load.over').waitFor();
  await page.getByText('From here, the truck is').waitFor();
  expect(await findBarriers(page, 'overfull')).toEqual([]);
  await page.getByRole('button', { name: 'Order again' }).click();
  await isSaved(page);
  await page.getByRole('button', { name: 'Fit to truck' }).click();
  await page.getByText('It never takes off a tank that must be filled.').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.plan-load.over').waitFor({ state: 'detached' });
  expect(await page.locator('.plan-stops .must').count()).toBe(4);

  // To another truck, which has no round yet.
  const [moved = ''] = await stopNames(page);
  await page.getByLabel(`Move ${moved} to another truck`).selectOption({ label: 'Truck 2' });
  await page.locator('.truck-tab', { hasText: 'Truck 2' }).getByText('1 stop').waitFor();
  expect(await stopNames(page)).not.toContain(moved);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toBe(0);
  expect(await findBarriers(page, 'on a phone')).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 1000 });

  // The driver opens the link on a phone of his own, and the office sees what he says.
  await page.getByRole('button', { name: 'Link for the driver' }).click();
  const link = await page.locator('.driver-link code').innerText();
  expect(link).toContain('/driver/#');
  const phone = await browser.newContext({ locale: 'es-MX', viewport: { width: 390, height: 844 } });
  onTestFinished(() => phone.close());
  const driver = await phone.newPage();
  await driver.goto(link);
  await driver.locator('#volume').fill('512');
  await driver.locator('#done').click();
  await driver.locator('.driver-list').getByText('enviado').waitFor();
  await page.reload();
  await page.locator('.p-outcome').getByText('delivered 512').waitFor();
  await page.getByText('under way', { exact: false }).first().waitFor();
  expect(await findBarriers(page, 'under way')).toEqual([]);
  await page.getByRole('button', { name: 'Link for the driver' }).click();
  await page.getByRole('button', { name: 'End all links of this round' }).click();
  await page.getByText('All links of this round have ended.').waitFor();
  await driver.reload();
  await driver.getByText('Este enlace venció.').waitFor();
  expect(faults).toEqual([]);
});
