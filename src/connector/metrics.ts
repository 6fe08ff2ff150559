import type { Registry } from 'prom-client';
import { declare, sharedMetrics } from '../health/shared_metrics.ts';

export type ConnectorMetrics = ReturnType<typeof connectorMetrics>;

export function connectorMetrics(registry: Registry) {
  const { gauge, counter, countedBy } = declare(registry);
  const { watchPool } = sharedMetrics(registry);
  return {
    watchPool,
    running: gauge('tankwatch_connector_running', 'Sources that this process asks, or is connected to, now.'),
    readings: counter(
      'tankwatch_connector_readings_total',
      'Readings of sources that the stream has stored, including those that were read again.',
    ),
    attempts: countedBy(
      'tankwatch_connector_attempts_total',
      'Attempts to read a source, by outcome: worked, refused, limited, failed, or changed if no answer could be read.',
      'outcome',
      ['worked', 'refused', 'limited', 'failed', 'changed'],
    ),
    down: counter(
      'tankwatch_connector_down_total',
      'Sources that became down: 15 minutes of failures, or a refused key.',
    ),
    rejectedNotStored: counter(
      'tankwatch_connector_rejected_not_stored_total',
      'Rejected readings that were not stored because the connectors of their organization had used up GATEWAY_REJECTED_MIB_PER_DAY.',
    ),
  };
}
