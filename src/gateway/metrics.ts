import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { sharedMetrics, startAtZero } from '../health/shared_metrics.ts';
import { requestMetrics } from '../http/request_metrics.ts';

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

export function gatewayMetrics(registry: Registry) {
  const registers = [registry];
  const { watchPool, streamBytes, streamMaxBytes } = sharedMetrics(registry);
  return {
    watchPool,
    streamBytes,
    streamMaxBytes,
    requests: requestMetrics(registry, 'gateway'),
    streamReplicas: new Gauge({
      name: 'tankwatch_gateway_stream_replicas',
      help: 'Number of nats-servers that should have the stream.',
      registers,
    }),
    streamCurrentReplicas: new Gauge({
      name: 'tankwatch_gateway_stream_current_replicas',
      help: 'Number of nats-servers that have the whole stream now; 0 if this gateway cannot ask.',
      registers,
    }),
    connections: new Gauge({ name: 'tankwatch_gateway_connections', help: 'Devices connected over MQTT.', registers }),
    refusedConnections: new Counter({
      name: 'tankwatch_gateway_refused_connections_total',
      help: 'Connections that were refused: wrong password, no CONNECT in time, or not MQTT.',
      registers,
    }),
    acknowledged: startAtZero(
      new Counter({
        name: 'tankwatch_gateway_readings_total',
        help: 'Readings that were acknowledged to their sender.',
        labelNames: ['source'],
        registers,
      }),
      'source',
      ['mqtt', 'http'],
    ),
    payloads: startAtZero(
      new Counter({
        name: 'tankwatch_gateway_payloads_total',
        help: 'Payloads of authenticated senders that were acknowledged or refused.',
        labelNames: ['source'],
        registers,
      }),
      'source',
      ['mqtt', 'http'],
    ),
    refused: startAtZero(
      new Counter({
        name: 'tankwatch_gateway_refused_total',
        help: 'Payloads that were not acknowledged: stream full or unreachable, or a protocol violation.',
        labelNames: ['source'],
        registers,
      }),
      'source',
      ['mqtt', 'http'],
    ),
    quotaExceeded: new Counter({
      name: 'tankwatch_gateway_quota_exceeded_total',
      help: 'Payloads that were delayed or refused because a device or an organization sent too many readings.',
      labelNames: ['source', 'limit'],
      registers,
    }),
    rejectedNotStored: startAtZero(
      new Counter({
        name: 'tankwatch_gateway_rejected_not_stored_total',
        help: 'Rejected readings that were not stored because their sender had used up GATEWAY_REJECTED_MIB_PER_DAY.',
        labelNames: ['source'],
        registers,
      }),
      'source',
      ['mqtt', 'http'],
    ),
    certificateEnd: new Gauge({
      name: 'tankwatch_gateway_certificate_end_timestamp_seconds',
      help: 'When the certificate of the MQTT port ends, as a Unix time. Only with TLS.',
      registers,
    }),
    publishSeconds: new Histogram({
      name: 'tankwatch_gateway_publish_seconds',
      help: 'Time from publishing a message to the stream until its acknowledgement.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
  };
}
