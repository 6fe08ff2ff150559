import { statfs } from 'node:fs/promises';
import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { readSequenceUse } from '../db/sequence_use.ts';
import { readConnectionUse, readOldestSnapshot, readQueueTables } from '../db/server_load.ts';
import { everyInterval } from '../health/every_interval.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import { readBackupTimes } from '../recovery/drill_record.ts';
import type { WorkerMetrics } from './metrics.ts';

const INTERVAL_MS = 30_000;

/**
 * The age of the oldest row in transaction ids (of two billion), and how long WAL segments wait for the archive. A segment waits if it is
 * complete and newer than the last archived one, whether the archive command fails or hangs. Null if nothing is archived.
 */
const SERVER = `
  with segments as (
    select a.*, s.bytes, floor(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') / s.bytes) as current_segment,
           case when a.last_archived_wal ~ '^[0-9A-F]{24}'
                then ('x' || substr(a.last_archived_wal, 9, 8))::bit(32)::bigint * (4294967296 / s.bytes)
                     + ('x' || substr(a.last_archived_wal, 17, 8))::bit(32)::bigint end as archived_segment
    from pg_stat_archiver a, (select setting::bigint as bytes from pg_settings where name = 'wal_segment_size') as s
  )
  select (select max(greatest(age(datfrozenxid), mxid_age(datminmxid))) / 2147483648.0 from pg_database)::float8 as ids_used,
         case when current_setting('archive_mode') = 'off' then null
              when current_segment - 1 > archived_segment or archived_segment is null and failed_count > 0
              then extract(epoch from now() - coalesce(last_archived_time, stats_reset, now()))
              else 0 end::float8 as archive_lag
  from segments`;

/** The WAL that each replication slot retains. An invalidated slot retains none. */
const SLOTS = `
  select slot_name as slot, greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as bytes
  from pg_replication_slots where restart_lsn is not null`;

/** The first time from now on that has no partition. Months have partitions by day or as a whole. */
const PARTITIONS = `
  select extract(epoch from greatest(min(missing.from_at), now()))::float8 as partition_end
  from unnest(array[now(), next_utc_month(now()), next_utc_month(next_utc_month(now()))]) as month
  cross join lateral missing_telemetry_partitions(month) as missing
  where missing.to_at > now()`;

const PACKING_BACKLOG = `
  select count(*) as months from (
    select from telemetry_month_counters where not is_packed and month < first_hot_month() limit 10000
  ) as waiting`;

/** The rows come from partial indexes. A device that is no longer on the tank does not count. */
const healthSql = (condition: string): string =>
  `select from device_health h join tanks t on t.no = h.tank_no and split_part(t.assigned_device_id, '#', 1) = h.device_id
   where ${condition}`;
const TROUBLED_DEVICES = Object.entries({
  silent: 'select from fleet_tanks where is_silent',
  fault: healthSql('h.fault is not null'),
  battery_low: healthSql('h.battery_low_since is not null'),
})
  .map(
    ([trouble, devices]) =>
      `select '${trouble}' as trouble, count(*) as devices from (${devices} limit 100000) as ${trouble}`,
  )
  .join(' union all ');

const SINGLE_VALUES = [
  ...(['transactionIdsUsed', 'archiveLagSeconds', 'backupEnd', 'drillTime', 'partitionEnd'] as const),
  ...(['oldestSnapshotSeconds', 'oldestSnapshotTransactions', 'connectionsUsed', 'packingBacklog'] as const),
];
const LABELLED_VALUES = ['slotWalBytes', 'sequenceUsed', 'deadRows', 'troubledDevices'] as const;

export interface DatabaseWatchOptions {
  pool: Pool;
  /**
   * Folders on this machine whose disk must not be full, by the name of the setting. The path is empty if the folder is
   * not on this machine.
   */
  folders: Readonly<Record<string, string>>;
  metrics: WorkerMetrics;
  logger: StatusLogger;
}

/**
 * Exports metrics of slow failures: WAL that is not archived or consumed, transaction id age, internal numbers,
 * partitions of the coming months, disk space, backup age, devices in trouble.
 */
