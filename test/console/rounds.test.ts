import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { givenManageApi } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';
import { loseAnswers, openAs } from './act_test.ts';
import { findBarriers, overflow } from './barriers.ts';
import { type OpenConsole, test } from './console_test.ts';
import { pdfPages } from './pdf_text.ts';

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
    Array.from({ length: 12 }, (_, index) => ({
      name: `Tank ${index + 1}`,
      custom_id: `T-${1000 + index}`,
      capacity: 1_000,
      city: index % 2 === 0 ? 'Celaya' : 'Cortazar',
      street: 'Hidalgo',
      street_number: String(index + 1),
      latitude: 20.5 + 0.03 * Math.cos(index),
      longitude: -100.8 + 0.03 * Math.sin(index),
    })),
  );
  const nowMs = Date.now();
  await new BatchIngester(writer).ingestReadings(
    tanks.flatMap(({ no }, tank) =>
      Array.from({ length: 120 }, (_, index) => {
        const ageMs = (119 - index) * 4 * HOUR_MS;
        const fill = (tank < 4 ? 3 : 24 + tank) + (ageMs / DAY_MS) * 3;
        return { tankNo: no, atMs: nowMs - ageMs, fillPercentage: Math.min(80, Math.round(fill * 10) / 10) };
      }),
    ),
  );
  return { organizationNo };
}

const volumeOf = async (page: Page): Promise<string> => (await page.locator('.load-sum').innerText()).trim();
const stopNames = (page: Page): Promise<string[]> => page.locator('.plan-stops tr.row .tank-name').allInnerTexts();
const untilSaved = (page: Page): Promise<void> =>
  page.locator('.page-head').getByText('saved', { exact: false }).waitFor();

/** The page of rounds, opened by a dispatcher. */
async function openRounds(browser: Browser, database: TestDatabase, organizationNo: number): Promise<OpenConsole> {
  const api = await givenManageApi(database);
  return openAs(browser, database, api, {
    name: 'Ana',
    roles: ['dispatcher'],
    organizationNo,
    path: 'round',
    viewport: { width: 1440, height: 1000 },
  });
}

/** Adds a truck in the settings. The first truck needs a depot, and others start there too. */
async function addTruck(page: Page, name: string, capacity: string): Promise<void> {
  if (!page.url().endsWith('/trucks')) await page.goto(new URL('trucks', page.url()).href);
  await page.getByText('Add a truck', { exact: true }).click();
  const form = page.locator('.transport', { hasText: 'Add a truck' });
  await form.getByLabel('Truck').fill(name);
  await form.getByLabel('Holds').fill(capacity);
  if ((await form.getByLabel('Latitude').count()) > 0) {
    await form.getByLabel('Depot').fill('Celaya');
    await form.getByLabel('Latitude').fill('20.5');
    await form.getByLabel('Longitude').fill('-100.8');
  }
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: new RegExp(`^${name}.*Celaya`) }).waitFor();
  await page.getByText('Add a truck', { exact: true }).click();
}

const openRoundPage = (page: Page): Promise<unknown> => page.goto(new URL('round', page.url()).href);

