import { expect } from 'vitest';
import { storeNotes } from '../../engines/store_notes.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomers, givenOrganization, givenTanks } from '../support/fleet.ts';
import { givenTruck, recordRefills, refillOf, settle } from '../support/ledger.ts';
import type { TestDatabase } from '../support/test.ts';
import { openAs, test } from './act_test.ts';
import { findBarriers, overflow } from './barriers.ts';

/** A year of three trucks that share 64 tanks. The notes of the second one exceed the gauges by 5 %. */
async function givenYear({ operator, owner, writer, worker }: TestDatabase): Promise<number> {
  const organizationNo = await givenOrganization(operator);
  await owner.query(
    `update organizations set name = 'Gas del Bajío', time_zone = 'America/Mexico_City' where no = $1`,
    [organizationNo],
  );
  const names = ['Jorge García Torres', 'Hotel Los Álamos', 'Rastro Municipal', 'Alfarería Capelo'];
  const customers = await givenCustomers(
    operator,
    organizationNo,
    Array.from({ length: 64 }, (_, index) => ({ name: names[index % 4] ?? '', external_key: `C-${index}` })),
  );
  const tanks = await givenTanks(
    operator,
    organizationNo,
    0,
    customers.map(({ no }, index) => ({ owner_no: no, name: 'Casa', custom_id: `T-${1000 + index}`, capacity: 1_000 })),
  );
  const [first] = customers;
  const [second] = await givenTanks(operator, organizationNo, first?.no ?? 0, [
    { name: 'Taller', custom_id: 'T-2000', capacity: 1_000 },
    { name: 'Bodega', custom_id: 'T-3000', capacity: 1_000 },
  ]);
  for (const name of ['Truck 1', 'Truck 2', 'Truck 3']) await givenTruck(owner, organizationNo, name);
  const random = new Random(3);
  const nowMs = Date.now();
  const deliveries = tanks.flatMap((tank, index) => {
    const error = 0.03 * random.normal();
    return Array.from({ length: 5 }, (_, round) => {
      const toMs = nowMs - HOUR_MS - round * 30 * DAY_MS - index * 2 * HOUR_MS;
      const liters = random.between(400, 600);
      const truck = `Truck ${((index + round) % 3) + 1}`;
      const volume = Math.round(liters * (truck === 'Truck 2' ? 1.05 : 1) * (index === 3 && round === 0 ? 1.4 : 1));
      const refill = { fromMs: toMs - HOUR_MS, toMs, liters: liters * (1 + error + 0.01 * random.normal()) };
      return {
        refill: refillOf({ organizationNo, tankNo: tank.no }, refill),
        note: {
          number: `N-${2000 + index * 5 + round}`,
          at: new Date(toMs).toISOString(),
          volume,
          tank: `T-${1000 + index}`,
          truck,
        },
      };
    });
  });
  const laterMs = nowMs - 20 * HOUR_MS;
  const other = { fromMs: laterMs - HOUR_MS, toMs: laterMs, liters: 300 };
  await recordRefills(writer, [
    ...deliveries.map(({ refill }) => refill),
    refillOf({ organizationNo, tankNo: second?.no ?? 0 }, other),
  ]);
  await storeNotes(operator, organizationNo, [
    ...deliveries.map(({ note }) => note),
    // The note names one tank, but the other tank of the customer was filled.
    { number: 'N-9', at: new Date(laterMs).toISOString(), volume: 305, tank: 'T-1063', truck: 'Truck 3' },
  ]);
  await owner.query(
    `update delivery_notes set customer_no = $2, tank_no = (select no from tanks where owner_no = $2 and custom_id = 'T-1000')
     where organization_no = $1 and number = 'N-9'`,
    [organizationNo, first?.no],
  );
  await settle(worker);
  return organizationNo;
}

test('a dispatcher sees verdicts and trucks, adds a note and matches one by hand, and the page fits a phone', async ({
  database,
  browser,
  acting,
}) => {
  const organizationNo = await givenYear(database);
  const { page, faults } = await openAs(browser, database, acting, {
    name: 'Lucía Mendoza',
    roles: ['dispatcher'],
    organizationNo,
    path: 'ledger',
    viewport: { width: 1440, height: 1000 },
    timezoneId: 'America/Mexico_City',
  });
  await page.getByRole('heading', { name: 'Delivery notes and refills' }).waitFor();
  await page
    .getByText(
      /^The notes of Truck 2 exceed the gauges by [\d.]+% more than those of the other trucks \([\d.]+% to [\d.]+%; \d+ deliveries, 64 tanks\)\. Have its meter and its temperature compensation checked\.$/,
    )
    .waitFor();
  await page.getByText('Check note, capacity and gauge first.').first().waitFor();
  expect(await findBarriers(page, 'ledger')).toEqual([]);

  // A note that is typed into the form gets its verdict without a reload.
  await page.getByRole('button', { name: 'Add a note' }).click();
  await page.getByLabel('Number', { exact: true }).fill('N-77');
  await page.getByRole('button', { name: 'Save the note' }).click();
  await page.getByText('Fill in this field.').first().waitFor();
  await page.getByLabel('Volume').fill('120,5');
  await page.getByRole('combobox', { name: /^Tank/ }).fill('T-9999');
  await page.getByRole('button', { name: 'Save the note' }).click();
  await page.getByText('No tank has this number or device.').waitFor();
  await page.getByRole('combobox', { name: /^Tank/ }).fill('T-3000');
  await page.getByRole('button', { name: 'Save the note' }).click();
  await page.getByText('Note N-77 is saved.').waitFor();
  await settle(database.worker);
  await page.getByRole('link', { name: /^Cannot be compared/ }).click();
  await page
    .getByRole('row', { name: /N-77/ })
    .getByText(/^12[01]/)
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();

  // A person decides that a note and a refill belong together, and then leaves the match to the service again.
  const proposal = page.locator('section', { hasText: 'May belong together' }).getByRole('row', { name: /N-9/ });
  await proposal.getByRole('button', { name: 'Same delivery' }).click();
  await expect
    .poll(
      async () =>
        (await database.owner.query(`select kind from note_pins where organization_no = $1`, [organizationNo])).rows,
    )
    .toEqual([{ kind: 'together' }]);
  await settle(database.worker);
  await page.getByRole('link', { name: /^Match/ }).click();
  const united = page.getByRole('row', { name: /N-9 / });
  await united.getByText('decided by a person').waitFor();
  await united.getByRole('button', { name: 'Match automatically' }).click();
  await expect
    .poll(
      async () =>
        (await database.owner.query(`select from note_pins where organization_no = $1`, [organizationNo])).rowCount,
    )
    .toBe(0);
  // The browser reports the answer to the note with the unknown tank.
  expect(faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);

  for (const [locale, advice] of [
    ['en-US', 'Have its meter and'],
    ['es-MX', 'Mande revisar su medidor y'],
  ] as const) {
    const phone = await openAs(browser, database, acting, {
      name: 'Lucía Mendoza',
      roles: ['dispatcher'],
      organizationNo,
      path: 'ledger',
      viewport: { width: 390, height: 844 },
      locale,
      timezoneId: 'America/Mexico_City',
    });
    await phone.page.getByText(advice).first().waitFor();
    expect(await overflow(phone.page)).toBe(0);
    expect(await findBarriers(phone.page, `ledger ${locale}`)).toEqual([]);
    expect(phone.faults).toEqual([]);
  }
});
