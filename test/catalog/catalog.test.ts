import { expect } from 'vitest';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { givenCustomer, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const PAST = '2025-01-01T00:00:00.000Z';

const readRow = async (database: TestDatabase, table: 'customers' | 'tanks', no: number) =>
  (await database.owner.query(`select * from ${table} where no = $1`, [no])).rows[0];

const readTankCount = async (database: TestDatabase, ownerNo: number): Promise<number> => {
  const counted = await database.owner.query<{ n: number }>(
    `select coalesce(sum(n), 0)::int as n from catalog_month_counters where list = 'owner_tanks' and scope_no = $1`,
    [ownerNo],
  );
  return counted.rows[0]?.n ?? -1;
};

test('updated_at of a customer changes with its own fields, not with activity or new tanks', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo, { created_at: PAST });
  await givenTank(database.operator, organizationNo, customer.no);
  await database.owner.query('update customers set last_seen_at = now(), name = name where no = $1', [customer.no]);
  expect((await readRow(database, 'customers', customer.no)).updated_at).toBe(PAST);
  await database.operator.query(`update customers set phone = '1' where no = $1`, [customer.no]);
  expect((await readRow(database, 'customers', customer.no)).updated_at).not.toBe(PAST);
});

test('a tank handed to another owner moves between their counts', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const [from, to] = [
    await givenCustomer(database.operator, organizationNo),
    await givenCustomer(database.operator, organizationNo),
  ];
  const tank = await givenTank(database.operator, organizationNo, from.no, { created_at: PAST });
  await database.operator.query('update tanks set owner_no = $2 where no = $1', [tank.no, to.no]);
  expect([await readTankCount(database, from.no), await readTankCount(database, to.no)]).toEqual([0, 1]);
  expect((await readRow(database, 'tanks', tank.no)).updated_at).not.toBe(PAST);
});

test('a tank cannot be given to a customer of another organization', async ({ database }) => {
  const [ours, theirs] = [await givenOrganization(database.operator), await givenOrganization(database.operator)];
  const stranger = await givenCustomer(database.operator, theirs);
  await expect(givenTank(database.operator, ours, stranger.no)).rejects.toThrow('0 of 1 rows were created');
});

test('deletion leaves no personal data in a row, and a constraint prevents new ones', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo, {
    phone: '1',
    external_key: 'C-1',
    is_verified: true,
  });
  const tank = await givenTank(database.operator, organizationNo, customer.no, {
    custom_id: 'x',
    street: 'Main',
    city: 'Here',
  });
  await transaction(database.operator, async (tx) => {
    await expect(deleteCustomer(tx, organizationNo, customer.no)).rejects.toThrow(/still owns 1 tank/);
    await deleteTank(tx, organizationNo, tank.no);
    await deleteCustomer(tx, organizationNo, customer.no);
  });
  const { email, name, phone, external_key, verified_at } = await readRow(database, 'customers', customer.no);
  expect([email, name, phone, external_key, verified_at]).toEqual([null, null, null, null, null]);
  const { street, city, custom_id, assigned_device_id, name: tankName } = await readRow(database, 'tanks', tank.no);
  expect([street, city, custom_id, assigned_device_id, tankName]).toEqual([null, null, null, null, null]);
  await expect(database.owner.query(`update tanks set street = 'Main' where no = $1`, [tank.no])).rejects.toMatchObject(
    {
      constraint: 'deleted_tank_is_empty',
    },
  );
  expect(await readTankCount(database, customer.no)).toBe(0);
});

test('a customer that is not verified cannot have verified_at', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no } = await givenCustomer(database.operator, organizationNo, { is_verified: true, verified_at: null });
  await expect(
    database.owner.query('update customers set is_verified = false, verified_at = now() where no = $1', [no]),
  ).rejects.toMatchObject({ code: '23514' });
});

