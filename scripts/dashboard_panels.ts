import type { Panel } from './dashboards.ts';

const WINDOW = '[5m]';
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}${WINDOW}))`;
const quantile = (q: number, histogram: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${histogram}_bucket${WINDOW})))`;

/** Panels of every role: whether it runs, what it uses, and how long it waits for the database. */
const processPanels = (role: string, pools: string): Panel[] => [
  {
    title: 'Ready',
    unit: 'short',
    queries: { '{{instance}}': `tankwatch_ready{role="${role}"}` },
  },
  {
    title: 'Database connections in use, and statements that wait for one',
    unit: 'short',
    queries: {
      'in use: {{pool}} {{instance}}': `tankwatch_pool_connections{pool=~"${pools}",state="in_use"}`,
      'waiting: {{pool}} {{instance}}': `tankwatch_pool_waiting{pool=~"${pools}"}`,
    },
  },
  {
    title: 'CPU cores in use',
    unit: 'short',
    queries: {
      '{{instance}}': `rate(process_cpu_seconds_total${WINDOW}) and on (instance) tankwatch_ready{role="${role}"}`,
    },
  },
  {
    title: 'Memory',
    unit: 'bytes',
    queries: { '{{instance}}': `process_resident_memory_bytes and on (instance) tankwatch_ready{role="${role}"}` },
  },
  {
    title: 'Longest delay of the event loop',
    unit: 's',
    queries: { '{{instance}}': `tankwatch_event_loop_delay_seconds{role="${role}"}` },
  },
];

const requestPanels = (role: string): Panel[] => [
  {
    title: 'Requests by status',
    unit: 'reqps',
    queries: { '{{status}}': rate(`tankwatch_${role}_requests_total`, 'status') },
  },
  {
    title: 'Requests by route',
    unit: 'reqps',
    queries: { '{{route}}': rate(`tankwatch_${role}_requests_total`, 'route') },
  },
  {
    title: 'Duration of requests',
    unit: 's',
    queries: {
      '50 %': quantile(0.5, `tankwatch_${role}_request_seconds`),
      '99 %': quantile(0.99, `tankwatch_${role}_request_seconds`),
    },
  },
];

