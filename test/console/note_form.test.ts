import { expect } from 'vitest';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { givenTruck, settle } from '../support/ledger.ts';
import type { TestDatabase } from '../support/test.ts';
import { openAs, test } from './act_test.ts';
import { findBarriers } from './barriers.ts';

/** An organization in the United States with one tank and a truck. */
async function givenPropane({ operator, owner }: TestDatabase): Promise<number> {
  const organizationNo = await givenOrganization(operator);
  await owner.query(`update organizations set language = 'en-US', time_zone = 'America/New_York' where no = $1`, [
    organizationNo,
  ]);
  const customer = await givenCustomer(operator, organizationNo, { name: 'Maple Farm', external_key: 'C-1' });
  await givenTank(operator, organizationNo, customer.no, {
    name: 'Barn tank',
    custom_id: 'B-7',
    capacity: 2_000,
    capacity_unit: 'gallons',
  });
  await givenTruck(owner, organizationNo, 'Truck 1');
  await owner.query(`update trucks set capacity_unit = 'gallons' where organization_no = $1`, [organizationNo]);
  return organizationNo;
}

test('1,234 gallons are stored as 1234, the form asks about an implausible volume, and a note is corrected and withdrawn', async ({
  database,
  browser,
  acting,
}) => {
  const organizationNo = await givenPropane(database);
  const { page, faults } = await openAs(browser, database, acting, {
    name: 'Maya Lind',
    roles: ['dispatcher'],
    organizationNo,
    path: 'ledger',
    viewport: { width: 1440, height: 1000 },
    locale: 'en-US',
  });
  const stored = async (): Promise<unknown[]> => {
    const { rows } = await database.owner.query(
      'select number, volume, unit, is_cancelled from delivery_notes where organization_no = $1 order by number',
      [organizationNo],
    );
    return rows;
  };
  const noteOf = (volume: number, isCancelled = false) => ({
    number: 'N-1',
    volume,
    unit: 'gallons',
    is_cancelled: isCancelled,
  });

  await page.getByRole('button', { name: 'Add a note' }).click();
  const form = page.getByRole('form', { name: 'Add a note' });
  expect(await form.getByLabel('Unit').inputValue()).toBe('gallons');
  // The fields stand beside each other.
  const [when, volumeBox] = [
    await form.getByLabel('When').boundingBox(),
    await form.getByLabel('Volume').boundingBox(),
  ];
  expect((when?.x ?? 0) + (when?.width ?? 0)).toBeLessThanOrEqual(volumeBox?.x ?? 0);
  await form.getByLabel('Number', { exact: true }).fill('N-1');
  await form.getByRole('combobox', { name: /^Tank/ }).fill('mapel');
  await form.getByRole('option', { name: /Barn tank B-7 Similar · Maple Farm/ }).click();
  await form.getByLabel('Volume').fill('1.234');
  await form.getByRole('button', { name: 'Save the note' }).click();
  await form.getByText('1.234 can mean two numbers. Write 1,234 or 1.23.').waitFor();
  await form.getByLabel('Volume').fill('12');
  await form.getByRole('button', { name: 'Save the note' }).click();
  await form.getByText('12 gal? The tank holds 2,000 gal.').waitFor();
  expect(await stored()).toEqual([]);
  expect(await findBarriers(page, 'question about a volume')).toEqual([]);
  await form.getByRole('button', { name: 'Change the amount' }).click();
  await form.getByLabel('Volume').fill('1,234');
  await form.getByRole('button', { name: 'Save the note' }).click();
  await page.getByText('Note N-1 is saved.').waitFor();
  expect(await stored()).toEqual([noteOf(1234)]);
  // An existing note with this number is not replaced. The form leads to that note.
  await form.getByLabel('Number', { exact: true }).fill('N-1');
  await form.getByRole('combobox', { name: /^Tank/ }).fill('maple');
  await form.getByRole('option', { name: /Barn tank B-7/ }).click();
  await form.getByLabel('Volume').fill('1,300');
  await form.getByRole('button', { name: 'Save the note' }).click();
  await form.getByText('Not saved: a note with the number N-1 exists.').waitFor();
  expect(faults.splice(0)).toEqual([expect.stringContaining('412')]);
  expect(await stored()).toEqual([noteOf(1234)]);
  await form.getByRole('button', { name: 'Open this note' }).click();
  await page.getByRole('form', { name: 'Correct note N-1' }).getByRole('button', { name: 'Cancel' }).click();
  await settle(database.worker);

  const openCorrection = async (): Promise<void> => {
    for (const list of ['waiting', 'cannot_be_told', 'note_without_refill']) {
      await page.goto(`${new URL(page.url()).origin}/console/ledger?list=${list}`);
      await page.getByText('A level gauge is not a meter.').waitFor();
      await page.locator('.ledger-tabs').waitFor();
      const button = page.getByRole('button', { name: 'Correct note N-1' });
      if (await button.isVisible()) return button.click();
    }
    throw new Error('the note is in no list');
  };
  await openCorrection();
  const correction = page.getByRole('form', { name: 'Correct note N-1' });
  expect(await correction.getByLabel('Volume').inputValue()).toBe('1,234');
  await correction.getByLabel('Volume').fill('123.4');
  await correction.getByRole('button', { name: 'Save the correction' }).click();
  await page.getByText('Note N-1 is corrected: 1,234 gal became 123 gal.').waitFor();
  expect(await stored()).toEqual([noteOf(123.4)]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Note N-1 is as it was before.').waitFor();
  expect(await stored()).toEqual([noteOf(1234)]);
  await settle(database.worker);

  // Earlier values stay visible, with the person who entered them.
  await openCorrection();
  await correction.getByText(/was 123 gal/).waitFor();
  expect(await correction.locator('.earlier-notes').innerText()).toContain('Maya Lind');
  expect(await findBarriers(page, 'correction of a note')).toEqual([]);
  await correction.getByRole('button', { name: 'Withdraw the note' }).click();
  await page.getByText('Note N-1 is withdrawn.').waitFor();
  expect(await stored()).toEqual([noteOf(1234, true)]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(stored).toEqual([noteOf(1234)]);
  expect(faults).toEqual([]);
});
