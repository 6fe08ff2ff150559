import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { sharedMetrics, startAtZero } from '../health/shared_metrics.ts';
import { REJECTION_CODES } from '../telemetry/reading.ts';

export function writerMetrics(registry: Registry) {
  const registers = [registry];
  const { watchPool, streamBytes, streamMaxBytes } = sharedMetrics(registry);
  return {
    watchPool,
    streamBytes,
    streamMaxBytes,
    readings: startAtZero(
      new Counter({
        name: 'tankwatch_writer_readings_total',
        help: 'Readings by outcome: stored, duplicate or rejected.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['stored', 'duplicate', 'rejected'],
    ),
    rejected: startAtZero(
      new Counter({
        name: 'tankwatch_writer_rejected_total',
        help: 'Readings that were not stored, by reason.',
        labelNames: ['code'],
        registers,
      }),
      'code',
      REJECTION_CODES,
    ),
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
    evaluationFailures: startAtZero(
      new Counter({
        name: 'tankwatch_evaluation_failures_total',
        help: 'Tanks whose evaluation began to fail, by reason: error, or newer_state if a newer release wrote the tank state. Their readings are stored.',
        labelNames: ['reason'],
        registers,
      }),
      'reason',
      ['error', 'newer_state'],
    ),
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
    recomputedTanks: new Counter({
      name: 'tankwatch_recomputed_tanks_total',
      help: 'Tanks whose levels were computed again after a change of their gauge.',
      registers,
    }),
    backlogTanks: new Gauge({
      name: 'tankwatch_reevaluation_backlog_tanks',
      help: 'Tanks that wait for their re-evaluation, counted up to 10,000.',
      registers,
    }),
    backlogSeconds: new Gauge({
      name: 'tankwatch_reevaluation_oldest_seconds',
      help: 'How long the tank that waits longest for its re-evaluation has been due; 0 if none waits.',
      registers,
    }),
    timerLagSeconds: new Gauge({
      name: 'tankwatch_timer_lag_seconds',
      help: 'How long the oldest timer of a tank has expired without being evaluated; 0 if there is none.',
      registers,
    }),
    evaluatedTimers: new Counter({
      name: 'tankwatch_evaluated_timers_total',
      help: 'Tanks that were evaluated because their timer had expired.',
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
    streamKeepsSeconds: new Gauge({
      name: 'tankwatch_stream_keeps_seconds',
      help: 'For how long the stream keeps committed messages at the rate of the last 24 hours.',
      registers,
    }),
    streamSecondsUntilFull: new Gauge({
      name: 'tankwatch_stream_seconds_until_full',
      help: 'When the stream is full at the rate of the last 24 hours if no writer runs from now on.',
      registers,
    }),
  };
}

export type WriterMetrics = ReturnType<typeof writerMetrics>;
