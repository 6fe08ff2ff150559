import { expect } from 'vitest';
import { deviceInCode } from '../../packages/console/src/commission/device_code.ts';
import { givenTanks } from '../support/fleet.ts';
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
  const [tank] = await givenTanks(database.operator, fleet.organizationNo, fleet.maria.no, [
    { name: 'Cabin', custom_id: 'T-77', city: 'Celaya', assigned_device_id: 'pending-abcdefghjkmn' },
  ]);
  if (tank === undefined) throw new Error('the tank is missing');
  const { page, faults } = await open({ name: 'Raúl', roles: ['technician'], path: 'commission', ...PHONE });
  const watcher = await open({ name: 'Ana', roles: ['dispatcher'], path: `tanks/${tank.id}` });
  await page.getByLabel('Tank, customer or street').fill('cabin');
  await page.getByRole('link', { name: /Cabin T-77/ }).click();
  await page.getByLabel('Number of the device').fill('NEW-2290');
  await page.getByRole('button', { name: 'Put NEW-2290 on Cabin T-77' }).click();
  await page.getByText(/waiting for .*\d+ sec/).waitFor();
  // A reload goes on where it was.
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

test('a device that is on another tank is moved only when the technician says what that tank gets', async ({
  database,
  fleet,
  open,
}) => {
  const [from, to] = await givenTanks(database.operator, fleet.organizationNo, fleet.maria.no, [
    { name: 'Barn', assigned_device_id: 'BARN-1' },
    { name: 'Shed', assigned_device_id: 'SHED-1' },
  ]);
  if (from === undefined || to === undefined) throw new Error('tanks are missing');
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
