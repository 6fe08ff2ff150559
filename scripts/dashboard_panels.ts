import type { Panel } from './dashboards.ts';

const WINDOW = '[5m]';
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}${WINDOW}))`;
const total = (metric: string): string => `sum(rate(${metric}${WINDOW}))`;
const quantile = (q: number, histogram: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${histogram}_bucket${WINDOW})))`;
const durations = (histogram: string): Panel['queries'] => ({
  '50 %': quantile(0.5, histogram),
  '99 %': quantile(0.99, histogram),
});

const panel = (title: string, unit: Panel['unit'], queries: Panel['queries']): Panel => ({ title, unit, queries });

/** Panels of every role: whether it runs, what it uses, and how long it waits for the database. */
const processPanels = (role: string, pools: string): Panel[] => [
  panel('Ready', 'short', { '{{instance}}': `tankwatch_ready{role="${role}"}` }),
  panel('Database connections in use, and statements that wait for one', 'short', {
    'in use: {{pool}} {{instance}}': `tankwatch_pool_connections{pool=~"${pools}",state="in_use"}`,
    'waiting: {{pool}} {{instance}}': `tankwatch_pool_waiting{pool=~"${pools}"}`,
  }),
  panel('CPU cores in use', 'short', {
    '{{instance}}': `rate(process_cpu_seconds_total${WINDOW}) and on (instance) tankwatch_ready{role="${role}"}`,
  }),
  panel('Memory', 'bytes', {
    '{{instance}}': `process_resident_memory_bytes and on (instance) tankwatch_ready{role="${role}"}`,
  }),
  panel('Longest delay of the event loop', 's', {
    '{{instance}}': `tankwatch_event_loop_delay_seconds{role="${role}"}`,
  }),
];

const requestPanels = (role: string): Panel[] => [
  panel('Requests by status', 'reqps', { '{{status}}': rate(`tankwatch_${role}_requests_total`, 'status') }),
  panel('Requests by route', 'reqps', { '{{route}}': rate(`tankwatch_${role}_requests_total`, 'route') }),
  panel('Duration of requests', 's', durations(`tankwatch_${role}_request_seconds`)),
];

