import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { givenCustomers } from '../support/fleet.ts';
import { isWhole } from '../support/whole_tests.ts';
import { findBarriers, overflow } from './barriers.ts';
import { openSignedIn, test } from './console_test.ts';

const whole = test.runIf(isWhole('console/customers'));

const typeSearch = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
};

whole(
  'the search finds by words of tank and owner and by any spelling of a phone; it shows level and status',
  async ({ browser, api, fleet }) => {
    const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path: 'settings' });
    await page.locator('.settings h2').first().waitFor();
    const found = page.locator('.results li');
    await typeSearch(page, 'lopez bakery');
    await expect.poll(() => found.allInnerTexts()).toHaveLength(1);
    expect(await found.first().innerText()).toMatch(/Bakery[^]*María López[^]*12\s?%[^]*Low/);
    // A single hit opens with Enter alone.
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/tanks/${fleet.bakery.id}`);

    // Enter also works before the answer has arrived.
    await page.goto('/console/settings');
    await page.locator('.settings h2').first().waitFor();
    await typeSearch(page, 'house perez');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/tanks/${fleet.house.id}`);

    // A silent tank shows its level as an old one. Several hits lead to the list.
    await page.locator('figure.chart canvas').waitFor();
    await page.locator('h1').click();
    await typeSearch(page, '(52) 46-11');
    await expect.poll(() => found.allInnerTexts()).toHaveLength(5);
    const garage = (await found.allInnerTexts()).find((text) => text.includes('Garage'));
    expect(garage).toMatch(/was 41\s?%[^]*Silent/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/fleet?q=*');
    await expect.poll(() => page.locator('tr[data-tank]').count()).toBe(4);

    // A typing error is corrected. Its results are marked, the corrected words can be chosen, and Enter leads to their list.
    const typeWithError = async (): Promise<void> => {
      await page.locator('h1').click();
      await typeSearch(page, 'celyaa');
      await expect.poll(() => found.allInnerTexts()).toHaveLength(3);
    };
    await typeWithError();
    expect(await page.locator('.results p').innerText()).toBe('Nothing found.');
    const [corrected, first] = await found.allInnerTexts();
    expect([corrected?.trim(), first]).toEqual(['Did you mean “celaya”?', expect.stringMatching(/^Similar[^]*Bakery/)]);
    expect(await findBarriers(page, 'similar results')).toEqual([]);
    await found.first().click();
    await expect.poll(() => found.allInnerTexts()).toHaveLength(2);
    await page.keyboard.press('Escape');
    await page.locator('.search input').fill('');
    await typeWithError();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/fleet?q=celaya');
    expect(faults).toEqual([]);
  },
);

test('customers are in alphabetical order with their worst status, and are searched with the keyboard', async ({
  browser,
  api,
  fleet,
  database,
}) => {
  await givenCustomers(
    database.operator,
    fleet.organizationNo,
    Array.from({ length: 60 }, (_, n) => ({ name: `Zz ${String(n).padStart(2, '0')}`, phone: `461 555 00${n}` })),
  );
  const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path: 'customers' });
  const rows = page.locator('.customers tbody tr');
  await rows.first().waitFor();
  const names = await page.locator('.customers tbody th a').allInnerTexts();
  expect(names.slice(0, 3)).toEqual(['Juan Pérez', 'María López', 'Zz 00']);
  expect(await rows.nth(1).innerText()).toMatch(/María López[^]*Low[^]*4[^]*\+52 461 1/);
  expect(await page.locator('.pager .meta').innerText()).toContain('1–50');

  await page.getByRole('link', { name: 'Next' }).press('Enter');
  await expect.poll(() => rows.count()).toBe(12);
  await page.getByRole('link', { name: 'Previous' }).press('Enter');
  await expect.poll(() => rows.count()).toBe(50);

  const field = page.getByRole('searchbox', { name: 'Name, number, phone or email' });
  await field.focus();
  await page.keyboard.type('lopez maria');
  await page.waitForURL('**/customers?q=lopez*maria');
  await expect.poll(() => rows.count()).toBe(1);
  await field.fill('4615550017');
  await expect.poll(() => page.locator('.customers tbody th a').allInnerTexts()).toEqual(['Zz 17']);
  await field.fill('lopze');
  await page.getByRole('link', { name: 'Did you mean “lopez”?' }).click();
  await expect.poll(() => page.locator('.customers tbody th a').allInnerTexts()).toEqual(['María López']);
  await field.fill('nobody here');
  await page.getByText('No customer has all these words.').waitFor();
  await page.goBack();
  expect(faults).toEqual([]);
});

/** The lines of the file that a link downloads. */
async function download(page: Page, name: string): Promise<string[]> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
  return (await readFile(await file.path(), 'utf8')).trim().split('\n');
}

whole(
  'events are exported for a period and a type, and the refills of a customer by month',
  async ({ browser, api, fleet }) => {
    const { page, faults } = await openSignedIn(browser, api, {
      key: fleet.key,
      path: 'events?since=30d&type=tank.refilled',
      acceptDownloads: true,
    });
    await page.locator('.event-table tbody tr').first().waitFor();
    await page.locator('.export summary').press('Enter');
    const all = await download(page, 'Download');
    expect(all).toHaveLength(2);
    expect(all[1]).toMatch(/^\d{4}-\d\d,\d{4}-\d\d-\d\d,\d\d:\d\d,tank\.refilled,Hotel,/);
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByLabel('Last day').fill('2020-02-01');
    expect(await download(page, 'Download')).toHaveLength(1);

    await page.goto(`/console/customers/${fleet.maria.id}`);
    const months = page.locator('.refills').first().locator('tbody tr');
    await months.first().waitFor();
    expect(await months.allInnerTexts()).toEqual([expect.stringMatching(/20\d\d\s+1\s+/)]);
    const refills = await download(page, 'Export refills (CSV)');
    expect(refills.slice(1).map((line) => line.split(',').slice(3, 7))).toEqual([
      ['tank.refilled', 'Hotel', '', 'María López'],
    ]);
    expect(faults).toEqual([]);
  },
);

whole.for([
  { width: 1280, locale: 'en-US', word: 'Low' },
  { width: 390, locale: 'es-MX', word: 'Bajo' },
])(
  'found tanks, an open export and an empty search have no serious barrier ($width px, $locale)',
  async ({ width, locale, word }, { browser, api, fleet }) => {
    const look = { viewport: { width, height: 800 }, locale, bypassCSP: true };
    const { page } = await openSignedIn(browser, api, { key: fleet.key, path: 'events?since=30d', ...look });
    const found: string[] = [];
    const check = async (name: string): Promise<void> => {
      found.push(...(await findBarriers(page, name)));
      const pixels = await overflow(page);
      if (pixels > 0) found.push(`${name} is ${pixels} px too wide`);
    };
    await page.locator('.event-table tbody tr').first().waitFor();
    await page.locator('.export summary').click();
    await page.locator('.export a').waitFor();
    await check('export');
    await page.locator('.search input').fill('celaya lopez');
    await expect.poll(() => page.locator('.results li').count()).toBe(2);
    expect(await page.locator('.results').innerText()).toContain(word);
    await check('search results');
    await page.goto('/console/customers?q=nobody');
    await page.locator('.notice').waitFor();
    await check('no customer');
    expect(found).toEqual([]);
  },
);
