import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export function writerMetrics(registry: Registry) {
  const registers = [registry];
  return {
    readings: new Counter({
      name: 'tankwatch_writer_readings_total',
      help: 'Readings by outcome: stored, duplicate or rejected.',
      labelNames: ['outcome'],
      registers,
    }),
    rejected: new Counter({
      name: 'tankwatch_writer_rejected_total',
      help: 'Readings that were not stored, by reason.',
      labelNames: ['code'],
      registers,
    }),
    batchReadings: new Histogram({
      name: 'tankwatch_writer_batch_readings',
      help: 'Readings in one transaction.',
      buckets: [1, 10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'tankwatch_writer_commit_seconds',
      help: 'Duration of a transaction, from its first statement to its commit.',
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    }),
    failures: new Counter({
      name: 'tankwatch_writer_failures_total',
      help: 'Transactions that failed and were retried.',
      registers,
    }),
    returnedMessages: new Counter({
      name: 'tankwatch_writer_returned_messages_total',
      help: 'Stream messages that were returned to the stream because a batch took too long.',
      registers,
    }),
    evaluationFailures: new Counter({
      name: 'tankwatch_evaluation_failures_total',
      help: 'Tanks whose evaluation began to fail, by reason: error, or newer_state if a newer release wrote the tank state. Their readings are stored.',
      labelNames: ['reason'],
      registers,
    }),
    failingTanks: new Gauge({
      name: 'tankwatch_evaluation_failing_tanks',
      help: 'Tanks that cannot be evaluated at present. tankwatch doctor names the reasons.',
      registers,
    }),
    reevaluatedTanks: new Counter({
      name: 'tankwatch_reevaluated_tanks_total',
      help: 'Re-evaluations of tanks after late readings, changed settings or an upgrade.',
      registers,
    }),
    evaluatedTimers: new Counter({
      name: 'tankwatch_evaluated_timers_total',
      help: 'Tanks that were looked at because their timer had expired.',
      registers,
    }),
    waitingMessages: new Gauge({
      name: 'tankwatch_stream_waiting_messages',
      help: 'Stream messages that no writer has committed yet: the lag of all writers.',
      registers,
    }),
    lagSeconds: new Gauge({
      name: 'tankwatch_stream_lag_seconds',
      help: 'Age of the oldest stream message that is not committed; 0 if there is none.',
      registers,
    }),
    streamBytes: new Gauge({ name: 'tankwatch_stream_bytes', help: 'Size of the stream.', registers }),
    streamMaxBytes: new Gauge({ name: 'tankwatch_stream_max_bytes', help: 'Maximum size of the stream.', registers }),
  };
}

export type WriterMetrics = ReturnType<typeof writerMetrics>;