export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  readonly #timer: NodeJS.Timeout;
  /** The oldest snapshot, and the time from which it has been the oldest. */
  #oldest: { xid: string; sinceMs: number } | null = null;

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
    this.#forget();
    const outage = new Outage(options.logger, 'reading the state of the database server');
    const { run, timer } = everyInterval(INTERVAL_MS, outage, async () => {
      await this.#readDisks();
      try {
        await this.#readServer();
      } catch (error) {
        this.#forget();
        throw error;
      }
    });
    this.#timer = timer;
    void run();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** An unknown value is not exported, because an old one would hide the problem. */
  #forget(): void {
    const { metrics } = this.#options;
    for (const name of SINGLE_VALUES) metrics[name].remove();
    for (const name of LABELLED_VALUES) metrics[name].reset();
  }

  async #readServer(): Promise<void> {
    const { pool, metrics } = this.#options;
    const { rows } = await pool.query<{ ids_used: number; archive_lag: number | null }>(SERVER);
    const { ids_used, archive_lag } = onlyRow(rows);
    metrics.transactionIdsUsed.set(ids_used);
    if (archive_lag === null) metrics.archiveLagSeconds.remove();
    else metrics.archiveLagSeconds.set(archive_lag);
    const { rows: slots } = await pool.query<{ slot: string; bytes: number }>(SLOTS);
    metrics.slotWalBytes.reset();
    for (const { slot, bytes } of slots) metrics.slotWalBytes.set({ slot }, bytes);
    await this.#readLoad();
    // Unknown times have no value. An alert about their age would otherwise count from 1970.
    const { backup_at, good_drill_at } = await readBackupTimes(pool);
    if (backup_at === null) metrics.backupEnd.remove();
    else metrics.backupEnd.set(Date.parse(backup_at) / 1_000);
    if (good_drill_at === null) metrics.drillTime.remove();
    else metrics.drillTime.set(Date.parse(good_drill_at) / 1_000);
    const { rows: ends } = await pool.query<{ partition_end: number }>(PARTITIONS);
    metrics.partitionEnd.set(onlyRow(ends).partition_end);
    for (const { name, used_share } of await readSequenceUse(pool))
      metrics.sequenceUsed.set({ sequence: name }, used_share);
  }

  /** Reads what slows down every queue: old snapshots and the dead rows that they keep, connections, and months that are not packed. */
  async #readLoad(): Promise<void> {
    const { pool, metrics } = this.#options;
    const snapshot = await readOldestSnapshot(pool);
    if (snapshot?.xid !== this.#oldest?.xid)
      this.#oldest = snapshot === null ? null : { xid: snapshot.xid, sinceMs: Date.now() };
    metrics.oldestSnapshotSeconds.set(this.#oldest === null ? 0 : (Date.now() - this.#oldest.sinceMs) / 1_000);
    metrics.oldestSnapshotTransactions.set(snapshot?.transactions ?? 0);
    metrics.deadRows.reset();
    for (const { table_name: table, dead_rows } of await readQueueTables(pool))
      metrics.deadRows.set({ table }, dead_rows);
    const { open, max } = await readConnectionUse(pool);
    metrics.connectionsUsed.set(open / max);
    const { rows } = await pool.query<{ months: number }>(PACKING_BACKLOG);
    metrics.packingBacklog.set(onlyRow(rows).months);
    const { rows: troubled } = await pool.query<{ trouble: string; devices: number }>(TROUBLED_DEVICES);
    for (const { trouble, devices } of troubled) metrics.troubledDevices.set({ trouble }, devices);
  }

  async #readDisks(): Promise<void> {
    const { folders, metrics } = this.#options;
    for (const [folder, path] of Object.entries(folders)) {
      if (path === '') continue;
      // Doctor reports a missing folder.
      const disk = await statfs(path).catch(() => undefined);
      if (disk === undefined) metrics.diskFree.remove({ folder });
      else metrics.diskFree.set({ folder }, disk.bavail / disk.blocks);
    }
  }
}
