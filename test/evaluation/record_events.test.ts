import { expect } from 'vitest';
import type { NewEvent } from '../../src/alerts/event_types.ts';
import { transaction } from '../../src/db/pool.ts';
import { recordEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { type TestDatabase, test } from '../support/test.ts';

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
const queued = async (database: TestDatabase): Promise<number[]> => {
  const { rows } = await database.owner.query<{ no: number }>(
    `select no::text::int from graphile_worker._private_jobs, json_array_elements(payload -> 'event_nos') as no order by 1`,
  );
  return rows.map((row) => row.no);
};

const AT = '2026-03-01T06:00:00.000Z';
const LATER = '2026-03-02T06:00:00.000Z';

test('an event is recorded once with its readings, and has a job only if it notifies', async ({ database }) => {
  const record = (...events: NewEvent[]) => transaction(database.writer, (tx) => recordEvents(tx, events));
  const before = await queued(database);
  expect(await record(lowFill(1, AT), lowFill(2, AT, false), lowFill(1, AT))).toEqual({ recorded: 2, restored: 0 });
  expect(await record(lowFill(1, AT), lowFill(1, LATER))).toEqual({ recorded: 1, restored: 0 });
  const { rows } = await database.writer.query('select * from events where tank_no in (1, 2) order by tank_no, no');
  expect(rows).toMatchObject([
    {
      tank_no: 1,
      type: 'tank.low_fill',
      occurred_at: AT,
      data: { fill_percentage: 19.5, threshold_percentage: 20 },
      readings: [{ created_at: AT, fill_percentage: 19.5 }],
      retracted_at: null,
    },
    { tank_no: 1, occurred_at: LATER },
    { tank_no: 2, notify: false },
  ]);
  expect(await queued(database)).toEqual([...before, rows[0].no, rows[1].no]);
});

test('events and their jobs are committed together or not at all', async ({ database }) => {
  const before = await queued(database);
  const broken = transaction(database.writer, async (tx) => {
    await recordEvents(tx, [lowFill(3, AT)]);
    throw new Error('the batch failed');
  });
  await expect(broken).rejects.toThrow('the batch failed');
  expect(await queued(database)).toEqual(before);
});

test('a retracted event that is valid again is the same event', async ({ database }) => {
  const key = { tankNo: 4, type: 'tank.low_fill', occurredAt: AT } as const;
  await transaction(database.writer, (tx) => recordEvents(tx, [lowFill(4, AT)]));
  const read = async () =>
    (await database.writer.query('select id, retracted_at from events where tank_no = 4')).rows as {
      id: string;
      retracted_at: string | null;
    }[];
  const [first] = await read();
  expect(await transaction(database.writer, (tx) => retractEvents(tx, [key]))).toBe(1);
  expect(await transaction(database.writer, (tx) => retractEvents(tx, [key]))).toBe(0);
  expect((await read())[0]?.retracted_at).not.toBeNull();
  expect(await transaction(database.writer, (tx) => recordEvents(tx, [lowFill(4, AT)]))).toEqual({
    recorded: 0,
    restored: 1,
  });
  expect(await read()).toEqual([first]);
});

test('any number of events takes one statement, and no events take none', async ({ database }) => {
  const many = Array.from({ length: 5_000 }, (_, n) => lowFill(10 + n, AT));
  expect(await transaction(database.writer, (tx) => recordEvents(tx, many))).toEqual({ recorded: 5_000, restored: 0 });
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