export const PANELS: Readonly<Record<string, readonly Panel[]>> = {
  api: [
    ...requestPanels('api'),
    {
      title: 'Duration of requests by route (99 %)',
      unit: 's',
      queries: { '{{route}}': quantile(0.99, 'tankwatch_api_request_seconds', 'route') },
    },
    {
      title: 'Share of failed requests',
      unit: 'percentunit',
      queries: {
        'status 500 and above': `sum(rate(tankwatch_api_requests_total{status=~"5.."}${WINDOW})) / sum(rate(tankwatch_api_requests_total${WINDOW}))`,
      },
    },
    {
      title: 'Lag of replicas',
      unit: 's',
      queries: { 'replica {{replica}} {{instance}}': 'tankwatch_api_replica_lag_seconds' },
    },
    {
      title: 'Replicas in use, and repeated reads',
      unit: 'short',
      queries: {
        'replica {{replica}} {{instance}}': 'tankwatch_api_replica_used',
        'repeated reads a second': `sum(rate(tankwatch_api_retried_reads_total${WINDOW}))`,
      },
    },
    {
      title: 'Reads by server',
      unit: 'ops',
      queries: { '{{source}}': rate('tankwatch_api_reads_total', 'source') },
    },
    ...processPanels('api', 'api.*'),
  ],
  connector: [
    {
      title: 'Rounds of asking sources',
      unit: 'ops',
      queries: {
        '{{outcome}}': rate('tankwatch_connector_attempts_total', 'outcome'),
        'became down': `sum(rate(tankwatch_connector_down_total${WINDOW}))`,
      },
    },
    {
      title: 'Readings of sources',
      unit: 'ops',
      queries: {
        stored: `sum(rate(tankwatch_connector_readings_total${WINDOW}))`,
        'rejected and not stored': `sum(rate(tankwatch_connector_rejected_not_stored_total${WINDOW}))`,
      },
    },
    { title: 'Sources in work', unit: 'short', queries: { '{{instance}}': 'tankwatch_connector_running' } },
    ...processPanels('connector', 'connector'),
  ],
  gateway: [
    {
      title: 'Replicas of the stream',
      unit: 'short',
      queries: {
        current: 'max(tankwatch_gateway_stream_current_replicas)',
        wanted: 'max(tankwatch_gateway_stream_replicas)',
      },
    },
    { title: 'Devices connected', unit: 'short', queries: { '{{instance}}': 'tankwatch_gateway_connections' } },
    {
      title: 'Acknowledged readings',
      unit: 'ops',
      queries: { '{{source}}': rate('tankwatch_gateway_readings_total', 'source') },
    },
    {
      title: 'Refused payloads and connections',
      unit: 'ops',
      queries: {
        'payloads: {{source}}': rate('tankwatch_gateway_refused_total', 'source'),
        'all payloads: {{source}}': rate('tankwatch_gateway_payloads_total', 'source'),
        connections: `sum(rate(tankwatch_gateway_refused_connections_total${WINDOW}))`,
        'rejected and not stored': `sum(rate(tankwatch_gateway_rejected_not_stored_total${WINDOW}))`,
        'over quota: {{source}} {{limit}}': rate('tankwatch_gateway_quota_exceeded_total', 'source, limit'),
      },
    },
    {
      title: 'Time until the stream has a message on disk',
      unit: 's',
      queries: {
        '50 %': quantile(0.5, 'tankwatch_gateway_publish_seconds'),
        '99 %': quantile(0.99, 'tankwatch_gateway_publish_seconds'),
      },
    },
    {
      title: 'Size of the stream',
      unit: 'bytes',
      queries: { size: 'max(tankwatch_stream_bytes)', maximum: 'max(tankwatch_stream_max_bytes)' },
    },
    {
      title: 'Time until the MQTT certificate ends',
      unit: 's',
      queries: { '{{instance}}': 'tankwatch_gateway_certificate_end_timestamp_seconds - time()' },
    },
    ...requestPanels('gateway'),
    ...processPanels('gateway', 'gateway'),
  ],
  writer: [
    {
      title: 'Readings by outcome',
      unit: 'ops',
      queries: { '{{outcome}}': rate('tankwatch_writer_readings_total', 'outcome') },
    },
    {
      title: 'Rejected readings by code',
      unit: 'ops',
      queries: { '{{code}}': rate('tankwatch_writer_rejected_total', 'code') },
    },
    {
      title: 'Age of the oldest reading that is not stored',
      unit: 's',
      queries: { lag: 'max(tankwatch_stream_lag_seconds)' },
    },
    {
      title: 'Stream messages that are not stored',
      unit: 'short',
      queries: { messages: 'max(tankwatch_stream_waiting_messages)' },
    },
    {
      title: 'How long the stream keeps readings, and when it is full without writers',
      unit: 's',
      queries: {
        keeps: 'min(tankwatch_stream_keeps_seconds)',
        'until full': 'min(tankwatch_stream_seconds_until_full)',
      },
    },
    {
      title: 'Duration of a transaction',
      unit: 's',
      queries: {
        '50 %': quantile(0.5, 'tankwatch_writer_commit_seconds'),
        '99 %': quantile(0.99, 'tankwatch_writer_commit_seconds'),
      },
    },
    {
      title: 'Readings per transaction (median)',
      unit: 'short',
      queries: { readings: quantile(0.5, 'tankwatch_writer_batch_readings') },
    },
    {
      title: 'Failed transactions and returned messages',
      unit: 'ops',
      queries: {
        failures: `sum(rate(tankwatch_writer_failures_total${WINDOW}))`,
        returned: `sum(rate(tankwatch_writer_returned_messages_total${WINDOW}))`,
      },
    },
    {
      title: 'Tanks that wait for re-evaluation, or cannot be evaluated',
      unit: 'short',
      queries: {
        waiting: 'max(tankwatch_reevaluation_backlog_tanks)',
        failing: 'max(tankwatch_evaluation_failing_tanks)',
      },
    },
    {
      title: 'Delay of evaluation',
      unit: 's',
      queries: {
        're-evaluation': 'max(tankwatch_reevaluation_oldest_seconds)',
        timers: 'max(tankwatch_timer_lag_seconds)',
      },
    },
    {
      title: 'Evaluated tanks',
      unit: 'ops',
      queries: {
        're-evaluated': `sum(rate(tankwatch_reevaluated_tanks_total${WINDOW}))`,
        'levels computed again': `sum(rate(tankwatch_recomputed_tanks_total${WINDOW}))`,
        timers: `sum(rate(tankwatch_evaluated_timers_total${WINDOW}))`,
        'began to fail: {{reason}}': rate('tankwatch_evaluation_failures_total', 'reason'),
      },
    },
    ...processPanels('writer', 'writer.*'),
  ],
  worker: [
    {
      title: 'Write-ahead log that slots hold',
      unit: 'bytes',
      queries: { '{{slot}}': 'max by (slot) (tankwatch_postgres_slot_wal_bytes)' },
    },
    {
      title: 'Age of the archive, the newest backup and the last good restore drill',
      unit: 's',
      queries: {
        'oldest segment that is not archived': 'max(tankwatch_postgres_archive_lag_seconds)',
        backup: 'time() - max(tankwatch_backup_end_timestamp_seconds)',
        'restore drill': 'time() - max(tankwatch_restore_drill_timestamp_seconds)',
      },
    },
    {
      title: 'Free disks, and used transaction ids',
      unit: 'percentunit',
      queries: {
        'free: {{folder}} {{instance}}': 'tankwatch_disk_free_ratio',
        'transaction ids': 'max(tankwatch_postgres_transaction_ids_used_ratio)',
      },
    },
    {
      title: 'Webhooks by outcome',
      unit: 'ops',
      queries: { '{{outcome}}': rate('tankwatch_worker_deliveries_total', 'outcome') },
    },
    {
      title: 'Duration of a webhook',
      unit: 's',
      queries: {
        '50 %': quantile(0.5, 'tankwatch_worker_delivery_seconds'),
        '99 %': quantile(0.99, 'tankwatch_worker_delivery_seconds'),
      },
    },
    {
      title: 'Mails and text messages by outcome',
      unit: 'ops',
      queries: {
        'mails, {{outcome}}': rate('tankwatch_worker_mails_total', 'outcome'),
        'texts, {{outcome}}': rate('tankwatch_worker_texts_total', 'outcome'),
        'notifications in browsers, {{outcome}}': rate('tankwatch_worker_pushes_total', 'outcome'),
      },
    },
    {
      title: 'Oldest webhook, mail and other job',
      unit: 's',
      queries: {
        webhook: 'max(tankwatch_worker_oldest_delivery_seconds)',
        mail: 'max(tankwatch_worker_oldest_mail_seconds)',
        'job of {{queue}}': 'max by (queue) (tankwatch_worker_oldest_job_seconds)',
        'held on purpose': 'max(tankwatch_worker_notifications_held_seconds)',
      },
    },
    {
      title: 'Failing endpoints, and jobs that were given up',
      unit: 'short',
      queries: {
        endpoints: 'max(tankwatch_worker_failing_endpoints)',
        'jobs given up': 'max(tankwatch_worker_given_up_jobs)',
      },
    },
    {
      title: 'Dead rows of queues',
      unit: 'short',
      queries: { '{{table}}': 'max by (table) (tankwatch_postgres_dead_rows)' },
    },
    {
      title: 'How long the oldest snapshot has been open',
      unit: 's',
      queries: { oldest: 'max(tankwatch_postgres_oldest_snapshot_seconds)' },
    },
    {
      title: 'Transactions since the oldest snapshot, and months that are not packed',
      unit: 'short',
      queries: {
        transactions: 'max(tankwatch_postgres_oldest_snapshot_transactions)',
        months: 'max(tankwatch_packing_backlog_months)',
      },
    },
    {
      title: 'Devices in trouble',
      unit: 'short',
      queries: { '{{trouble}}': 'max by (trouble) (tankwatch_devices_in_trouble)' },
    },
    {
      title: 'Connections to PostgreSQL that are used',
      unit: 'percentunit',
      queries: { used: 'max(tankwatch_postgres_connections_used_ratio)' },
    },
    {
      title: 'For how long an endpoint has been failing',
      unit: 's',
      queries: { oldest: 'max(tankwatch_worker_failing_endpoint_seconds)' },
    },
    {
      title: 'Jobs',
      unit: 'ops',
      queries: { '{{task}} {{outcome}}': rate('tankwatch_worker_jobs_total', 'task, outcome') },
    },
    {
      title: 'Wrong counters that the continuous check found',
      unit: 'short',
      queries: { counters: 'max(tankwatch_worker_wrong_counters)' },
    },
    {
      title: 'Tanks checked in this round',
      unit: 'short',
      queries: { tanks: 'max(tankwatch_worker_checked_tanks)' },
    },
    {
      title: 'Time since the last complete round of the check',
      unit: 's',
      queries: { round: 'time() - max(tankwatch_worker_check_round_end_timestamp_seconds > 0)' },
    },
    {
      title: 'Time until the partitions for new readings end',
      unit: 's',
      queries: { partitions: 'min(tankwatch_telemetry_partition_end_timestamp_seconds) - time()' },
    },
    {
      title: 'Used internal numbers',
      unit: 'percentunit',
      queries: { '{{sequence}}': 'topk(3, max by (sequence) (tankwatch_sequence_used_ratio))' },
    },
    ...processPanels('worker', 'worker.*'),
  ],
};
