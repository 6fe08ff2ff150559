import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { givenManageApi } from '../support/manage.ts';
import { dayFromNow, givenTown, type TownTank } from '../support/rounds.ts';
import type { TestDatabase } from '../support/test.ts';
import { leak, levels } from '../support/worst_day.ts';
import { openAs } from './act_test.ts';
import { findBarriers, findBarriersInThemes, overflow } from './barriers.ts';
import { test } from './console_test.ts';
import { pdfPages } from './pdf_text.ts';

const OFFICE = '+52 461 555 0100';
/** A blocked stop is shown within this time, if there is network. */
const SHOWN_WITHIN_MS = 30_000;
/** The page of the office reads a round every 15 s, so it shows a change within this time. */
const READ_AGAIN_MS = 25_000;

/** A town with a round whose stops are these tanks. A dispatcher has the page of the round open. */
async function givenOpenRound(
  browser: Browser,
  database: TestDatabase,
  { days, tanks }: { days: number; tanks: readonly TownTank[] },
) {
  const manage = await givenManageApi(database);
  const town = await givenTown(database, manage);
  const { key, organizationNo, idOf, truckId, driverId } = town;
  await database.owner.query(`update organizations set phone = $2, language = 'en-US' where no = $1`, [
    organizationNo,
    OFFICE,
  ]);
  await database.owner.query(`update tanks set street = 'Calle ' || name where organization_no = $1`, [organizationNo]);
  const date = dayFromNow(days);
  const stops = tanks.map((name) => ({ tank_id: idOf(name), kind: name === 'half full' ? 'could' : 'must' }));
  const { json: round } = await manage.call(key, 'POST', '/rounds', {
    body: { date, truck_id: truckId, driver_id: driverId, stops },
  });
  const { page, faults } = await openAs(browser, database, manage, {
    name: 'Ana',
    roles: ['dispatcher'],
    organizationNo,
    // The page finds the round of today without a date, also in a browser whose time zone has another day.
    path: days === 0 ? `round?truck=${truckId}` : `round?date=${date}&truck=${truckId}`,
    timezoneId: new Date().getUTCHours() >= 12 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago',
    viewport: { width: 1440, height: 1000 },
  });
  const { json: link } = await manage.call(key, 'POST', `/rounds/${round.id}/driver-link`, { body: {} });
  const openDriver = async (locale = 'en-US'): Promise<Page> => {
    const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 }, baseURL: manage.url });
    const driver = await context.newPage();
    await driver.goto(new URL(link.url, manage.url).href);
    await driver.locator('.stop-card').waitFor();
    return driver;
  };
  return { ...town, manage, round, date, page, faults, openDriver };
}

const rowOf = (page: Page, stop: number) => page.locator(`.plan-stops tr.row[data-stop="${stop}"]`);
const stopNames = (page: Page): Promise<string[]> => page.locator('.plan-stops tr.row .tank-name').allInnerTexts();
const loadOf = async (page: Page): Promise<number> =>
  Number((await page.locator('.load-sum').innerText()).replaceAll(',', '').split(' ')[0]);

test('a leak blocks the stop of a planned round on the page, on paper and in the search', { timeout: 120_000 }, async ({
  browser,
  database,
}) => {
  const { page, faults, ingester, noOf, nowMs } = await givenOpenRound(browser, database, {
    days: 1,
    tanks: ['empty soon', 'half full', 'full'],
  });
  await rowOf(page, 2).waitFor();
  const before = await loadOf(page);
  await ingester.ingestReadings(leak(noOf('half full'), 25, nowMs));
  await rowOf(page, 2).getByText('Do not deliver. Call the office.').waitFor({ timeout: READ_AGAIN_MS });
  expect(await stopNames(page)).toEqual(['empty soon', 'half full', 'full']);
  expect(await rowOf(page, 2).innerText()).toMatch(/0 L[^]*taken off 27\d L[^]*Not read by Raúl Vega yet/);
  expect(await rowOf(page, 2).locator('select, .icon-button, .volume-button').count()).toBe(0);
  expect(before - (await loadOf(page))).toBeGreaterThan(250);
  expect(await page.locator('.load-differences').innerText()).toMatch(/−27\d L blocked/);
  await page.locator('.truck-tab').getByText('1 blocked').waitFor({ timeout: 60_000 });
  expect(await findBarriers(page, 'blocked')).toEqual([]);
  const paper = pdfPages(await page.pdf({ format: 'A4' })).join('\n');
  expect(paper).toContain(`DO NOT DELIVER. CALL THE OFFICE: ${OFFICE}`);
  expect(paper).toContain('Calle empty soon');
  expect(paper).not.toMatch(/Calle half ?full/);
  await page.locator('search input').fill('half full');
  await page.locator('search [role=option]').first().waitFor();
  const found = await page.locator('search [role=listbox]').innerText();
  expect(found).toContain('half full');
  expect(found).not.toContain('Delivery planned');
  expect(faults).toEqual([]);
});