test('one update swaps the devices of two tanks, and device_assignments keeps the previous tanks until they are deleted', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const [a, b] = await givenTanks(database.operator, organizationNo, owner.no, [
    { assigned_device_id: 'ONE' },
    { assigned_device_id: 'TWO' },
  ]);
  await expect(givenTank(database.operator, organizationNo, owner.no, { assigned_device_id: 'ONE' })).rejects.toThrow(
    `device ONE is already on the tank ${a.id}`,
  );
  await expect(
    database.owner.query(`update tanks set assigned_device_id = 'ONE' where no = $1`, [b.no]),
  ).rejects.toMatchObject({ constraint: 'one_tank_per_device' });
  await database.operator.query(
    `update tanks set assigned_device_id = case no when $1 then 'TWO' else 'ONE' end where no in ($1, $2)`,
    [a.no, b.no],
  );
  await transaction(database.operator, (tx) => deleteTank(tx, organizationNo, b.no));
  const { rows } = await database.owner.query(
    `select device_id, tank_no, from_at = '-infinity' as from_ever, to_at = 'infinity' as is_open
     from device_assignments where organization_no = $1 order by device_id, from_at`,
    [organizationNo],
  );
  expect(rows).toEqual([
    { device_id: 'ONE', tank_no: a.no, from_ever: true, is_open: false },
    { device_id: 'ONE', tank_no: null, from_ever: false, is_open: false },
    { device_id: 'TWO', tank_no: null, from_ever: true, is_open: false },
    { device_id: 'TWO', tank_no: a.no, from_ever: false, is_open: true },
  ]);
});

test('every counter is exact after four operators create, move and delete tanks at once', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const owners = [
    await givenCustomer(database.operator, organizationNo),
    await givenCustomer(database.operator, organizationNo),
  ];
  const operator = async (which: number): Promise<void> => {
    for (let round = 0; round < 6; round++) {
      const owner = owners[(which + round) % 2];
      const other = owners[(which + round + 1) % 2];
      const made = await givenTanks(
        database.operator,
        organizationNo,
        owner?.no ?? 0,
        Array.from({ length: 120 }, (_, n) => ({
          // More than 2,000 tanks are in February, so that this month has buckets.
          created_at: `2025-0${n % 10 === 0 ? 1 : 2}-01T00:00:00.${String(n % 5).padStart(3, '0')}Z`,
        })),
      );
      await database.operator.query('update tanks set owner_no = $2 where no = any ($1)', [
        made.slice(0, 40).map((tank) => tank.no),
        other?.no,
      ]);
      await transaction(database.operator, async (tx) => {
        for (const tank of made.slice(100)) await deleteTank(tx, organizationNo, tank.no);
      });
    }
  };
  await Promise.all([operator(0), operator(1), operator(2), operator(3)]);

  const { rows } = await database.owner.query(
    `with truth as (
       select 'organization_tanks'::catalog_list as list, organization_no as scope_no, utc_month(created_at) as month, count(*) as n
       from tanks where deleted_at is null group by 1, 2, 3
       union all
       select 'owner_tanks'::catalog_list, owner_no, utc_month(created_at), count(*) from tanks where deleted_at is null group by 1, 2, 3
     )
     select * from catalog_month_counters m full join truth t using (list, scope_no, month)
     where list <> 'organization_customers' and coalesce(m.n, 0) <> coalesce(t.n, 0)`,
  );
  expect(rows).toEqual([]);
  const { rows: buckets } = await database.owner.query<{ n: number; recount: number; max: number }>(
    `select n, count_catalog_items(list, scope_no, starts_at, starts_no, ends_at, ends_no) as recount, max_bucket_items() as max from (
       select *, lead(starts_at, 1, next_utc_month(starts_at)) over own as ends_at, lead(starts_no, 1, 0) over own as ends_no
       from catalog_buckets window own as (partition by list, scope_no, utc_month(starts_at) order by starts_at, starts_no)) p`,
  );
  expect(buckets.length).toBeGreaterThan(1);
  expect(buckets.filter((bucket) => bucket.n !== bucket.recount || bucket.n > bucket.max)).toEqual([]);
});
