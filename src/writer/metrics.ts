import type { Registry } from 'prom-client';
import { declare, sharedMetrics } from '../health/shared_metrics.ts';
import { REJECTION_CODES } from '../telemetry/reading.ts';

export function writerMetrics(registry: Registry) {
  const { gauge, counter, histogram, countedBy } = declare(registry);
  const { watchPool, streamBytes, streamMaxBytes } = sharedMetrics(registry);
  return {
    watchPool,
    streamBytes,
    streamMaxBytes,
    readings: countedBy(
      'tankwatch_writer_readings_total',
      'Readings by outcome: stored, duplicate or rejected.',
      'outcome',
      ['stored', 'duplicate', 'rejected'],
    ),
    rejected: countedBy(
      'tankwatch_writer_rejected_total',
      'Readings that were not stored, by reason.',
      'code',
      REJECTION_CODES,
    ),
    batchReadings: histogram(
      'tankwatch_writer_batch_readings',
      'Readings in one transaction.',
      [1, 10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000],
    ),
    commitSeconds: histogram(
      'tankwatch_writer_commit_seconds',
      'Duration of a transaction, from its first statement to its commit.',
      [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    ),
    failures: counter('tankwatch_writer_failures_total', 'Transactions that failed and were retried.'),
    returnedMessages: counter(
      'tankwatch_writer_returned_messages_total',
      'Stream messages that were returned to the stream because a batch took too long.',
    ),
    evaluationFailures: countedBy(
      'tankwatch_evaluation_failures_total',
      'Failed evaluations of tanks, by reason: error, or newer_state if a newer release wrote the tank state. Retries are not counted. The readings are stored.',
      'reason',
      ['error', 'newer_state'],
    ),
    failingTanks: gauge(
      'tankwatch_evaluation_failing_tanks',
      'Tanks that cannot be evaluated at present. tankwatch doctor names the reasons.',
    ),
    reevaluatedTanks: counter(
      'tankwatch_reevaluated_tanks_total',
      'Re-evaluations of tanks after late readings, changed settings or an upgrade.',
    ),
    recomputedTanks: counter(
      'tankwatch_recomputed_tanks_total',
      'Tanks whose levels were computed again after a change of their gauge.',
    ),
    backlogTanks: gauge(
      'tankwatch_reevaluation_backlog_tanks',
      'Tanks that wait for their re-evaluation, counted up to 10,000.',
    ),
    backlogSeconds: gauge(
      'tankwatch_reevaluation_oldest_seconds',
      'Time since the re-evaluation of a tank became due, for the tank that waits longest; 0 if none waits.',
    ),
    timerLagSeconds: gauge(
      'tankwatch_timer_lag_seconds',
      'Time since the oldest expired timer of a tank was due; 0 if no expired timer waits for its evaluation.',
    ),
    evaluatedTimers: counter('tankwatch_evaluated_timers_total', 'Evaluations of tanks because a timer had expired.'),
    waitingMessages: gauge('tankwatch_stream_waiting_messages', 'Stream messages that no writer has committed yet.'),
    lagSeconds: gauge(
      'tankwatch_stream_lag_seconds',
      'Age of the oldest stream message that is not committed; 0 if there is none.',
    ),
    streamKeepsSeconds: gauge(
      'tankwatch_stream_keeps_seconds',
      'Time for which the stream keeps committed messages, at the rate of the last 24 hours.',
    ),
    streamSecondsUntilFull: gauge(
      'tankwatch_stream_seconds_until_full',
      'Time until the stream is full if no writer runs from now on, at the rate of the last 24 hours.',
    ),
  };
}

export type WriterMetrics = ReturnType<typeof writerMetrics>;
