import type { Registry } from 'prom-client';
import { sharedMetrics } from '../health/shared_metrics.ts';
import { requestMetrics } from '../http/request_metrics.ts';

export type ApiMetrics = ReturnType<typeof apiMetrics>;

export function apiMetrics(registry: Registry) {
  const { watchPool } = sharedMetrics(registry);
  return { watchPool, requests: requestMetrics(registry, 'api') };
}
