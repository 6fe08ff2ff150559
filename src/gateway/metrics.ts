import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

export function gatewayMetrics(registry: Registry) {
  const registers = [registry];
  return {
    connections: new Gauge({ name: 'tankwatch_gateway_connections', help: 'Devices connected over MQTT.', registers }),
    refusedConnections: new Counter({
      name: 'tankwatch_gateway_refused_connections_total',
      help: 'Connections that never became a device: wrong password, no CONNECT in time, not MQTT.',
      registers,
    }),
    taken: new Counter({
      name: 'tankwatch_gateway_readings_total',
      help: 'Readings acknowledged to their sender.',
      labelNames: ['source'],
      registers,
    }),
    refused: new Counter({
      name: 'tankwatch_gateway_refused_total',
      help: 'Messages and requests not acknowledged: stream full or away, or against the rules.',
      labelNames: ['source'],
      registers,
    }),
    publishSeconds: new Histogram({
      name: 'tankwatch_gateway_publish_seconds',
      help: 'From handing a message to the stream to its acknowledgement.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
  };
}
