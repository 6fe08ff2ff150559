import { expect } from 'vitest';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { readWorkerConfig } from '../../src/settings/worker_settings.ts';
import { deleteExpiredRows, eraseDeletedTanks } from '../../src/worker/retention.ts';
import { givenEndpoint, givenTanked, lowFillOf, record, workerEnvironment } from '../support/events.ts';
import { FOREVER } from '../support/retention.ts';
import { type TestDatabase, test } from '../support/test.ts';

const DEFAULTS = readWorkerConfig(workerEnvironment({ urls: { worker: 'postgres://x/y' } } as TestDatabase)).retention;
const countRows = async ({ owner }: TestDatabase, table: string): Promise<number> =>
  Number((await owner.query<{ n: number }>(`select count(*) as n from ${table}`)).rows[0]?.n);

test('each kind of row is deleted after its retention, younger rows stay, and 0 keeps rows forever', async ({
  database,
}) => {
  expect(DEFAULTS).toEqual({
    rejectedDays: 90,
    deliveryDays: 90,
    mailDays: 400,
    eventDays: 1095,
    auditDays: 1095,
    keyActivityDays: 30,
    telemetryDays: 0,
    archiveFolder: '',
  });
  const { owner, worker } = database;
  const fleet = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const ids = await record(database, ...Array.from({ length: 4 }, () => lowFillOf(fleet)));
  // 12,000 rows are three batches.
  await owner.query(
    `insert into rejected_readings (organization_no, device_id, code, detail, raw, format, received_at, message_id, place)
     select $1, 'D', 'malformed', '', '', 'json', now() - make_interval(days => case when n <= 12000 then 91 else 89 end),
            gen_random_uuid(), 0 from generate_series(1, 12010) as n order by n`,
    [fleet.organizationNo],
  );
  await owner.query('truncate audit_log');
  await owner.query(
    `insert into audit_log (at, actor, organization_no, object, action, fields, object_nos)
     select now() - make_interval(days => days), 'x', $1, 'tank', 'update', '{}', '{}' from unnest('{1096, 1094}'::int[]) as days`,
    [fleet.organizationNo],
  );
  // The first three events have expired. The delivery of the third one is still pending.
  await owner.query(`update events set recorded_at = now() - interval '1096 days' where id = any ($1)`, [
    ids.slice(0, 3),
  ]);
  await owner.query(
    `insert into webhook_deliveries (endpoint_no, event_no, status, created_at, finished_at)
     select $1, no, case when id = $2 then 'pending' else 'delivered' end, recorded_at,
            case when id <> $2 then recorded_at end from events order by no`,
    [endpoint.no, ids[2]],
  );
  await owner.query(
    `insert into event_mails (event_no, recipient, recipient_no, kind, sent_at)
     select no, 'customer', $1, 'alert', recorded_at from events order by no`,
    [fleet.customer.no],
  );

  await owner.query(
    `insert into failed_mails (event_no, recipient, recipient_no, kind, because, failed_at)
     select event_no, recipient, recipient_no, kind, 'rejected', sent_at from event_mails order by no`,
  );

  expect(await deleteExpiredRows(worker, FOREVER)).toEqual({ imports: 0, reading_batches: 0, feed_removals: 0 });
  expect(await deleteExpiredRows(worker, DEFAULTS)).toEqual({
    rejected_readings: 12_000,
    webhook_deliveries: 2,
    event_mails: 3,
    failed_mails: 3,
    texts: 0,
    pushes: 0,
    reading_batches: 0,
    feed_removals: 0,
    audit_log: 1,
    events: 2,
    imports: 0,
    key_activity: 0,
  });
  expect([
    await countRows(database, 'rejected_readings'),
    await countRows(database, 'webhook_deliveries'),
    await countRows(database, 'event_mails'),
    await countRows(database, 'failed_mails'),
    await countRows(database, 'audit_log'),
    await countRows(database, 'events'),
  ]).toEqual([10, 2, 1, 1, 1, 2]);
  expect(await deleteExpiredRows(worker, DEFAULTS)).toMatchObject({ rejected_readings: 0, events: 0 });

  // The newest event of a type is never deleted, because it says that the tank is low.
  await owner.query(`update webhook_deliveries set status = 'delivered', finished_at = now()`);
  await owner.query(`update events set recorded_at = now() - interval '1096 days'`);
  expect(await deleteExpiredRows(worker, DEFAULTS)).toMatchObject({ events: 1 });
  expect((await owner.query('select id from events')).rows).toEqual([{ id: ids[3] }]);
});

test('a worker cannot delete rows that have not expired', async ({ database }) => {
  const attempt = (table: string, days: number): Promise<unknown> =>
    database.worker.query('select * from delete_expired_rows($1, now() - make_interval(days => $2), 0, 10)', [
      table,
      days,
    ]);
  await expect(attempt('audit_log', 29)).rejects.toThrow('rows of audit_log that are so young cannot be deleted');
  await expect(attempt('events', 0)).rejects.toThrow('so young');
  await expect(attempt('customers', 4_000)).rejects.toThrow('case not found');
  for (const table of ['audit_log', 'events', 'rejected_readings', 'webhook_deliveries', 'telemetry', 'removals'])
    await expect(database.worker.query(`delete from ${table}`), table).rejects.toMatchObject({ code: '42501' });
});

test('the readings and events of a deleted tank are erased, an event only after its webhook is delivered', async ({
  database,
}) => {
  const { owner, operator, worker } = database;
  const fleet = await givenTanked(database);
  const other = await givenTanked(database);
  const endpoint = await givenEndpoint(database, fleet.organizationNo);
  const readingsOf = (tankNo: number) =>
    Array.from({ length: 2_100 }, (_, n) => ({ tankNo, atMs: Date.UTC(2025, 1) + n * 600_000, fillPercentage: 50 }));
  await new BatchIngester(database.writer).ingestReadings([...readingsOf(fleet.tank.no), ...readingsOf(other.tank.no)]);
  await operator.query('update tanks set capacity = 600 where no = $1', [fleet.tank.no]);
  const ids = await record(database, lowFillOf(fleet), lowFillOf(fleet));
  await owner.query(`insert into webhook_deliveries (endpoint_no, event_no) select $1, no from events where id = $2`, [
    endpoint.no,
    ids[0],
  ]);
  expect(await eraseDeletedTanks(worker)).toBe(0);

  await transaction(operator, (tx) => deleteTank(tx, fleet.organizationNo, fleet.tank.no));
  expect(await eraseDeletedTanks(worker)).toBe(1);
  const countRemaining = async (tankNo: number): Promise<Record<string, number>> => {
    const tables = [
      'telemetry',
      'telemetry_month_counters',
      'telemetry_buckets',
      'tank_checkpoints',
      'tank_settings_history',
      'tank_states',
      'events',
    ];
    const counts = await Promise.all(tables.map((table) => countRows(database, `${table} where tank_no = ${tankNo}`)));
    return Object.fromEntries(
      tables.map((table, index) => [table, counts[index] ?? 0] as const).filter(([, n]) => n > 0),
    );
  };
  expect(await countRemaining(fleet.tank.no)).toEqual({ events: 1, tank_states: 1 });

  await owner.query(`update webhook_deliveries set status = 'delivered', finished_at = now()`);
  expect(await eraseDeletedTanks(worker)).toBe(1);
  expect(await countRemaining(fleet.tank.no)).toEqual({});
  expect(await eraseDeletedTanks(worker)).toBe(0);
  expect(await countRemaining(other.tank.no)).toMatchObject({ telemetry: 2_100, telemetry_buckets: 2, tank_states: 1 });
});
