import { expect } from 'vitest';
import { checkFleet } from '../../src/doctor/fleet_drift.ts';
import { checkSearchTexts } from '../../src/doctor/search_texts.ts';
import { reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { test } from '../support/test.ts';

test('doctor finds missing, superfluous and different rows of the fleet reads, and restores them with their levels', async ({
  database: { owner, operator, writer },
}) => {
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo);
  const [missing, different, levelless] = await givenTanks(operator, organizationNo, customer.no, [
    {},
    { city: 'Celaya' },
    {},
  ]);
  await new BatchIngester(writer).ingestReadings([{ tankNo: missing.no, atMs: Date.now(), fillPercentage: 12 }]);
  const check = (fix: boolean) => checkFleet({ pool: operator, fix, progress: () => {} });
  expect(await check(false)).toEqual([]);

  await owner.query('delete from fleet_tanks where tank_no = $1', [missing.no]);
  await owner.query('delete from fleet_levels where tank_no = $1', [levelless.no]);
  await owner.query(`update fleet_tanks set city = 'Puebla' where tank_no = $1`, [different.no]);
  await owner.query('insert into fleet_tanks (tank_no, organization_no, owner_no) values (1000000, $1, $2)', [
    organizationNo,
    customer.no,
  ]);
  expect(await check(false)).toMatchObject([
    { problem: `tank ${missing.no} is missing in the fleet reads; and 3 more like it`, fixed: false },
  ]);
  expect(await check(true)).toMatchObject([{ fixed: true }]);
  expect(await check(false)).toEqual([]);
  await reevaluateAllTanks(writer);
  const { rows } = await owner.query(
    `select fill, city from fleet_tanks join fleet_levels using (tank_no)
     where tank_no = any ($1) order by tank_no`,
    [[missing.no, different.no]],
  );
  expect(rows).toEqual([
    { fill: 12, city: '' },
    { fill: 101, city: 'Celaya' },
  ]);
});

test('doctor finds and restores missing, superfluous and different texts of the search', async ({
  database: { owner, operator },
}) => {
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo, { name: 'María' });
  const [missing, different] = await givenTanks(operator, organizationNo, customer.no, [{}, { city: 'Celaya' }]);
  const check = (fix: boolean) => checkSearchTexts({ pool: operator, fix, progress: () => {} });
  expect(await check(false)).toEqual([]);

  await owner.query('delete from tank_texts where no = $1', [missing.no]);
  await owner.query(`update tank_texts set text = ' other' where no = $1`, [different.no]);
  await owner.query(`insert into tank_texts (no, organization_no, text) values (1000000, $1, ' gone')`, [
    organizationNo,
  ]);
  await owner.query(`update customer_texts set text = ' other' where no = $1`, [customer.no]);
  await owner.query(`update search_words set n = n + 1 where organization_no = $1 and word = 'celaya'`, [
    organizationNo,
  ]);
  expect(await check(false)).toMatchObject([
    {
      problem: `searches of organization ${organizationNo} are corrected by other words than the catalog has`,
      fixed: false,
    },
    { problem: `the search has other words of customer ${customer.no} than the catalog`, fixed: false },
    { problem: `the search has other words of tank ${missing.no} than the catalog; and 2 more like it`, fixed: false },
  ]);
  expect(await check(true)).toMatchObject([{ fixed: true }, { fixed: true }, { fixed: true }]);
  expect(await check(false)).toEqual([]);
});
