import type { Registry } from 'prom-client';
import { declare, sharedMetrics } from '../health/shared_metrics.ts';
import { requestMetrics } from '../http/request_metrics.ts';

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

export function gatewayMetrics(registry: Registry) {
  const { gauge, counter, histogram, countedBy } = declare(registry);
  const { watchPool, streamBytes, streamMaxBytes } = sharedMetrics(registry);
  return {
    watchPool,
    streamBytes,
    streamMaxBytes,
    requests: requestMetrics(registry, 'gateway'),
    streamReplicas: gauge('tankwatch_gateway_stream_replicas', 'Number of nats-servers that should have the stream.'),
    streamCurrentReplicas: gauge(
      'tankwatch_gateway_stream_current_replicas',
      'Number of nats-servers that have the whole stream now; 0 if this gateway cannot read it.',
    ),
    connections: gauge('tankwatch_gateway_connections', 'Devices connected over MQTT.'),
    refusedConnections: counter(
      'tankwatch_gateway_refused_connections_total',
      'Connections that were refused: wrong password, no CONNECT in time, or not MQTT.',
    ),
    acknowledged: countedBy(
      'tankwatch_gateway_readings_total',
      'Readings that were acknowledged to their sender.',
      'source',
      ['mqtt', 'http'],
    ),
    payloads: countedBy(
      'tankwatch_gateway_payloads_total',
      'Payloads of authenticated senders that were acknowledged or refused.',
      'source',
      ['mqtt', 'http'],
    ),
    refused: countedBy(
      'tankwatch_gateway_refused_total',
      'Payloads that were not acknowledged: stream full or unreachable, or a protocol violation.',
      'source',
      ['mqtt', 'http'],
    ),
    quotaExceeded: counter(
      'tankwatch_gateway_quota_exceeded_total',
      'Payloads that were delayed or refused because a device or an organization sent too many readings.',
      ['source', 'limit'],
    ),
    rejectedNotStored: countedBy(
      'tankwatch_gateway_rejected_not_stored_total',
      'Rejected readings that were not stored because their sender had used up GATEWAY_REJECTED_MIB_PER_DAY.',
      'source',
      ['mqtt', 'http'],
    ),
    certificateEnd: gauge(
      'tankwatch_gateway_certificate_end_timestamp_seconds',
      'When the certificate of the MQTT port ends, as a Unix time. Only with TLS.',
    ),
    publishSeconds: histogram(
      'tankwatch_gateway_publish_seconds',
      'Time from publishing a message to the stream until its acknowledgement.',
      [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
    ),
  };
}