export const PANELS: Readonly<Record<string, readonly Panel[]>> = {
  api: [
    ...requestPanels('api'),
    panel('Duration of requests by route (99 %)', 's', {
      '{{route}}': quantile(0.99, 'tankwatch_api_request_seconds', 'route'),
    }),
    panel('Share of failed requests', 'percentunit', {
      'status 500 and above': `sum(rate(tankwatch_api_requests_total{status=~"5.."}${WINDOW})) / sum(rate(tankwatch_api_requests_total${WINDOW}))`,
    }),
    panel('Lag of replicas', 's', { 'replica {{replica}} {{instance}}': 'tankwatch_api_replica_lag_seconds' }),
    panel('Replicas in use, and repeated reads', 'short', {
      'replica {{replica}} {{instance}}': 'tankwatch_api_replica_used',
      'repeated reads a second': total('tankwatch_api_retried_reads_total'),
    }),
    panel('Reads by server', 'ops', { '{{source}}': rate('tankwatch_api_reads_total', 'source') }),
    ...processPanels('api', 'api.*'),
  ],
  connector: [
    panel('Rounds of asking sources', 'ops', {
      '{{outcome}}': rate('tankwatch_connector_attempts_total', 'outcome'),
      'became down': total('tankwatch_connector_down_total'),
    }),
    panel('Readings of sources', 'ops', {
      stored: total('tankwatch_connector_readings_total'),
      'rejected and not stored': total('tankwatch_connector_rejected_not_stored_total'),
    }),
    panel('Sources in work', 'short', { '{{instance}}': 'tankwatch_connector_running' }),
    ...processPanels('connector', 'connector'),
  ],
  gateway: [
    panel('Replicas of the stream', 'short', {
      current: 'max(tankwatch_gateway_stream_current_replicas)',
      wanted: 'max(tankwatch_gateway_stream_replicas)',
    }),
    panel('Devices connected', 'short', { '{{instance}}': 'tankwatch_gateway_connections' }),
    panel('Acknowledged readings', 'ops', { '{{source}}': rate('tankwatch_gateway_readings_total', 'source') }),
    panel('Refused payloads and connections', 'ops', {
      'payloads: {{source}}': rate('tankwatch_gateway_refused_total', 'source'),
      'all payloads: {{source}}': rate('tankwatch_gateway_payloads_total', 'source'),
      connections: total('tankwatch_gateway_refused_connections_total'),
      'rejected and not stored': total('tankwatch_gateway_rejected_not_stored_total'),
      'over quota: {{source}} {{limit}}': rate('tankwatch_gateway_quota_exceeded_total', 'source, limit'),
    }),
    panel('Time until the stream has a message on disk', 's', durations('tankwatch_gateway_publish_seconds')),
    panel('Size of the stream', 'bytes', {
      size: 'max(tankwatch_stream_bytes)',
      maximum: 'max(tankwatch_stream_max_bytes)',
    }),
    panel('Time until the MQTT certificate ends', 's', {
      '{{instance}}': 'tankwatch_gateway_certificate_end_timestamp_seconds - time()',
    }),
    ...requestPanels('gateway'),
    ...processPanels('gateway', 'gateway'),
  ],
  writer: [
    panel('Readings by outcome', 'ops', { '{{outcome}}': rate('tankwatch_writer_readings_total', 'outcome') }),
    panel('Rejected readings by code', 'ops', { '{{code}}': rate('tankwatch_writer_rejected_total', 'code') }),
    panel('Age of the oldest reading that is not stored', 's', { lag: 'max(tankwatch_stream_lag_seconds)' }),
    panel('Stream messages that are not stored', 'short', { messages: 'max(tankwatch_stream_waiting_messages)' }),
    panel('How long the stream keeps readings, and when it is full without writers', 's', {
      keeps: 'min(tankwatch_stream_keeps_seconds)',
      'until full': 'min(tankwatch_stream_seconds_until_full)',
    }),
    panel('Duration of a transaction', 's', durations('tankwatch_writer_commit_seconds')),
    panel('Readings per transaction (median)', 'short', { readings: quantile(0.5, 'tankwatch_writer_batch_readings') }),
    panel('Failed transactions and returned messages', 'ops', {
      failures: total('tankwatch_writer_failures_total'),
      returned: total('tankwatch_writer_returned_messages_total'),
    }),
    panel('Tanks that wait for re-evaluation, or cannot be evaluated', 'short', {
      waiting: 'max(tankwatch_reevaluation_backlog_tanks)',
      failing: 'max(tankwatch_evaluation_failing_tanks)',
    }),
    panel('Delay of evaluation', 's', {
      're-evaluation': 'max(tankwatch_reevaluation_oldest_seconds)',
      timers: 'max(tankwatch_timer_lag_seconds)',
    }),
    panel('Evaluated tanks', 'ops', {
      're-evaluated': total('tankwatch_reevaluated_tanks_total'),
      'levels computed again': total('tankwatch_recomputed_tanks_total'),
      timers: total('tankwatch_evaluated_timers_total'),
      'began to fail: {{reason}}': rate('tankwatch_evaluation_failures_total', 'reason'),
    }),
    ...processPanels('writer', 'writer.*'),
  ],
  worker: [
    panel('Write-ahead log that slots hold', 'bytes', {
      '{{slot}}': 'max by (slot) (tankwatch_postgres_slot_wal_bytes)',
    }),
    panel('Age of the archive, the newest backup and the last good restore drill', 's', {
      'oldest segment that is not archived': 'max(tankwatch_postgres_archive_lag_seconds)',
      backup: 'time() - max(tankwatch_backup_end_timestamp_seconds)',
      'restore drill': 'time() - max(tankwatch_restore_drill_timestamp_seconds)',
    }),
    panel('Free disks, and used transaction ids', 'percentunit', {
      'free: {{folder}} {{instance}}': 'tankwatch_disk_free_ratio',
      'transaction ids': 'max(tankwatch_postgres_transaction_ids_used_ratio)',
    }),
    panel('Webhooks by outcome', 'ops', { '{{outcome}}': rate('tankwatch_worker_deliveries_total', 'outcome') }),
    panel('Duration of a webhook', 's', durations('tankwatch_worker_delivery_seconds')),
    panel('Mails and text messages by outcome', 'ops', {
      'mails, {{outcome}}': rate('tankwatch_worker_mails_total', 'outcome'),
      'texts, {{outcome}}': rate('tankwatch_worker_texts_total', 'outcome'),
      'notifications in browsers, {{outcome}}': rate('tankwatch_worker_pushes_total', 'outcome'),
    }),
    panel('Oldest webhook, mail and other job', 's', {
      webhook: 'max(tankwatch_worker_oldest_delivery_seconds)',
      mail: 'max(tankwatch_worker_oldest_mail_seconds)',
      'job of {{queue}}': 'max by (queue) (tankwatch_worker_oldest_job_seconds)',
      'held on purpose': 'max(tankwatch_worker_notifications_held_seconds)',
    }),
    panel('Failing endpoints, and jobs that were given up', 'short', {
      endpoints: 'max(tankwatch_worker_failing_endpoints)',
      'jobs given up': 'max(tankwatch_worker_given_up_jobs)',
    }),
    panel('Dead rows of queues', 'short', { '{{table}}': 'max by (table) (tankwatch_postgres_dead_rows)' }),
    panel('How long the oldest snapshot has been open', 's', {
      oldest: 'max(tankwatch_postgres_oldest_snapshot_seconds)',
    }),
    panel('Transactions since the oldest snapshot, and months that are not packed', 'short', {
      transactions: 'max(tankwatch_postgres_oldest_snapshot_transactions)',
      months: 'max(tankwatch_packing_backlog_months)',
    }),
    panel('Devices in trouble', 'short', { '{{trouble}}': 'max by (trouble) (tankwatch_devices_in_trouble)' }),
    panel('Connections to PostgreSQL that are used', 'percentunit', {
      used: 'max(tankwatch_postgres_connections_used_ratio)',
    }),
    panel('For how long an endpoint has been failing', 's', {
      oldest: 'max(tankwatch_worker_failing_endpoint_seconds)',
    }),
    panel('Jobs', 'ops', { '{{task}} {{outcome}}': rate('tankwatch_worker_jobs_total', 'task, outcome') }),
    panel('Wrong counters that the continuous check found', 'short', {
      counters: 'max(tankwatch_worker_wrong_counters)',
    }),
    panel('Tanks checked in this round', 'short', { tanks: 'max(tankwatch_worker_checked_tanks)' }),
    panel('Time since the last complete round of the check', 's', {
      round: 'time() - max(tankwatch_worker_check_round_end_timestamp_seconds > 0)',
    }),
    panel('Time until the partitions for new readings end', 's', {
      partitions: 'min(tankwatch_telemetry_partition_end_timestamp_seconds) - time()',
    }),
    panel('Used internal numbers', 'percentunit', {
      '{{sequence}}': 'topk(3, max by (sequence) (tankwatch_sequence_used_ratio))',
    }),
    ...processPanels('worker', 'worker.*'),
  ],
};
