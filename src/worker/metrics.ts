import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { sharedMetrics, startAtZero } from '../health/shared_metrics.ts';

export type WorkerMetrics = ReturnType<typeof workerMetrics>;

export function workerMetrics(registry: Registry) {
  const registers = [registry];
  const { watchPool } = sharedMetrics(registry);
  return {
    watchPool,
    deliveries: startAtZero(
      new Counter({
        name: 'tankwatch_worker_deliveries_total',
        help: 'Attempts to deliver a webhook by outcome: delivered, retrying, failed, canceled, disabled, or error if the outcome could not be recorded.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['delivered', 'retrying', 'failed', 'canceled', 'disabled', 'error'],
    ),
    deliverySeconds: new Histogram({
      name: 'tankwatch_worker_delivery_seconds',
      help: 'Duration of an attempt to deliver a webhook.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
    mails: startAtZero(
      new Counter({
        name: 'tankwatch_worker_mails_total',
        help: 'Mail jobs by outcome: sent, skipped if no longer necessary, rejected by the mail server for good, or failed and retried.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['sent', 'skipped', 'rejected', 'failed'],
    ),
    pushes: startAtZero(
      new Counter({
        name: 'tankwatch_worker_pushes_total',
        help: 'Notifications to browsers by outcome: sent, skipped if no longer necessary, rejected for good, or failed and retried.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['sent', 'skipped', 'rejected', 'failed'],
    ),
    texts: startAtZero(
      new Counter({
        name: 'tankwatch_worker_texts_total',
        help: 'Text messages by outcome: sent, skipped if no longer necessary, rejected for good, or failed and retried.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['sent', 'skipped', 'rejected', 'failed'],
    ),
    jobs: new Counter({
      name: 'tankwatch_worker_jobs_total',
      help: 'Runs of jobs by task and outcome: success or error.',
      labelNames: ['task', 'outcome'],
      registers,
    }),
    oldestDeliverySeconds: new Gauge({
      name: 'tankwatch_worker_oldest_delivery_seconds',
      help: 'How long the oldest due webhook of an endpoint that works has been waiting; 0 if none waits.',
      registers,
    }),
    failingEndpoints: new Gauge({
      name: 'tankwatch_worker_failing_endpoints',
      help: 'Enabled webhook endpoints whose last delivery failed.',
      registers,
    }),
    failingEndpointSeconds: new Gauge({
      name: 'tankwatch_worker_failing_endpoint_seconds',
      help: 'For how long the enabled webhook endpoint with the oldest failure has been failing; 0 if none fails.',
      registers,
    }),
    oldestMailSeconds: new Gauge({
      name: 'tankwatch_worker_oldest_mail_seconds',
      help: 'How long the oldest mail that should have been sent has been waiting, with its failed attempts; 0 if none waits.',
      registers,
    }),
    oldestJobSeconds: new Gauge({
      name: 'tankwatch_worker_oldest_job_seconds',
      help: 'How long the oldest due job other than a mail has been waiting, by queue: notifications or maintenance; 0 if none waits. A running job does not wait.',
      labelNames: ['queue'],
      registers,
    }),
    givenUpJobs: new Gauge({
      name: 'tankwatch_worker_given_up_jobs',
      help: 'Jobs that failed at every attempt and are not retried.',
      registers,
    }),
    heldSeconds: new Gauge({
      name: 'tankwatch_worker_notifications_held_seconds',
      help: 'For how long notifications have been held by tankwatch notifications hold; 0 if they are not.',
      registers,
    }),
    checkedTanks: new Gauge({
      name: 'tankwatch_worker_checked_tanks',
      help: 'Tanks whose readings were counted again in this round of the continuous check.',
      registers,
    }),
    wrongCounters: new Gauge({
      name: 'tankwatch_worker_wrong_counters',
      help: 'Wrong counters that the continuous check found in this round and in the one before. tankwatch doctor shows an example.',
      registers,
    }),
    checkRoundEnd: new Gauge({
      name: 'tankwatch_worker_check_round_end_timestamp_seconds',
      help: 'When the last complete round of the continuous check ended, as a Unix time; 0 before the first one.',
      registers,
    }),
    transactionIdsUsed: new Gauge({
      name: 'tankwatch_postgres_transaction_ids_used_ratio',
      help: 'Which share of the transaction ids has passed since the oldest row was frozen. At 1, PostgreSQL accepts no more changes.',
      registers,
    }),
    oldestSnapshotSeconds: new Gauge({
      name: 'tankwatch_postgres_oldest_snapshot_seconds',
      help: 'For how long the same transaction or snapshot has been the oldest one of the server, since this worker began to look; 0 if it holds nothing back. Dead rows that are younger cannot be removed.',
      registers,
    }),
    oldestSnapshotTransactions: new Gauge({
      name: 'tankwatch_postgres_oldest_snapshot_transactions',
      help: 'How many transaction ids were given out since the oldest snapshot of the server.',
      registers,
    }),
    deadRows: new Gauge({
      name: 'tankwatch_postgres_dead_rows',
      help: 'Dead rows of a table that is used as a queue. Each look at the queue passes over them.',
      labelNames: ['table'],
      registers,
    }),
    connectionsUsed: new Gauge({
      name: 'tankwatch_postgres_connections_used_ratio',
      help: 'Which share of max_connections, without those reserved for superusers, is open. At 1, PostgreSQL refuses connections.',
      registers,
    }),
    troubledDevices: new Gauge({
      name: 'tankwatch_devices_in_trouble',
      help: 'Devices that are silent, that say that they cannot measure (fault), or whose battery is low, counted up to 100,000 each. A device can have several troubles.',
      labelNames: ['trouble'],
      registers,
    }),
    packingBacklog: new Gauge({
      name: 'tankwatch_packing_backlog_months',
      help: 'Months of tanks that are no longer hot and not packed, counted up to 10,000.',
      registers,
    }),
    archiveLagSeconds: new Gauge({
      name: 'tankwatch_postgres_archive_lag_seconds',
      help: 'How long complete segments of the write-ahead log have been waiting for the archive; 0 if none waits. Without archive_mode it is missing.',
      registers,
    }),
    slotWalBytes: new Gauge({
      name: 'tankwatch_postgres_slot_wal_bytes',
      help: 'How much write-ahead log a replication slot holds on the disk of the primary.',
      labelNames: ['slot'],
      registers,
    }),
    diskFree: new Gauge({
      name: 'tankwatch_disk_free_ratio',
      help: 'Which share of a disk of this machine is free, by the setting that names a folder on it: PGDATA, NATS_DATA, REMOVALS_FILE or RETENTION_ARCHIVE_FOLDER.',
      labelNames: ['folder'],
      registers,
    }),
    backupEnd: new Gauge({
      name: 'tankwatch_backup_end_timestamp_seconds',
      help: 'When the newest backup ended, as a Unix time, as tankwatch backup report said. Missing before the first report.',
      registers,
    }),
    drillTime: new Gauge({
      name: 'tankwatch_restore_drill_timestamp_seconds',
      help: 'When the last tankwatch restore drill began that was good enough, as a Unix time. Missing before the first one.',
      registers,
    }),
    sequenceUsed: new Gauge({
      name: 'tankwatch_sequence_used_ratio',
      help: 'Which share of its internal numbers a column has given out, such as tanks.no. At 1, no row can be inserted any more.',
      labelNames: ['sequence'],
      registers,
    }),
    partitionEnd: new Gauge({
      name: 'tankwatch_telemetry_partition_end_timestamp_seconds',
      help: 'When the partitions for new readings end, as a Unix time. The worker creates those of the next seven days.',
      registers,
    }),
  };
}
