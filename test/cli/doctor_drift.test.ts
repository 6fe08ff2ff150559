import type { Pool } from 'pg';
import { describe, expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { FEBRUARY, type Installation, iso, problems, test } from '../support/installation.ts';

describe('doctor names what has drifted, and --fix repairs it', () => {
  /** The drifts of a group are of different kinds, so that each has a finding of its own. */
  type Drift = [
    group: 1 | 2 | 3 | 4,
    name: string,
    inject: (installation: Installation) => string,
    problems: (i: Installation) => string[],
  ];
  const drifts: Drift[] = [
    [
      1,
      'a month of customers',
      (i) =>
        `update catalog_month_counters set n = n + 4 where list = 'organization_customers' and scope_no = ${i.organizationNo}`,
      (i) => [
        `catalog counters: organization ${i.organizationNo} has 1 customer created in 2025-02, but catalog_month_counters says 5`,
      ],
    ],
    [
      2,
      "a month of an organization's tanks that is not counted at all",
      (i) => `delete from catalog_month_counters where list = 'organization_tanks' and scope_no = ${i.organizationNo}`,
      (i) => [
        `catalog counters: organization ${i.organizationNo} has 2,300 tanks created in 2025-02, but catalog_month_counters says 0`,
      ],
    ],
    [
      3,
      'months in which nothing is',
      (i) => `insert into catalog_month_counters (list, scope_no, month, n) values
                ('owner_tanks', ${i.ownerNo}, '2020-01-01', 2), ('owner_tanks', 1000000, '2020-01-01', 1)`,
      (i) => [
        `catalog counters: customer ${i.ownerNo} has 0 tanks created in 2020-01, but catalog_month_counters says 2; and 1 more like it`,
      ],
    ],
    [
      1,
      "a bucket of an owner's tanks",
      (i) =>
        `update catalog_buckets set n = 7 where list = 'owner_tanks' and scope_no = ${i.ownerNo} and starts_no = 0`,
      (i) => [
        `catalog counters: customer ${i.ownerNo} has 1,500 tanks in the bucket from 2025-02-01T00:00:00.000Z, but catalog_buckets says 7`,
      ],
    ],
    [
      2,
      'a busy month of tanks without buckets',
      (i) => `delete from catalog_buckets where list = 'owner_tanks' and scope_no = ${i.ownerNo}`,
      (i) => [
        `catalog counters: customer ${i.ownerNo} has 2,300 tanks from 2025-02-01T00:00:00.000Z that are not all in buckets of at most 2,000 items`,
      ],
    ],
    [
      3,
      'a bucket of tanks that is too large',
      (i) => `delete from catalog_buckets where list = 'owner_tanks' and scope_no = ${i.ownerNo} and starts_no > 0;
              update catalog_buckets set n = 2300 where list = 'owner_tanks' and scope_no = ${i.ownerNo}`,
      (i) => [
        `catalog counters: customer ${i.ownerNo} has 2,300 tanks from 2025-02-01T00:00:00.000Z that are not all in buckets of at most 2,000 items`,
      ],
    ],
    [
      4,
      'buckets of which none begins with the month',
      (i) =>
        `delete from catalog_buckets where list = 'organization_tanks' and scope_no = ${i.organizationNo} and starts_no = 0`,
      (i) => [
        `catalog counters: organization ${i.organizationNo} has 2,300 tanks from 2025-02-01T00:00:00.000Z that are not all in buckets of at most 2,000 items`,
      ],
    ],
    [
      1,
      'a month of readings',
      (i) => `update telemetry_month_counters set n = 9 where tank_no = ${i.tankNo} and month = '2025-01-01'`,
      (i) => [`telemetry counters: tank ${i.tankNo} has 3 readings in 2025-01, but telemetry_month_counters says 9`],
    ],
    [
      2,
      'a month counted for a tank that never reported',
      () => `insert into telemetry_month_counters (tank_no, month, n) values (2000000000, '2025-02-01', 1)`,
      () => ['telemetry counters: tank 2000000000 has 0 readings in 2025-02, but telemetry_month_counters says 1'],
    ],
    [
      1,
      'a bucket of readings',
      (i) => `update telemetry_buckets set n = n - 1 where tank_no = ${i.tankNo} and starts_at = '2025-02-01'`,
      (i) => [
        `telemetry counters: tank ${i.tankNo} has 1,500 readings in the bucket from 2025-02-01T00:00:00.000Z, but telemetry_buckets says 1499`,
      ],
    ],
    [
      2,
      'a busy month of readings without buckets',
      (i) => `delete from telemetry_buckets where tank_no = ${i.tankNo}`,
      (i) => [
        `telemetry counters: tank ${i.tankNo} has 2,300 readings from 2025-02-01T00:00:00.000Z that are not all in buckets of at most 2,000 items`,
      ],
    ],
    [
      1,
      'the latest reading of a tank',
      (i) => `update tank_states set latest_at = '2031-01-01' where tank_no = ${i.quietTankNo}`,
      (i) => [
        `telemetry counters: the latest reading of tank ${i.quietTankNo} is of 2025-02-01T00:00:00.000Z, but tank_states says 2031-01-01T00:00:00.000Z`,
      ],
    ],
    [
      2,
      'a tank with readings and without a latest one',
      (i) => `delete from tank_states where tank_no = ${i.quietTankNo}`,
      (i) => [
        `telemetry counters: the latest reading of tank ${i.quietTankNo} is of 2025-02-01T00:00:00.000Z, but tank_states says nothing`,
      ],
    ],
    [
      1,
      'a closed assignment',
      (i) => `update device_assignments set to_at = '2025-02-03' where tank_no = ${i.tankNo}`,
      (i) => [
        `device assignments: tank ${i.tankNo} has the device ${i.deviceId}, but no open assignment, so its readings find no tank`,
      ],
    ],
    [
      2,
      'an assignment of another device',
      (i) => `update device_assignments set device_id = 'OTHER' where tank_no = ${i.tankNo}`,
      (i) => [
        `device assignments: tank ${i.tankNo} has the device ${i.deviceId}, but its open assignment is for OTHER`,
      ],
    ],
    [
      1,
      'the partition of tomorrow',
      () =>
        `do $$ begin execute format('drop table telemetry_%s', to_char(now() + interval '1 day', 'YYYY_MM_DD')); end $$`,
      () => [`partitions: telemetry lacks partitions of ${iso(Date.now() + DAY_MS).slice(0, 7)}`],
    ],
  ];

  for (const together of Map.groupBy(drifts, ([group]) => group).values()) {
    test(together.map(([, name]) => name).join(', '), async ({ database, installation }) => {
      const before = await readCounters(database.owner);
      for (const [, , inject] of together) await database.owner.query(inject(installation));
      const sentences = together.flatMap(([, , , expected]) => expected(installation)).toSorted();
      expect(problems(await installation.ask()).toSorted()).toEqual(sentences);
      expect(problems(await installation.ask(true)).toSorted()).toEqual(
        sentences.map((sentence) => `fixed ${sentence}`),
      );
      expect(await installation.ask()).toEqual([]);
      expect(await readCounters(database.owner)).toEqual(before);
    });
  }

  test('a closed assignment that is opened again covers the time it was closed', async ({ database, installation }) => {
    await database.owner.query(`update device_assignments set to_at = '2025-02-03' where tank_no = $1`, [
      installation.tankNo,
    ]);
    await installation.ask(true);
    const { rows } = await database.owner.query(
      'select from_at, to_at from device_assignments where tank_no = $1 and device_id = $2',
      [installation.tankNo, installation.deviceId],
    );
    expect(rows).toContainEqual(expect.objectContaining({ to_at: 'infinity' }));
    expect(rows).toHaveLength(1);
  });

  test('a state without readings is left to the owner to delete', async ({ database, installation }) => {
    await database.owner.query(
      `insert into tank_states (tank_no, latest_at, latest_fill_percentage) values (2000000001, '2025-02-01', 1)`,
    );
    const [finding] = await installation.ask(true);
    expect(finding).toEqual({
      check: 'telemetry counters',
      severity: 'broken',
      problem: 'tank 2000000001 has no readings, but tank_states says 2025-02-01T00:00:00.000Z',
      remedy: 'as the owner: delete from tank_states where tank_no = 2000000001',
      fixed: false,
    });
    await database.owner.query('delete from tank_states where tank_no = 2000000001');
    expect(await installation.ask()).toEqual([]);
  });

  test('--fix counts right while a writer stores readings', async ({ database, installation }) => {
    const { quietTankNo: tankNo, ask } = installation;
    const ingester = new BatchIngester(database.writer);
    const enough = new AbortController();
    const write = async (): Promise<void> => {
      for (let n = 1; !enough.signal.aborted; n++) {
        await ingester.ingestReadings([{ tankNo, atMs: FEBRUARY + n, fillPercentage: 1 }]);
      }
    };
    const writing = write();
    for (let n = 0; n < 5; n++) {
      await database.owner.query('update telemetry_month_counters set n = n + 1000 where tank_no = $1', [tankNo]);
      expect((await ask(true)).map((finding) => finding.fixed)).toEqual([true]);
    }
    enough.abort();
    await writing;
    expect(await ask()).toEqual([]);
  });
});

/** Every counter that is not zero, and the latest readings. --fix must restore them. */
async function readCounters(db: Pool): Promise<unknown[]> {
  const { rows } = await db.query(
    `select 'catalog month' as what, list::text, scope_no, month as at, 0 as no, n from catalog_month_counters where n > 0
     union all select 'catalog bucket', list::text, scope_no, starts_at, starts_no, n from catalog_buckets where n > 0
     union all select 'telemetry month', '', tank_no, month, 0, n from telemetry_month_counters where n > 0
     union all select 'telemetry bucket', '', tank_no, starts_at, 0, n from telemetry_buckets where n > 0
     union all select 'latest', '', tank_no, latest_at, 0, latest_fill_percentage from tank_states
     order by 1, 2, 3, 4, 5`,
  );
  return rows;
}
