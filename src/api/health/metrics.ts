import { Counter, Gauge, type Registry } from 'prom-client';
import type { SourceReport } from '../../db/read_sources.ts';
import { sharedMetrics } from '../../health/shared_metrics.ts';
import { requestMetrics } from '../../http/request_metrics.ts';

export function apiMetrics(registry: Registry) {
  const registers = [registry];
  const { watchPool } = sharedMetrics(registry);
  const replicaLag = new Gauge({
    name: 'tankwatch_api_replica_lag_seconds',
    help: 'How far a replica is behind the primary, as this api sees it. The replica is its position in DATABASE_REPLICA_URLS, beginning with 1.',
    labelNames: ['replica'],
    registers,
  });
  const replicaUsed = new Gauge({
    name: 'tankwatch_api_replica_used',
    help: 'Whether a replica serves reads: 1, or 0 if it is left out because it does not answer or is too far behind.',
    labelNames: ['replica'],
    registers,
  });
  const reads = new Counter({
    name: 'tankwatch_api_reads_total',
    help: 'Reads by the server that answered: primary, or the position of the replica.',
    labelNames: ['source'],
    registers,
  });
  const retriedReads = new Counter({
    name: 'tankwatch_api_retried_reads_total',
    help: 'Reads that were repeated on another server, because the first one went away.',
    registers,
  });
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