test('a second click after a lost answer creates no second round', async ({ browser, database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { page } = await openRounds(browser, database, organizationNo);
  await addTruck(page, 'Truck 1', '3200');
  await openRoundPage(page);
  const lost = await loseAnswers(page, /\/manage\/v1\/rounds$/);
  const create = page.getByRole('button', { name: 'Create an empty round' });
  await create.click();
  await page.getByText('We do not know yet whether this was saved.').waitFor();
  await create.click({ force: true }); // it is disabled
  await lost.stop();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('planned · saved').waitFor();
  const { rows } = await database.owner.query('select id from rounds where organization_no = $1', [organizationNo]);
  expect(rows.length).toBe(1);
  expect(lost.keys.length).toBe(1);
});

test('a dispatcher plans a round, sends it to the driver, and sees what the driver reports', {
  timeout: 180_000,
}, async ({ browser, database }) => {
  const { organizationNo } = await givenTanksToFill(database);
  const { page, faults } = await openRounds(browser, database, organizationNo);

  // The first truck is added with its depot, and another truck starts there.
  await page.getByRole('link', { name: 'Add the first one' }).click();
  await addTruck(page, 'Truck 1', '3200');
  await addTruck(page, 'Truck 2', '9000');
  await page.getByText('Add a driver', { exact: true }).click();
  const driverForm = page.locator('.transport', { hasText: 'Add a driver' });
  await driverForm.getByLabel('Driver').fill('Raúl Vega');
  await driverForm.getByLabel('Phone').fill('+52 461 555 0155');
  await driverForm.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^Raúl Vega/ }).waitFor();
  expect(await findBarriers(page, 'settings of rounds')).toEqual([]);
  const depots = await database.owner.query('select from depots where organization_no = $1', [organizationNo]);
  expect(depots.rowCount).toBe(1);
  await openRoundPage(page);

  // The proposal has every must. It is stored with one button.
  await page.getByText('Nothing is saved yet.').waitFor();
  expect(await page.locator('.proposed .must').count()).toBe(4);
  expect(await findBarriers(page, 'proposal')).toEqual([]);
  await page.getByRole('button', { name: /^Create a round with/ }).click();
  await page.locator('.plan-stops tr.row').first().waitFor();
  await untilSaved(page);
  expect(await page.getByText('Straight-line order, not a route').count()).toBe(1);
  await page.getByLabel('Driver').first().selectOption({ label: 'Raúl Vega' });
  await untilSaved(page);

  // The stops are printed.
  expect(pdfPages(await page.pdf({ format: 'A4' })).join('\n')).toContain((await stopNames(page))[0]);

  // A key makes the first stop the second one, which is stored.
  const [first = '', second = ''] = await stopNames(page);
  await page.getByRole('button', { name: new RegExp(`^Move ${first}`) }).press('Alt+ArrowDown');
  await expect.poll(async () => (await stopNames(page)).slice(0, 2)).toEqual([second, first]);
  await untilSaved(page);
  await page.reload();
  await expect.poll(async () => (await stopNames(page)).slice(0, 2)).toEqual([second, first]);

  // All optional stops are added. The truck is overfull, which is marked, and the round can still be saved.
  await page.locator('.offered-could .add').first().waitFor();
  const before = await volumeOf(page);
  while ((await page.locator('.offered-could .add').count()) > 0) {
    const count = await page.locator('.plan-stops tr.row').count();
    await page.locator('.offered-could .add').first().click();
    await expect.poll(() => page.locator('.plan-stops tr.row').count()).toBe(count + 1);
    await untilSaved(page);
  }
  expect(await volumeOf(page)).not.toBe(before);
  await page.locator('.plan-load.over').waitFor();
  await page.getByText('From here, the truck is').waitFor();
  expect(await findBarriers(page, 'overfull')).toEqual([]);
  await page.getByRole('button', { name: 'Order again' }).click();
  await untilSaved(page);
  await page.getByRole('button', { name: 'Fit to truck' }).click();
  await page.getByText('It never takes off a tank that must be filled.').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.plan-load.over').waitFor({ state: 'detached' });
  expect(await page.locator('.plan-stops .must').count()).toBe(4);

  // A stop goes to another truck, which has no round yet.
  const [moved = ''] = await stopNames(page);
  await page.getByLabel(`Move ${moved} to another truck`).selectOption({ label: 'Truck 2' });
  await page.locator('.truck-tab', { hasText: 'Truck 2' }).getByText('1 stop').waitFor();
  await expect.poll(() => stopNames(page)).not.toContain(moved);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toBe(0);
  expect(await findBarriers(page, 'on a phone')).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 1000 });

  // The driver opens the link on a phone, and the office sees what the driver reports.
  await page.getByRole('button', { name: 'Link for the driver' }).click();
  const link = await page.locator('.driver-link code').innerText();
  expect(link).toContain('/driver/#');
  // Messages are ready, in the language of the organization.
  const text = `body=${encodeURIComponent('Su ruta del')}`;
  const hrefOf = (name: string) => page.locator('.driver-link').getByRole('link', { name }).getAttribute('href');
  expect(await hrefOf('SMS')).toContain(`sms:+524615550155?&${text}`);
  expect(await hrefOf('WhatsApp')).toContain(`https://wa.me/524615550155?text=${encodeURIComponent('Su ruta del')}`);
  expect(await hrefOf('Email')).toContain(text);
  expect(await hrefOf('Email')).toContain(encodeURIComponent(link));
  const phone = await browser.newContext({ locale: 'es-MX', viewport: { width: 390, height: 844 } });
  const driver = await phone.newPage();
  await driver.goto(link);
  await driver.locator('#volume').fill('512');
  await driver.locator('#done').click();
  await driver.locator('.driver-list').getByText('enviado').waitFor();
  await page.reload();
  await page.locator('.p-outcome').getByText('delivered 512').waitFor();
  await page.getByText('under way', { exact: false }).first().waitFor();
  expect(await findBarriers(page, 'under way')).toEqual([]);

  // The office records a stop for the driver, is asked about an implausible volume, and corrects it.
  const recorded = page.locator('.plan-stops tr.row').nth(1);
  await recorded.getByRole('button', { name: /^Record / }).click();
  const form = page.locator('.record-form');
  await form.getByLabel('Liters, by the meter').fill('5');
  await form.getByLabel('Delivery note').fill('N-77');
  await form.getByLabel('Comment of the driver').fill('Perro en el patio');
  expect(await findBarriers(page, 'record')).toEqual([]);
  await form.getByRole('button', { name: 'Record 5 L' }).click();
  await form.getByText(/^5 L\?/).waitFor();
  await form.getByRole('button', { name: 'Yes, 5 L' }).click();
  await recorded.locator('.p-outcome').getByText('delivered 5 L').waitFor();
  expect(await recorded.innerText()).toMatch(/recorded by Ana for Raúl Vega[^]*note N-77[^]*Perro en el patio/);
  await recorded.getByRole('button', { name: /^Correct / }).click();
  await form.getByLabel('Liters, by the meter').fill('500');
  await form.getByRole('button', { name: 'Correct to 500 L' }).click();
  await recorded.locator('.p-outcome').getByText('delivered 500 L').waitFor();
  await recorded.getByRole('button', { name: /^Correct / }).click();
  await form.getByRole('heading', { name: 'Recorded before' }).waitFor();
  expect(await form.innerText()).toMatch(/delivered 500 L[^]*delivered 5 L, note N-77/);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 1000 });
  await form.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Link for the driver' }).click();
  await page.locator('.link-more summary').click();
  await page.getByRole('button', { name: 'End all links of this round …' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End all links of this round' }).click();
  await page.getByText('All links of this round have ended.').waitFor();
  await driver.reload();
  await driver.getByText('Este enlace venció.').waitFor();
  expect(faults).toEqual([]);
});
