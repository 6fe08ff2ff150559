import type { Registry } from 'prom-client';
import { declare, sharedMetrics } from '../health/shared_metrics.ts';

export type WorkerMetrics = ReturnType<typeof workerMetrics>;

export function workerMetrics(registry: Registry) {
  const { gauge, counter, histogram, countedBy } = declare(registry);
  const { watchPool } = sharedMetrics(registry);
  return {
    watchPool,
    deliveries: countedBy(
      'tankwatch_worker_deliveries_total',
      'Attempts to deliver a webhook by outcome: delivered, retrying, failed, canceled, disabled, or error if the outcome could not be recorded.',
      'outcome',
      ['delivered', 'retrying', 'failed', 'canceled', 'disabled', 'error'],
    ),
    deliverySeconds: histogram(
      'tankwatch_worker_delivery_seconds',
      'Duration of an attempt to deliver a webhook.',
      [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    ),
    mails: countedBy(
      'tankwatch_worker_mails_total',
      'Mail jobs by outcome: sent, skipped if no longer necessary, rejected by the mail server for good, or failed and retried.',
      'outcome',
      ['sent', 'skipped', 'rejected', 'failed'],
    ),
    pushes: countedBy(
      'tankwatch_worker_pushes_total',
      'Notifications to browsers by outcome: sent, skipped if no longer necessary, rejected for good, or failed and retried.',
      'outcome',
      ['sent', 'skipped', 'rejected', 'failed'],
    ),
    texts: countedBy(
      'tankwatch_worker_texts_total',
      'Text messages by outcome: sent, skipped if no longer necessary, rejected for good, or failed and retried.',
      'outcome',
      ['sent', 'skipped', 'rejected', 'failed'],
    ),
    jobs: counter('tankwatch_worker_jobs_total', 'Runs of jobs by task and outcome: success or error.', [
      'task',
      'outcome',
    ]),
    oldestDeliverySeconds: gauge(
      'tankwatch_worker_oldest_delivery_seconds',
      'Waiting time of the oldest due webhook of an endpoint that works; 0 if none waits.',
    ),
    failingEndpoints: gauge(
      'tankwatch_worker_failing_endpoints',
      'Enabled webhook endpoints whose last delivery failed.',
    ),
    failingEndpointSeconds: gauge(
      'tankwatch_worker_failing_endpoint_seconds',
      'Time since deliveries began to fail, for the enabled webhook endpoint that has failed longest; 0 if none fails.',
    ),
    oldestMailSeconds: gauge(
      'tankwatch_worker_oldest_mail_seconds',
      'Waiting time of the oldest mail that should have been sent, including failed attempts; 0 if none waits.',
    ),
    oldestJobSeconds: gauge(
      'tankwatch_worker_oldest_job_seconds',
      'Waiting time of the oldest due job other than a mail, by queue: notifications or maintenance; 0 if none waits. A running job does not wait.',
      ['queue'],
    ),
    givenUpJobs: gauge('tankwatch_worker_given_up_jobs', 'Jobs that failed at every attempt and are not retried.'),
    heldSeconds: gauge(
      'tankwatch_worker_notifications_held_seconds',
      'Time since tankwatch notifications hold; 0 if notifications are not held.',
    ),
    checkedTanks: gauge(
      'tankwatch_worker_checked_tanks',
      'Tanks whose readings were counted again in this round of the continuous check.',
    ),
    wrongCounters: gauge(
      'tankwatch_worker_wrong_counters',
      'Wrong counters that the continuous check found in this round and in the one before. tankwatch doctor shows an example.',
    ),
    checkRoundEnd: gauge(
      'tankwatch_worker_check_round_end_timestamp_seconds',
      'End of the last complete round of the continuous check, as a Unix time; 0 before the first one.',
    ),
    transactionIdsUsed: gauge(
      'tankwatch_postgres_transaction_ids_used_ratio',
      'Share of the transaction ids that were assigned since the oldest row was frozen. At 1, PostgreSQL accepts no more changes.',
    ),
    oldestSnapshotSeconds: gauge(
      'tankwatch_postgres_oldest_snapshot_seconds',
      'Time for which this worker has seen the same transaction or snapshot as the oldest of the server; 0 if none holds back vacuum. Younger dead rows cannot be removed.',
    ),
    oldestSnapshotTransactions: gauge(
      'tankwatch_postgres_oldest_snapshot_transactions',
      'Transaction ids that were assigned since the oldest snapshot of the server.',
    ),
    deadRows: gauge(
      'tankwatch_postgres_dead_rows',
      'Dead rows of a table that is used as a queue. Each read of the queue has to skip them.',
      ['table'],
    ),
    connectionsUsed: gauge(
      'tankwatch_postgres_connections_used_ratio',
      'Share of max_connections, without those reserved for superusers, that is open. At 1, PostgreSQL refuses connections.',
    ),
    troubledDevices: gauge(
      'tankwatch_devices_in_trouble',
      'Devices that are silent, that report that they cannot measure (fault), or whose battery is low, counted up to 100,000 each. A device can have several troubles.',
      ['trouble'],
    ),
    packingBacklog: gauge(
      'tankwatch_packing_backlog_months',
      'Months of tanks that are no longer hot and not packed, counted up to 10,000.',
    ),
    archiveLagSeconds: gauge(
      'tankwatch_postgres_archive_lag_seconds',
      'Waiting time of the oldest complete segment of the write-ahead log for the archive; 0 if none waits. Missing without archive_mode.',
    ),
    slotWalBytes: gauge(
      'tankwatch_postgres_slot_wal_bytes',
      'Size of the write-ahead log that a replication slot holds on the disk of the primary.',
      ['slot'],
    ),
    diskFree: gauge(
      'tankwatch_disk_free_ratio',
      'Free share of a disk of this machine, by the setting that names a folder on it: PGDATA, NATS_DATA, REMOVALS_FILE or RETENTION_ARCHIVE_FOLDER.',
      ['folder'],
    ),
    backupEnd: gauge(
      'tankwatch_backup_end_timestamp_seconds',
      'When the newest backup was made, as a Unix time, as recorded by tankwatch backup. Missing before the first one.',
    ),
    drillTime: gauge(
      'tankwatch_restore_drill_timestamp_seconds',
      'Start of the last successful restore drill or restore try, as a Unix time. Missing before the first one.',
    ),
    sequenceUsed: gauge(
      'tankwatch_sequence_used_ratio',
      'Used share of the internal numbers of a column, such as tanks.no. At 1, no row can be inserted.',
      ['sequence'],
    ),
    partitionEnd: gauge(
      'tankwatch_telemetry_partition_end_timestamp_seconds',
      'End of the partitions for new readings, as a Unix time. The worker creates those of the next seven days.',
    ),
  };
}