test('a leak blocks a stop on the phone of a driver on the way, with network and without', {
  timeout: 180_000,
}, async ({ browser, database }) => {
  const { page, faults, ingester, noOf, nowMs, date, openDriver } = await givenOpenRound(browser, database, {
    days: 0,
    tanks: ['empty soon', 'half full', 'full'],
  });
  const day = new Intl.DateTimeFormat('en-US', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const today = day.format(Date.parse(date));
  await page.getByRole('heading', { name: `Round of ${today}` }).waitFor();
  const driver = await openDriver();
  await driver.locator('.stop-card[data-stop="1"] #volume').fill('350');
  await driver.locator('#done').click();
  // The driver is at the tank and types when it is blocked.
  await driver.locator('.stop-card[data-stop="2"] #volume').fill('200');
  await ingester.ingestReadings(leak(noOf('half full'), 25, nowMs));
  const card = driver.locator('.block-card');
  await card.waitFor({ timeout: SHOWN_WITHIN_MS });
  const text = await card.innerText();
  expect(text).toContain('Do not deliver. Call the office.');
  expect(text).toContain('Are you there already? Go away from it. Touch no switch, light no flame. Then call.');
  expect(await card.getByRole('link').getAttribute('href')).toBe(`tel:${OFFICE.replaceAll(' ', '')}`);
  expect(await driver.locator('body').innerText()).not.toContain('Calle half full');
  // The next stop begins with an empty field, and nothing leads to the blocked one.
  expect(await driver.locator('.stop-card[data-stop="3"] #volume').inputValue()).toBe('');
  expect(await driver.locator('#volume:focus').count()).toBe(0);
  expect(await driver.locator('.driver-list li.blocked').innerText()).toContain('Do not deliver.');
  expect(await driver.locator('.driver-list li.blocked button').count()).toBe(0);
  expect(await findBarriersInThemes(driver, 'blocked stop')).toEqual([]);
  expect(await overflow(driver)).toBe(0);

  await rowOf(page, 2).getByText('Not read by Raúl Vega yet.').waitFor({ timeout: READ_AGAIN_MS });
  await driver.getByRole('button', { name: 'I have read this' }).click();
  await card.waitFor({ state: 'detached' });
  await rowOf(page, 2).getByText('Read by Raúl Vega').waitFor({ timeout: READ_AGAIN_MS });
  expect(await rowOf(page, 2).locator('select').count()).toBe(0);

  // Without network the phone shows what it knows. It learns of the loss when the network is back, in Spanish too.
  await driver.context().setOffline(true);
  await ingester.ingestReadings(leak(noOf('full'), 78, nowMs));
  await driver.locator('.stop-card[data-stop="3"]').waitFor();
  await driver.getByRole('button', { name: 'Español' }).click();
  await driver.context().setOffline(false);
  await card.waitFor({ timeout: SHOWN_WITHIN_MS });
  expect(await card.innerText()).toContain('No entregue. Llame a la oficina.');
  await driver.getByText('Las otras paradas están hechas.').waitFor();
  // The phone keeps the block. When the network is back, it sends that the driver has read it.
  await driver.context().setOffline(true);
  await driver.getByRole('button', { name: 'Ya lo leí' }).click();
  await card.waitFor({ state: 'detached' });
  await driver.context().setOffline(false);
  await rowOf(page, 3)
    .getByText('Read by Raúl Vega')
    .waitFor({ timeout: SHOWN_WITHIN_MS + READ_AGAIN_MS });
  await page.getByRole('link', { name: 'Today' }).click();
  await page.getByRole('heading', { name: today, exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('open stops follow the levels: a filled tank is marked, and volumes change unless a person typed them', {
  timeout: 120_000,
}, async ({ browser, database }) => {
  const { page, faults, ingester, noOf, nowMs, refill, openDriver } = await givenOpenRound(browser, database, {
    days: 1,
    tanks: ['empty soon', 'half full', 'nowhere'],
  });
  await rowOf(page, 3).getByRole('button', { name: 'Change the volume of nowhere' }).click();
  await rowOf(page, 3).getByLabel('Change the volume of nowhere').fill('100');
  await page.keyboard.press('Enter');
  await rowOf(page, 3).getByText('set by hand').waitFor();
  await refill('empty soon');
  for (const name of ['half full', 'nowhere'] as const)
    await ingester.ingestReadings(levels(noOf(name), Array<number>(6).fill(45), nowMs));
  await rowOf(page, 1).getByText('Filled meanwhile, now 80%. Take it off?').waitFor({ timeout: READ_AGAIN_MS });
  expect(await rowOf(page, 2).innerText()).toMatch(/17\d L\s+−10\d L[^]*was 27\d L, planned at 2\d%/);
  expect(await rowOf(page, 3).locator('.p-volume').innerText()).toMatch(/^100 L\s+set by hand$/);
  expect(await loadOf(page)).toBeLessThan(280);
  const driver = await openDriver();
  const card = await driver.locator('.stop-card').innerText();
  expect(card).toContain('half full');
  expect(card).toMatch(/Changed: 10\d L less than planned \(was 27\d L\)/);
  expect(await driver.locator('.driver-list').innerText()).toMatch(/empty soon[^]*full, 80%[^]*the office decides/);
  expect(await driver.locator('.driver-list').innerText()).toMatch(/nowhere[^]*100 L/);
  await rowOf(page, 1).getByRole('button', { name: 'Keep' }).click();
  await rowOf(page, 1).getByText('Take it off?').waitFor({ state: 'detached' });
  expect(await rowOf(page, 1).locator('.p-volume').innerText()).toMatch(/^\d(\.\d)? L/);
  // If tanks are filled to another percentage, volumes change, but not the volume that a person typed.
  await page.evaluate(() => localStorage.setItem('tankwatch.preferences', '{"fillTo":90}'));
  await page.reload();
  await page.getByRole('button', { name: 'Use 90% and 5%' }).click();
  await rowOf(page, 2)
    .getByText(/^22\d L$/)
    .waitFor();
  expect(await rowOf(page, 3).locator('.p-volume').innerText()).toMatch(/^100 L/);
  expect(faults).toEqual([]);
});

test('an empty limit is an error, a stop cannot be moved to a done round, and a canceled round can be restored', {
  timeout: 180_000,
}, async ({ browser, database }) => {
  const { page, manage, key, round, date, depotId, idOf, openDriver } = await givenOpenRound(browser, database, {
    days: 1,
    tanks: ['empty soon', 'half full'],
  });
  const roundUrl = page.url();
  await page.getByRole('link', { name: 'Trucks, drivers and limits' }).click();
  const limit = page.getByLabel('Must be filled above');
  await limit.fill('');
  await limit.press('Enter');
  await page.getByText('Write a number from 0 to 100.').waitFor();
  const stored = async () => (await manage.call(key, 'GET', `/rounds/${round.id}`)).json;
  expect((await stored()).chance_limit).toBe(0.05);
  await limit.fill('7');
  await limit.press('Enter');
  await page.goto(roundUrl);
  await page.getByRole('button', { name: 'Use 80% and 7%' }).click();
  await expect.poll(async () => (await stored()).chance_limit).toBe(0.07);

  // The 1,500 liters of a stop that was not possible no longer count as load.
  const names: TownTank[] = ['empty soon', 'half full'];
  const stops = names.map((name) => ({ tank_id: idOf(name), volume: 1_500 }));
  await manage.call(key, 'PUT', `/rounds/${round.id}/stops`, { body: { stops }, ifMatch: '*' });
  const recordOutcome = (outcome: object) =>
    manage.call(key, 'PUT', `/rounds/${round.id}/stops/1/outcome`, { body: outcome });
  await recordOutcome({ outcome: 'not_possible', reason: 'no_access' });
  await page.reload();
  await page.getByRole('button', { name: 'Fit to truck' }).click();
  expect(await page.locator('.fit-says').innerText()).toMatch(/adds 1: 1,87\d L\./);
  await recordOutcome({ outcome: 'open' });

  // The round of the other truck is done: nothing moves.
  const truck = { name: 'Truck 3', depot_id: depotId, capacity: 900, capacity_unit: 'liters' };
  const { json: other } = await manage.call(key, 'POST', '/trucks', { body: truck });
  const planRound = (tank: TownTank) =>
    manage.call(key, 'POST', '/rounds', { body: { date, truck_id: other.id, stops: [{ tank_id: idOf(tank) }] } });
  const { json: doneRound } = await planRound('full');
  await manage.call(key, 'PATCH', `/rounds/${doneRound.id}`, { body: { state: 'done' }, ifMatch: '*' });
  await page.reload();
  await page.getByLabel('Move empty soon to another truck').selectOption({ label: 'Truck 3' });
  await page.getByText('You see the stored plan now.').waitFor();
  expect(await stopNames(page)).toEqual(['empty soon', 'half full']);
  expect((await stored()).stops).toHaveLength(2);

  // Canceling asks first. Undo brings back the stops, their order and the link, except for stops that are on another round by now.
  const driver = await openDriver();
  await page.getByRole('button', { name: 'Cancel round' }).click();
  await page.getByText('Cancel this round?').waitFor();
  expect((await stored()).state).toBe('planned');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel round' }).click();
  await page.getByText('The round of Truck 2 is canceled.').waitFor();
  await driver.reload();
  await driver.getByText('This link has expired.').waitFor();
  await planRound('half full');
  await page.locator('.undo-round', { hasText: 'Truck 2' }).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('No longer on this round, because they are on another one now: half full.').waitFor();
  await expect.poll(() => stopNames(page)).toEqual(['empty soon']);
  await driver.reload();
  await driver.getByRole('heading', { name: 'empty soon' }).waitFor();
});
