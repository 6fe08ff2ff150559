import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { givenOrganization } from '../support/fleet.ts';
import { workbookOf } from '../support/workbook.ts';
import { openAs, test } from './act_test.ts';
import { findBarriersInThemes, overflow } from './barriers.ts';

/** A sheet as an office keeps it: a title, letters for digits, a town under an unknown heading. */
const SHEET = workbookOf([
  { name: 'Notes', rows: [['Read the next page', 'please']] },
  {
    name: 'Route list',
    rows: [
      ['Route list November'],
      [],
      ['Acct #', 'Name', 'Phone 1', 'Street', 'Where', 'Tank Ser.', 'Size (gal)', 'Level %', 'Read on'],
      ['10413', 'Thibault, Grace', '(802) 829-0501', '31 Elm St', 'Milton', '88213-A', 500, null, null],
      ['10413', 'Thibault, Grace', '(802) 829-0501', '31 Elm St', 'Milton', '88214', 250, null, null],
      ['10414', 'Inn of Cole', '802-713-7578', '4 Harbor Rd', 'Shelburne', '90117', 1000, '42 %', '11/16/2025'],
      ['10530', 'Perkins, Noah', '+1 802 555 0160', '14 Maple St', 'Milton', '88260', '5OO', null, null],
      ['10531', 'Morse, Henry', null, '8 Pearl St', 'Milton', '88307', '454 kg', null, null],
    ],
  },
]);

test('an office imports a messy Excel file, corrects the mapping, and undoes the import', async ({
  browser,
  database,
  acting,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { page, faults } = await openAs(browser, database, acting, {
    name: 'Ana',
    roles: ['administrator'],
    organizationNo,
  });
  await page.locator('.first-day').getByRole('link', { name: 'Import a file' }).click();
  // Answers are delayed, so that a request below would overlap another one if it did not wait for it. One request is refused.
  const sent = { running: 0, maxRunning: 0, refused: 0 };
  await page.route(/\/manage\/v1\/imports(\?|\/.*\/undo)/, async (route) => {
    sent.running++;
    sent.maxRunning = Math.max(sent.maxRunning, sent.running);
    const isRefused = sent.refused === 0 && !route.request().url().includes('dry_run');
    if (isRefused) sent.refused++;
    const answer = isRefused
      ? { status: 429, headers: { 'retry-after': '1' }, json: { code: 'rate_limited', detail: 'Busy.' } }
      : { response: await route.fetch() };
    await delay(200);
    sent.running--;
    await route.fulfill(answer);
  });
  const choose = async (): Promise<void> => {
    const chosen = page.waitForEvent('filechooser');
    await page.locator('label', { hasText: 'Choose a file' }).click();
    await (await chosen).setFiles({ name: 'tanks.xlsx', mimeType: 'application/octet-stream', buffer: SHEET });
  };
  await choose();
  await page.getByLabel('Sheet').selectOption('Route list');

  // The unit comes from the heading, and what the file does not have is a visible value.
  await page.getByText('unit: gallons').waitFor();
  const importButton = page.locator('.dry-run .button.primary');
  await expect.poll(() => importButton.innerText()).toBe('Import 3 rows');
  const counts = () => page.locator('.dry-run .counts dd').allInnerTexts();
  expect(await counts()).toEqual(['3', '0', '0', '2', '5']);
  expect(await page.locator('.refused-table .wrong').allInnerTexts()).toEqual(['5OO', '454 kg']);
  expect(await page.getByLabel('Tank: unit of the size').inputValue()).toBe('gallons');
  // A level with its day makes tanks without a sensor, and the page says how the day was understood.
  expect(await page.getByLabel('Tank: device').inputValue()).toBe('manual');
  await page.getByText('the first: Nov 16, 2025').waitFor();
  await page.getByText('Levels that are stored as manual readings: 1.').waitFor();

  // Three changes at once, each of which begins a dry run.
  await page.getByLabel('Our field for Where').selectOption('region');
  await page.getByLabel('Our field for Where').selectOption('district');
  await page.getByLabel('Our field for Where').selectOption('city');
  await page.getByRole('button', { name: 'Take 500' }).click();
  await expect.poll(counts).toEqual(['4', '0', '0', '1', '5']);
  await expect.poll(() => importButton.isEnabled()).toBe(true);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download these rows' }).click();
  const refused = await readFile(await (await download).path(), 'utf8');
  expect(refused.trim().split('\r\n')).toEqual([
    'Acct #,Name,Phone 1,Street,Where,Tank Ser.,Size (gal),Level %,Read on,reason',
    expect.stringMatching(/^10531,"Morse, Henry",,8 Pearl St,Milton,88307,454 kg,,,"Tank: size: /),
  ]);
  expect(await findBarriersInThemes(page, 'import')).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });

  await importButton.click();
  await page.getByText('Imported: 4 new, 0 changed.').waitFor();
  const { rows } = await database.owner.query(
    `select c.name, t.custom_id, t.capacity, t.city from tanks t join customers c on c.no = t.owner_no
     where t.organization_no = $1 and t.deleted_at is null order by t.custom_id`,
    [organizationNo],
  );
  expect(rows).toEqual([
    { name: 'Thibault, Grace', custom_id: '88213-A', capacity: 500, city: 'Milton' },
    { name: 'Thibault, Grace', custom_id: '88214', capacity: 250, city: 'Milton' },
    { name: 'Perkins, Noah', custom_id: '88260', capacity: 500, city: 'Milton' },
    { name: 'Inn of Cole', custom_id: '90117', capacity: 1000, city: 'Shelburne' },
  ]);

  // The next file with the same headings is read in the same way.
  await page.getByRole('button', { name: 'Another file' }).click();
  await choose();
  await page.getByLabel('Sheet').selectOption('Route list');
  await page.getByText('Read like the last file with the same headings').waitFor();
  expect(await page.getByLabel('Our field for Where').inputValue()).toBe('city');
  await page.getByRole('button', { name: 'Another file' }).click();

  // The dry run of the closed file still runs. Rows that were changed since the import stay, and are named before the undo.
  await database.owner.query(`update tanks set capacity = 600 where organization_no = $1 and custom_id = '90117'`, [
    organizationNo,
  ]);
  const notice = page.locator('.earlier-table tr').nth(1);
  await notice.getByRole('button', { name: 'Undo' }).click();
  await notice.getByText('Undo deletes 5 new customers and tanks').waitFor();
  expect(await notice.locator('li').allInnerTexts()).toEqual([
    'Tank 90117: changed since',
    'Inn of Cole: has tanks that stay',
  ]);
  await notice.getByRole('button', { name: 'Undo this import' }).click();
  await page
    .locator('.earlier-table')
    .getByText(/^undone /)
    .waitFor();
  expect(sent).toMatchObject({ running: 0, maxRunning: 1, refused: 1 });
  expect(faults).toEqual([expect.stringContaining('429')]);
});
