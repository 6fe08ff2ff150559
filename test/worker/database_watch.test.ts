import { chmod, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { startDatabase } from '../../engines/database.ts';
import { openPool } from '../../src/db/pool.ts';
import { readOldestSnapshot } from '../../src/db/server_load.ts';
import { silentLogger } from '../../src/health/outage.ts';
import { DatabaseWatch } from '../../src/worker/database_watch.ts';
import { workerMetrics } from '../../src/worker/metrics.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { test } from '../support/test.ts';

/** Reads all values once, as the worker exports them. Names without a value are missing. */
async function readValues(url: string, folders: Record<string, string>): Promise<Map<string, number>> {
  const registry = new Registry();
  const pool = openPool({ url, applicationName: 'tests' });
  const watch = new DatabaseWatch({ pool, folders, metrics: workerMetrics(registry), logger: silentLogger });
  const values = async (): Promise<Map<string, number>> =>
    new Map(
      (await registry.metrics()).split('\n').flatMap((line) => {
        const [, name = '', value = ''] = /^(tankwatch_\S+) (\S+)$/.exec(line) ?? [];
        return name === '' ? [] : [[name, Number(value)] as const];
      }),
    );
  try {
    // The watch reads the sequences last.
    await expect
      .poll(async () => [...(await values()).keys()].join(), { interval: 20, timeout: 10_000 })
      .toContain('tankwatch_sequence_used_ratio');
    return await values();
  } finally {
    watch.close();
    await pool.end();
  }
}

test('the worker exports WAL of slots and archive, transaction ids, free disk, and the times of backup and drill', async () => {
  const folder = await givenFolder();
  await chmod(folder, 0o755); // the user of the PostgreSQL server reads it
  const refusal = join(folder, 'refuses');
  const archived = { archive_mode: 'on', archive_command: `test ! -e ${refusal}` };
  const { postgres, owner, urls, stop } = await startDatabase(archived);
  onTestFinished(stop);
  const root = openPool({ url: postgres.url, applicationName: 'tests' });
  onTestFinished(() => root.end());
  const switchWal = async (): Promise<void> => {
    await root.query(`select pg_logical_emit_message(false, 'test', 'x')`);
    await root.query('select pg_switch_wal()');
  };
  await switchWal();
  await expect
    .poll(async () => (await root.query('select archived_count from pg_stat_archiver')).rows[0].archived_count)
    .toBeGreaterThan(0);

  const healthy = await readValues(urls.worker, { PGDATA: tmpdir(), NATS_DATA: '' });
  expect(healthy.get('tankwatch_postgres_archive_lag_seconds')).toBe(0);
  expect(healthy.get('tankwatch_disk_free_ratio{folder="PGDATA"}')).toBeGreaterThan(0);
  const { rows } = await root.query<{ age: number }>('select max(age(datfrozenxid)) as age from pg_database');
  expect(healthy.get('tankwatch_postgres_transaction_ids_used_ratio')).toBeCloseTo((rows[0]?.age ?? 0) / 2 ** 31, 5);
  expect(healthy.get('tankwatch_postgres_oldest_snapshot_seconds')).toBe(0);
  expect(healthy.get('tankwatch_packing_backlog_months')).toBe(0);
  expect(healthy.get('tankwatch_postgres_connections_used_ratio')).toBeGreaterThan(0);
  expect(healthy.get('tankwatch_postgres_dead_rows{table="mail_jobs"}')).toBe(0);
  expect(healthy.get('tankwatch_postgres_dead_rows{table="graphile_worker._private_jobs"}')).toBe(0);
  const names = [...healthy.keys()];
  expect(names.filter((name) => /slot_wal|backup_end|drill_time|NATS_DATA/.test(name))).toEqual([]);

  await root.query(`select pg_create_physical_replication_slot('nobody', true)`);
  await writeFile(refusal, '');
  for (let n = 0; n < 4; n++) await switchWal();
  await expect
    .poll(async () => (await root.query('select failed_count from pg_stat_archiver')).rows[0].failed_count, {
      timeout: 20_000,
    })
    .toBeGreaterThan(0);
  const reported = await runCommand(['backup', 'report', '--at', '2026-01-02T03:04:05Z'], {
    OPERATOR_DATABASE_URL: urls.operator,
  });
  expect(reported.code).toBe(0);
  await owner.query(
    `insert into restore_drills (started_at, problems) values ('2026-02-01T00:00:00Z', '{}'), (now(), '{bad}')`,
  );
  const neglected = await readValues(urls.worker, {});
  expect(neglected.get('tankwatch_postgres_archive_lag_seconds')).toBeGreaterThan(0);
  expect(neglected.get('tankwatch_postgres_slot_wal_bytes{slot="nobody"}')).toBeGreaterThan(3 * 16 * 1_048_576);
  expect(neglected.get('tankwatch_backup_end_timestamp_seconds')).toBe(Date.UTC(2026, 0, 2, 3, 4, 5) / 1_000);
  // A drill with problems does not count.
  expect(neglected.get('tankwatch_restore_drill_timestamp_seconds')).toBe(Date.UTC(2026, 1, 1) / 1_000);
});

test('the worker and doctor see a forgotten snapshot of another login, also if it has written nothing', async ({
  database,
}) => {
  const forgotten = await database.operator.connect();
  try {
    await forgotten.query('begin isolation level repeatable read');
    await forgotten.query('select from organizations');
    const { rows } = await forgotten.query<{ pid: number }>('select pg_backend_pid() as pid');
    for (let n = 0; n < 20; n++) await database.owner.query('select pg_current_xact_id()');
    const values = await readValues(database.urls.worker, {});
    expect(values.get('tankwatch_postgres_oldest_snapshot_transactions')).toBeGreaterThanOrEqual(20);
    expect((await readOldestSnapshot(database.worker))?.holder).toContain(`session ${rows[0]?.pid} (`);
  } finally {
    await forgotten.query('rollback');
    forgotten.release();
  }
});

test('the worker counts devices that are silent, that cannot measure and whose battery is low', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no: ownerNo } = await givenCustomer(database.operator, organizationNo);
  const tanks = await givenTanks(database.operator, organizationNo, ownerNo, [{}, {}, {}]);
  const countsOf = async (): Promise<number[]> => {
    const values = await readValues(database.urls.worker, {});
    return ['silent', 'fault', 'battery_low'].map(
      (trouble) => values.get(`tankwatch_devices_in_trouble{trouble="${trouble}"}`) ?? -1,
    );
  };
  expect(await countsOf()).toEqual([0, 0, 0]);
  await database.owner.query('update fleet_tanks set is_silent = true where tank_no = $1', [tanks[0]?.no]);
  // The third device is no longer on its tank.
  await database.owner.query(
    `insert into device_health (organization_no, device_id, tank_no, at, fault, battery_low_since, day, battery_days, signal_days,
       is_signal_weak)
     select organization_no, case when no = $2 then 'GONE' else assigned_device_id end, no, now(), 'tilted',
       case when no = $3 then now() end, 0, '{}', '{}', false from tanks where no = any ($1)`,
    [tanks.map(({ no }) => no), tanks[2]?.no, tanks[0]?.no],
  );
  expect(await countsOf()).toEqual([1, 2, 1]);
});
