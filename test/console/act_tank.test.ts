import { expect } from 'vitest';
import { isWhole } from '../support/whole_tests.ts';
import { openAs, storedNotes, test } from './act_test.ts';

const whole = test.runIf(isWhole('console/act_tank'));

const administrator = { name: 'Ana', roles: ['administrator'] } as const;

whole(
  'a note is seen by another person, can be changed, deleted and brought back',
  async ({ browser, database, acting, fleet }) => {
    const place = { organizationNo: fleet.organizationNo, path: `tanks/${fleet.hotel.id}` };
    const { page, faults } = await openAs(browser, database, acting, { ...administrator, ...place });
    const watcher = await openAs(browser, database, acting, { name: 'Pedro', roles: ['technician'], ...place });
    await page.getByRole('button', { name: 'Write a note' }).click();
    await page.getByLabel('New note').fill('Gate code 4711');
    await page.getByRole('button', { name: 'Add the note' }).click();
    await watcher.page.locator('.note-list').getByText('Gate code 4711').waitFor();
    await page.getByRole('button', { name: 'Change the note “Gate code 4711”' }).click();
    await page.getByLabel('Change', { exact: true }).fill('Gate code 0815');
    await page.getByRole('button', { name: 'Save' }).click();
    await watcher.page.locator('.note-list').getByText('Gate code 0815').waitFor();
    await page.getByRole('button', { name: 'Delete the note “Gate code 0815”' }).click();
    await page.getByText('The note is deleted.').waitFor();
    expect(await storedNotes(database, fleet.hotel.no)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.note-list').getByText('Gate code 0815').waitFor();
    expect(await storedNotes(database, fleet.hotel.no)).toEqual(['Gate code 0815']);
    // The timeline says who wrote the note. Its filter shows one kind only, and going back shows all again.
    const timeline = page.locator('.timeline');
    await timeline.getByText('Ana added a note: “Gate code 0815”').waitFor();
    await timeline.getByRole('link', { name: 'Notes 1' }).click();
    await expect.poll(() => timeline.locator('li[data-kind]').count()).toBe(1);
    await page.goBack();
    await timeline.locator('li[data-kind=level]').first().waitFor();
    expect(faults).toEqual([]);
  },
);

whole(
  'a threshold shows its alerts before it is saved, and does not overwrite that of another person without asking',
  async ({ browser, database, acting, fleet }) => {
    const place = { organizationNo: fleet.organizationNo, path: `tanks/${fleet.bakery.id}` };
    const ana = await openAs(browser, database, acting, { ...administrator, ...place });
    const pedro = await openAs(browser, database, acting, { ...administrator, name: 'Pedro', ...place });
    const field = (page: typeof ana.page) => page.getByLabel('Low at and below, in %');
    const open = (page: typeof ana.page) => page.getByRole('button', { name: 'Change …' }).click();
    const save = (page: typeof ana.page) =>
      page.getByRole('form', { name: 'Threshold' }).getByRole('button', { name: 'Save' }).click();
    // The bakery has fallen from 32 to 12 %: one alert at 20 %, none at 5 %.
    await open(ana.page);
    await field(ana.page).fill('5');
    await ana.page.getByText('0 alerts in the last year instead of 1.').waitFor();
    await open(pedro.page);
    await field(pedro.page).fill('25');
    await pedro.page.getByText('1 alert in the last year, as now.').waitFor();
    await save(pedro.page);
    const storedThreshold = async (): Promise<number | undefined> =>
      (
        await database.owner.query<{ value: number }>(
          'select min_fill_alert_percentage as value from tanks where no = $1',
          [fleet.bakery.no],
        )
      ).rows[0]?.value;
    await expect.poll(storedThreshold).toBe(25);
    await save(ana.page);
    await ana.page.getByText(/Pedro changed this at .* The stored value is 25\s?%/).waitFor();
    expect(await storedThreshold()).toBe(25);
    await ana.page.getByRole('button', { name: 'Use my value' }).click();
    await expect.poll(storedThreshold).toBe(5);
    await open(pedro.page);
    await field(pedro.page).fill('12.5');
    await pedro.page.getByText('A whole number from 0 to 100.').waitFor();
  },
);

test('a viewer has no form', async ({ fleet, open }) => {
  const { page } = await open({ name: 'Vera', roles: ['viewer'], path: `tanks/${fleet.bakery.id}` });
  await page.getByRole('heading', { name: /Bakery/ }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.locator('.act-form, .act-grid').count()).toBe(0);
});

test('what a person who was removed did is not said to be the act of a program', async ({ database, fleet, open }) => {
  await database.owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints, written_by)
     values (gen_random_uuid(), $1, $2, 'Ring twice', false, 'contact ' || gen_random_uuid())`,
    [fleet.organizationNo, fleet.workshop.no],
  );
  const path = `tanks/${fleet.workshop.id}`;
  const english = await open({ ...administrator, path });
  const spanish = await open({ ...administrator, path, locale: 'es-MX' });
  await english.page.getByText('A program or somebody who has left added a note: “Ring twice”').waitFor();
  await spanish.page.getByText('Un programa o alguien que ya no está agregó una nota: “Ring twice”').waitFor();
});
