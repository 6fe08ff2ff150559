import { expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import type { NewEvent } from '../../src/evaluation/pure/alerts/event_types.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { isThorough } from '../support/whole_tests.ts';

async function givenTankNos(database: TestDatabase, count: number): Promise<number[]> {
  const organizationNo = await givenOrganization(database.operator);
  const owner = await givenCustomer(database.operator, organizationNo);
  const tanks = await givenTanks(
    database.operator,
    organizationNo,
    owner.no,
    Array.from({ length: count }, () => ({})),
  );
  return tanks.map((tank) => tank.no);
}

const lowFill = (tankNo: number, occurredAt: string, notify = true): NewEvent => ({
  organizationNo: 1,
  tankNo,
  type: 'tank.low_fill',
  occurredAt,
  data: { fill_percentage: 19.5, threshold_percentage: 20 },
  readings: [{ created_at: occurredAt, fill_percentage: 19.5 }],
  notify,
});

/** The numbers of the events that have notification jobs. */
const readQueued = async (database: TestDatabase): Promise<number[]> => {
  const { rows } = await database.owner.query<{ no: number }>(
    `select no::text::int from graphile_worker._private_jobs, json_array_elements(payload -> 'event_nos') as no order by 1`,
  );
  return rows.map((row) => row.no);
};

const AT = '2026-03-01T06:00:00.000Z';
const LATER = '2026-03-02T06:00:00.000Z';

test('an event is recorded once with its readings, and has a job only if it notifies', async ({ database }) => {
  const record = (...events: NewEvent[]) => transaction(database.writer, (tx) => recordEvents(tx, events));
  const [first = 0, second = 0] = await givenTankNos(database, 2);
  const before = await readQueued(database);
  expect(await record(lowFill(first, AT), lowFill(second, AT, false), lowFill(first, AT))).toEqual({
    recorded: 2,
    restored: 0,
  });
  expect(await record(lowFill(first, AT), lowFill(first, LATER))).toEqual({ recorded: 1, restored: 0 });
  const { rows } = await database.writer.query('select * from events where tank_no in ($1, $2) order by tank_no, no', [
    first,
    second,
  ]);
  expect(rows).toMatchObject([
    {
      tank_no: first,
      type: 'tank.low_fill',
      occurred_at: AT,
      data: { fill_percentage: 19.5, threshold_percentage: 20 },
      readings: [{ created_at: AT, fill_percentage: 19.5 }],
      retracted_at: null,
    },
    { tank_no: first, occurred_at: LATER },
    { tank_no: second, notify: false },
  ]);
  expect(await readQueued(database)).toEqual([...before, rows[0].no, rows[1].no]);
});

test('events and their jobs are committed together or not at all', async ({ database }) => {
  const [tankNo = 0] = await givenTankNos(database, 1);
  const before = await readQueued(database);
  const broken = transaction(database.writer, async (tx) => {
    await recordEvents(tx, [lowFill(tankNo, AT)]);
    throw new Error('the batch failed');
  });
  await expect(broken).rejects.toThrow('the batch failed');
  expect(await readQueued(database)).toEqual(before);
});

test('a retracted event that is valid again keeps its id', async ({ database }) => {
  const [tankNo = 0] = await givenTankNos(database, 1);
  const key = { tankNo, type: 'tank.low_fill', occurredAt: AT } as const;
  await transaction(database.writer, (tx) => recordEvents(tx, [lowFill(tankNo, AT)]));
  const read = async () =>
    (await database.writer.query('select id, retracted_at from events where tank_no = $1', [tankNo])).rows as {
      id: string;
      retracted_at: string | null;
    }[];
  const [first] = await read();
  expect(await transaction(database.writer, (tx) => retractEvents(tx, [key]))).toBe(1);
  expect(await transaction(database.writer, (tx) => retractEvents(tx, [key]))).toBe(0);
  expect((await read())[0]?.retracted_at).not.toBeNull();
  expect(await transaction(database.writer, (tx) => recordEvents(tx, [lowFill(tankNo, AT)]))).toEqual({
    recorded: 0,
    restored: 1,
  });
  expect(await read()).toEqual([first]);
});

test('thousands of events are recorded at once, and an empty list causes no statement', async ({ database }) => {
  const count = isThorough() ? 5_000 : 500;
  const many = (await givenTankNos(database, count)).map((tankNo) => lowFill(tankNo, AT));
  expect(await transaction(database.writer, (tx) => recordEvents(tx, many))).toEqual({ recorded: count, restored: 0 });
  const tx = await database.writer.connect();
  const statements: unknown[] = [];
  const counting = new Proxy(tx, {
    get: (target, name) =>
      name === 'query' ? (...args: unknown[]) => statements.push(args) : Reflect.get(target, name),
  });
  await recordEvents(counting, []);
  await retractEvents(counting, []);
  tx.release();
  expect(statements).toEqual([]);
});

test('an event has the same id wherever it is recorded, and another id for another tank, type or time', async ({
  database,
}) => {
  const derive = async (tank: string, type: string, at: string): Promise<string> =>
    (await database.writer.query('select derive_event_id($1, $2, $3) as id', [tank, type, at])).rows[0].id;
  const tank = '01a1dcb9-a8b0-7000-8000-000000000001';
  // A fixed value: receivers store ids, so the derivation can never change.
  expect(await derive(tank, 'tank.low_fill', AT)).toBe('14d822b8-68f5-86d8-a7a3-8ad96e132fff');
  const others = [
    await derive('01a1dcb9-a8b0-7000-8000-000000000002', 'tank.low_fill', AT),
    await derive(tank, 'tank.refilled', AT),
    await derive(tank, 'tank.low_fill', LATER),
  ];
  expect(new Set([...others, await derive(tank, 'tank.low_fill', AT)]).size).toBe(4);
  expect(others[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
