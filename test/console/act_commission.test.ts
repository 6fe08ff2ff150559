import { expect, onTestFinished } from 'vitest';
import { deviceInCode } from '../../packages/console/src/commission/device_code.ts';
import { givenKey, givenTank, givenTanks } from '../support/fleet.ts';
import { ingestEnvironment, postBody, startGateway, startWriter } from '../support/ingest.ts';
import type { TestDatabase } from '../support/test.ts';
import { ldds75Uplink } from '../support/uplinks.ts';
import { storedNotes, test } from './act_test.ts';

const PHONE = { viewport: { width: 390, height: 844 } };

test('the code of a device gives its number', () => {
  expect(deviceInCode(' ABCD2290 ')).toBe('ABCD2290');
  expect(deviceInCode('LW:D0:70b3d57ed0000000:a84041000181c061:00FA0001')).toBe('A84041000181C061');
  expect(deviceInCode('https://example.com/d?SN=ABCD2290&x=1')).toBe('ABCD2290');
  expect(deviceInCode('https://example.com/device/ABCD%2D1/')).toBe('ABCD-1');
});

test('a technician puts a device on a tank, sees its first reading and compares it with the dial', async ({
  database,
  fleet,
  open,
}) => {
  const tank = await givenTank(database.operator, fleet.organizationNo, fleet.maria.no, {
    name: 'Cabin',
    custom_id: 'T-77',
    city: 'Celaya',
    assigned_device_id: 'pending-abcdefghjkmn',
  });
  const { page, faults } = await open({ name: 'Raúl', roles: ['technician'], path: 'commission', ...PHONE });
  const watcher = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${tank.id}` });
  await page.getByLabel('Tank, customer or street').fill('cabin');
  await page.getByRole('link', { name: /Cabin T-77/ }).click();
  await page.getByLabel('Number of the device').fill('NEW-2290');
  await page.getByRole('button', { name: 'Put NEW-2290 on Cabin T-77' }).click();
  await page.getByText(/waiting for .*\d+ sec/).waitFor();
  // A reload continues at the same step.
  await page.reload();
  await page.getByText(/waiting for .*\d+ sec/).waitFor();
  await fleet.ingester.ingestReadings([{ tankNo: tank.no, atMs: Date.now(), fillPercentage: 34 }]);
  await page.getByText(/34\s?%, read at/).waitFor();
  await watcher.page
    .getByText(/34\s?%/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Compare with the dial' }).click();
  const dial = page.getByLabel('What does the dial on the tank show, in %?');
  await dial.fill('51');
  await page.getByText('17 points apart.').waitFor();
  await dial.fill('36');
  await page.getByText('2 points apart: good.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator('.notice').getByText('NEW-2290 is on Cabin T-77.').waitFor();
  expect(await storedNotes(database, tank.no)).toEqual([]);
  expect(faults).toEqual([]);
});

/** Starts a gateway and a writer. Returns a function that sends a distance which a device has measured. */
async function givenDistances(database: TestDatabase, organizationNo: number, ownEui: string) {
  const environment = ingestEnvironment(database);
  const [gateway, writer] = await Promise.all([startGateway(environment), startWriter(environment)]);
  onTestFinished(async () => void (await Promise.all([gateway.close(), writer.close()])));
  const { text: key } = await givenKey(database.operator, { organizationNo, scopes: ['ingest'] });
  return async (distanceMm: number, eui = ownEui): Promise<void> => {
    const { json } = await postBody(gateway.httpUrl, key, ldds75Uplink(eui, distanceMm), '?format=things-stack');
    expect(json).toMatchObject({ accepted: 1 });
  };
}

test('a technician with a phone describes a tank whose sensor sends distances, corrects it by the dial and calibrates it', async ({
  database,
  fleet,
  open,
}) => {
  const eui = 'A840410000009275';
  const tank = await givenTank(database.operator, fleet.organizationNo, fleet.maria.no, {
    name: 'Cellar',
    capacity: 275,
    capacity_unit: 'gallons',
    assigned_device_id: 'pending-abcdefghjkmq',
  });
  const send = await givenDistances(database, fleet.organizationNo, eui);
  await send(568); // before the device is put on the tank
  const { page, faults } = await open({ name: 'Raúl', roles: ['technician'], path: `commission/${tank.id}`, ...PHONE });
  await page.getByLabel('Number of the device').fill(eui);
  await page.getByText('It measures the distance from the top down to the product.').waitFor();
  await page.getByText('Step 1 of 5').waitFor();
  await page.getByRole('button', { name: `Put ${eui} on Cellar` }).click();

  await page.getByLabel('Oval, upright').check();
  expect(await page.getByLabel('275 gal').isChecked()).toBe(true);
  await page.getByText('Inside 44 in high, 27 in wide').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Riser: 100 mm').check();
  // A reload continues at the same step, with what was typed.
  await page.reload();
  expect(await page.getByLabel('Or measured, in mm').inputValue()).toBe('100');
  await page.getByRole('button', { name: 'Wait for the first reading' }).click();
  await page.getByText(/waiting for .*\d+ sec/).waitFor();
  // The distance is too large for this tank, and the technician sees this at once.
  await send(2_000);
  await page.getByText(/its measure does not fit into this tank/).waitFor();
  await send(568);
  for (const value of ['568 mm', '59%', '163 gal']) await page.locator('dd').getByText(value).waitFor();
  await page.getByText('1,118 mm inside + 100 mm to the face − 568 mm measured = 650 mm of product.').waitFor();
  await page.getByText('Signal -96 dBm').waitFor();

  await page.getByRole('button', { name: 'Compare with the dial' }).click();
  await page.getByLabel('What does the dial on the tank show, in %?').fill('50');
  await page.getByText('9 points apart, 5 are allowed').waitFor();
  expect(await page.getByLabel(/The face is at \d+ mm, not at 100 mm/).isChecked()).toBe(true);
  await page.getByText(/Then 568 mm are 50%, 138 gal\./).waitFor();
  await page.getByRole('button', { name: /Correct to \d+ mm/ }).click();
  await page.getByText('The gauge is corrected.').waitFor();
  await page.locator('.notice').getByText('50%').waitFor();
  const { rows } = await database.owner.query(
    `select changed_by, (definition->>'offset_mm')::int as offset_mm from tank_gauges where tank_no = $1`,
    [tank.no],
  );
  expect(rows).toEqual([{ changed_by: expect.stringContaining('contact '), offset_mm: expect.closeTo(9, -1) }]);

  // Calibration begins on the page of the tank.
  await page.getByRole('link', { name: 'Open the tank' }).click();
  await page.getByRole('link', { name: 'Shape and calibration' }).click();
  await page.getByText('Oval, upright', { exact: true }).waitFor();
  await page.getByLabel('Dial, in %').fill('60');
  await page.getByRole('button', { name: 'Add a dial reading' }).click();
  await page.getByRole('row', { name: /dial 60% 568 mm -10/ }).waitFor();
  await page.getByLabel(/The same shape, another offset/).check();
  await page.getByRole('button', { name: 'Correct the gauge' }).click();
  await expect
    .poll(
      async () =>
        (
          await database.owner.query('select latest_fill_percentage as level from tank_states where tank_no = $1', [
            tank.no,
          ])
        ).rows,
    )
    .toEqual([{ level: expect.closeTo(60, 0) }]);

  // A device of an unknown model turns out to measure a distance.
  const barrel = await givenTank(database.operator, fleet.organizationNo, fleet.maria.no, {
    name: 'Barrel',
    assigned_device_id: 'pending-abcdefghjkmr',
  });
  await page.goto(`/console/commission/${barrel.id}`);
  await page.getByLabel('Number of the device').fill('A840410000009276');
  await page.getByText('Model not known').waitFor();
  await page.getByRole('button', { name: 'Put A840410000009276 on Barrel' }).click();
  await page.getByText(/waiting for/).waitFor();
  await send(568, 'A840410000009276');
  await page.getByText(/the shape of the tank is needed/).waitFor();
  await page.getByRole('button', { name: 'Describe the shape' }).click();
  await page.getByRole('heading', { name: 'What shape is the tank?' }).waitFor();
  expect(faults).toEqual([]);
});

test('an administrator chooses the default product of the organization', async ({ database, fleet, open }) => {
  const { page } = await open({ name: 'Ada', roles: ['administrator'], path: 'settings' });
  const product = page.getByRole('combobox', { name: 'Default product' });
  expect(await product.inputValue()).toBe('propane');
  await product.selectOption('heating oil');
  await page.locator('section', { has: product }).getByRole('button', { name: 'Save' }).click();
  const stored = async () =>
    (
      await database.owner.query('select default_product as product from organizations where no = $1', [
        fleet.organizationNo,
      ])
    ).rows;
  await expect.poll(stored).toEqual([{ product: 'heating_oil' }]);
});

test('a device that is on another tank is moved only when the technician says what that tank gets', async ({
  database,
  fleet,
  open,
}) => {
  const [from, to] = await givenTanks(database.operator, fleet.organizationNo, fleet.maria.no, [
    { name: 'Barn', assigned_device_id: 'BARN-1' },
    { name: 'Shed', assigned_device_id: 'SHED-1' },
  ]);
  const devices = async (): Promise<string[]> =>
    (
      await database.owner.query<{ device: string }>(
        'select assigned_device_id as device from tanks where no = any($1) order by no',
        [[from.no, to.no]],
      )
    ).rows.map(({ device }) => device);
  const { page } = await open({ name: 'Raúl', roles: ['technician'], path: `commission/${to.id}`, ...PHONE });
  await page.getByLabel('Number of the device').fill('BARN-1');
  await page.getByRole('button', { name: 'Put BARN-1 on Shed' }).click();
  await page.getByText('BARN-1 is on Barn.').waitFor();
  expect(await devices()).toEqual(['BARN-1', 'SHED-1']);
  await page.getByLabel('the device of this tank, SHED-1').check();
  await page.getByRole('button', { name: 'Put BARN-1 on Shed' }).click();
  await page.getByText(/waiting for/).waitFor();
  expect(await devices()).toEqual(['SHED-1', 'BARN-1']);
});
