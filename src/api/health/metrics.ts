import type { Registry } from 'prom-client';
import type { SourceReport } from '../../db/read_sources.ts';
import { declare, sharedMetrics } from '../../health/shared_metrics.ts';
import { requestMetrics } from '../../http/request_metrics.ts';

export function apiMetrics(registry: Registry) {
  const { gauge, counter } = declare(registry);
  const { watchPool } = sharedMetrics(registry);
  const replicaLag = gauge(
    'tankwatch_api_replica_lag_seconds',
    'How far a replica is behind the primary, as this api sees it. The replica is its position in DATABASE_REPLICA_URLS, beginning with 1.',
    ['replica'],
  );
  const replicaUsed = gauge(
    'tankwatch_api_replica_used',
    'Whether a replica serves reads: 1, or 0 if it is left out because it does not answer or is too far behind.',
    ['replica'],
  );
  const reads = counter(
    'tankwatch_api_reads_total',
    'Reads by the server that answered: primary, or the position of the replica.',
    ['source'],
  );
  const retriedReads = counter(
    'tankwatch_api_retried_reads_total',
    'Reads that were repeated on another server, because the first one went away.',
  );
  const sourceReport: SourceReport = {
    onReplica(no, isUsed, lagMs) {
      const replica = String(no);
      replicaUsed.set({ replica }, isUsed ? 1 : 0);
      if (lagMs === undefined) replicaLag.remove({ replica });
      else replicaLag.set({ replica }, lagMs / 1_000);
    },
    onRead: (source) => reads.inc({ source }),
    onRetry: () => retriedReads.inc(),
  };
  return { watchPool, requests: requestMetrics(registry, 'api'), sourceReport };
}
