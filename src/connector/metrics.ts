import { Counter, Gauge, type Registry } from 'prom-client';
import { sharedMetrics, startAtZero } from '../health/shared_metrics.ts';

export type ConnectorMetrics = ReturnType<typeof connectorMetrics>;

export function connectorMetrics(registry: Registry) {
  const registers = [registry];
  const { watchPool } = sharedMetrics(registry);
  return {
    watchPool,
    running: new Gauge({
      name: 'tankwatch_connector_running',
      help: 'Sources that this process asks, or is connected to, now.',
      registers,
    }),
    readings: new Counter({
      name: 'tankwatch_connector_readings_total',
      help: 'Readings of sources that the stream has stored, also those that were read again.',
      registers,
    }),
    attempts: startAtZero(
      new Counter({
        name: 'tankwatch_connector_attempts_total',
        help: 'Rounds of asking a source, by their outcome: worked, refused, limited, failed, or changed if the answer could not be read.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['worked', 'refused', 'limited', 'failed', 'changed'],
    ),
    down: new Counter({
      name: 'tankwatch_connector_down_total',
      help: 'Sources that became down: 15 minutes of failures, or a refused key.',
      registers,
    }),
    rejectedNotStored: new Counter({
      name: 'tankwatch_connector_rejected_not_stored_total',
      help: 'Rejected readings that were not stored because the connectors of their organization had used up GATEWAY_REJECTED_MIB_PER_DAY.',
      registers,
    }),
  };
}
