import { expect } from 'vitest';
import { DipStore } from '../../src/ingest/store_dips.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

const AT_MS = Date.UTC(2026, 0, 12, 18);

async function givenManualTank({ operator }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const owner = await givenCustomer(operator, organizationNo);
  const tank = await givenTank(operator, organizationNo, owner.no, { assigned_device_id: 'manual' });
  return { organizationNo, customerNo: owner.no, tankNo: tank.no };
}
type ManualTank = Awaited<ReturnType<typeof givenManualTank>>;

const enqueueDip = ({ owner }: TestDatabase, { organizationNo, tankNo }: ManualTank, at: string, level: number) =>
  owner.query('insert into waiting_dips (organization_no, tank_no, at, fill_percentage) values ($1, $2, $3, $4)', [
    organizationNo,
    tankNo,
    at,
    level,
  ]);

const countWaiting = async ({ owner }: TestDatabase, { tankNo }: ManualTank): Promise<number> =>
  (await owner.query('select from waiting_dips where tank_no = $1', [tankNo])).rows.length;

const levelsOf = async ({ owner }: TestDatabase, { tankNo }: ManualTank): Promise<number[]> => {
  const { rows } = await owner.query<{ fill_percentage: number }>(
    'select fill_percentage from telemetry where tank_no = $1 order by created_at',
    [tankNo],
  );
  return rows.map((row) => row.fill_percentage);
};

const rejectedOf = async ({ owner }: TestDatabase, { organizationNo }: ManualTank) => {
  const { rows } = await owner.query<{ code: string; detail: string; raw: string }>(
    `select code, detail, convert_from(raw, 'UTF8') as raw from rejected_readings where organization_no = $1 order by no`,
    [organizationNo],
  );
  return rows;
};

test('a dip with an impossible time is rejected, and the dips of other organizations are stored', async ({
  database,
}) => {
  const [wrong, right] = [await givenManualTank(database), await givenManualTank(database)];
  const times = ['0025-11-02T08:00:00Z', '1970-01-01T00:00:00Z', '0001-12-31 10:00:00+00 BC', '9999-12-31T00:00:00Z'];
  for (const at of [...times, 'infinity']) await enqueueDip(database, wrong, at, 80);
  await enqueueDip(database, right, iso(AT_MS), 55);
  expect(await new DipStore(database.writer).storeBatch()).toBe(false);
  expect(await countWaiting(database, wrong)).toBe(0);
  expect(await levelsOf(database, right)).toEqual([55]);
  expect(await levelsOf(database, wrong)).toEqual([]);
  const rejected = await rejectedOf(database, wrong);
  expect(rejected.map(({ code }) => code)).toEqual(['before_2000', 'before_2000', 'before_2000', 'future', 'future']);
  expect(rejected[0]?.detail).toBe('"0025-11-02T08:00:00.000Z" is before 2000; check the clock of the sender.');
  const { rows } = await database.owner.query(
    `select relname from pg_class where relname ~ '^telemetry_(1|00|99)' and relispartition and relkind = 'r'`,
  );
  expect(rows, 'no partitions are created for impossible times').toEqual([]);
});

test('many dips of one organization do not delay those of another', async ({ database }) => {
  const [busy, other] = [await givenManualTank(database), await givenManualTank(database)];
  await database.owner.query(
    `insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
     select $1, $2, timestamptz '2026-01-12 00:00Z' + n * interval '1 minute', 50 from generate_series(1, 300) n`,
    [busy.organizationNo, busy.tankNo],
  );
  await enqueueDip(database, other, iso(AT_MS), 55);
  const dips = new DipStore(database.writer);
  expect(await dips.storeBatch()).toBe(true);
  expect([await levelsOf(database, other), await countWaiting(database, busy)]).toEqual([[55], 101]);
  expect(await dips.storeBatch()).toBe(false);
  expect(await countWaiting(database, busy)).toBe(0);
});

test('a dip that the database rejects is recorded, and the others of its batch are stored in their order', async ({
  database,
}) => {
  const [tank, other] = [await givenManualTank(database), await givenManualTank(database)];
  await database.owner.query('alter table telemetry add constraint unlucky check (fill_percentage <> 13)');
  for (const [minute, level] of [13, 40, 13, 39].entries())
    await enqueueDip(database, tank, iso(AT_MS + minute * 60_000), level);
  await enqueueDip(database, other, iso(AT_MS), 55);
  expect(await new DipStore(database.writer).storeBatch()).toBe(false);
  await database.owner.query('alter table telemetry drop constraint unlucky');
  expect([await levelsOf(database, tank), await levelsOf(database, other)]).toEqual([[40, 39], [55]]);
  expect(await countWaiting(database, tank)).toBe(0);
  const rejected = await rejectedOf(database, tank);
  expect(rejected.map(({ code }) => code)).toEqual(['unstorable', 'unstorable']);
  expect(rejected[0]?.detail).toMatch(/The database rejects the reading: .*unlucky/);
  expect(JSON.parse(rejected[1]?.raw ?? '')).toEqual({ fill_percentage: 13, created_at: iso(AT_MS + 120_000) });
});

test('a delivery note with an impossible time creates no dip', async ({ database }) => {
  const tank = await givenManualTank(database);
  const note = (number: string, at: string) =>
    database.operator.query(
      `insert into delivery_notes (id, organization_no, number, customer_no, tank_no, at, precision, volume, unit, filled_to, source)
       values ($1, $2, $3, $4, $5, $6, 'minute', 400, 'liters', 80, 'import')`,
      [uuid7(), tank.organizationNo, number, tank.customerNo, tank.tankNo, at],
    );
  await note('1', '0025-11-02T08:00:00Z');
  await note('2', '1999-12-31T23:59:59Z');
  await note('3', '9999-11-02T08:00:00Z');
  expect(await countWaiting(database, tank)).toBe(0);
  await note('4', '2000-01-01T00:00:00Z');
  expect(await countWaiting(database, tank)).toBe(1);
});
