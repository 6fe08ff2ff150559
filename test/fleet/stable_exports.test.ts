import { expect } from 'vitest';
import { exportDevicesOperation } from '../../src/api/fleet/devices_csv.ts';
import { exportTankStatusesOperation } from '../../src/api/fleet/tanks_csv.ts';
import { OpenExports } from '../../src/api/open_exports.ts';
import { givenCaller } from '../support/caller.ts';
import { givenCustomer, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { test } from '../support/test.ts';

const TANKS = 450;

for (const [operation, parameters] of [
  [exportTankStatusesOperation, { format: 'machine' }],
  [exportDevicesOperation, { format: 'machine', state: 'trouble' }],
] as const)
  test(`an export of ${operation.path} has every row once, also those that become urgent meanwhile`, async ({
    database,
    readers,
  }) => {
    const organizationNo = await givenOrganization(database.operator);
    const { no: ownerNo } = await givenCustomer(database.operator, organizationNo);
    const names = Array.from({ length: TANKS }, (_, n) => `tank-${n}`);
    await givenTanks(
      database.operator,
      organizationNo,
      ownerNo,
      names.map((name) => ({ name })),
    );
    const { body } = await operation.handle({
      readers,
      caller: givenCaller({ organizationNo }),
      parameters,
      exports: new OpenExports(),
      followReadings: () => Promise.resolve('0'),
      reauthorize: () => Promise.resolve(),
      id: '',
      path: '',
      given: new URLSearchParams(),
    });
    let text = '';
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stream of the file
    for await (const part of body as AsyncIterable<string>) {
      const isHeader = text === '';
      text += part;
      // The next page is read while this one is taken. All tanks of later pages move to the front of their list.
      if (!isHeader)
        await database.owner.query(
          `update fleet_tanks f set is_silent = true, is_low = true, threshold_on = '-infinity' from tanks t
           where t.no = f.tank_no and f.organization_no = $1 and not t.name = any ($2)`,
          [organizationNo, text.match(/tank-\d+/g)],
        );
    }
    expect((text.match(/tank-\d+/g) ?? []).toSorted()).toEqual(names.toSorted());
  });

test('a file for a program has texts as they are stored, and a file for a spreadsheet has no formulas', async ({
  database,
  api,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = { name: '=1+1', phone: '+52 461 555 0142' };
  const { no: ownerNo } = await givenCustomer(database.operator, organizationNo, owner);
  await givenTanks(database.operator, organizationNo, ownerNo, [{ name: '-House' }]);
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const read = async (file: string): Promise<string> => (await api.call(`/fleet/v1/${file}`, { key })).text;
  expect(await read('tanks.csv?format=machine')).toMatch(/^tank_id,[^]*,-House,[^]*,=1\+1,[^]*,\+52 461 555 0142,/);
  for (const query of ['', '?format=spreadsheet'])
    expect(await read(`tanks.csv${query}`)).toMatch(/^\uFEFFtank_id,[^]*,'-House,[^]*,'=1\+1,[^]*,'\+52 461 555 0142,/);
  for (const file of ['devices', 'events', 'ledger'])
    expect((await read(`${file}.csv?format=machine`)).charCodeAt(0)).not.toBe(0xfeff);
  expect((await api.call('/fleet/v1/tanks.csv?format=excel', { key })).status).toBe(422);
});
