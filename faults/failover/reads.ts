import { setTimeout as sleep } from 'node:timers/promises';
import type { PatroniCluster } from '../../engines/patroni.ts';
import type { Pipeline } from '../../engines/pipeline.ts';
import { freePort } from '../../engines/postgres.ts';
import { transaction } from '../../src/db/pool.ts';
import { issueKey } from '../../src/keys/issue_key.ts';

export interface Reads {
  requests: number;
  failedOnce: number;
  failedTwice: number;
  stop(): Promise<void>;
}

/** Reads from an api that knows all three servers. A request that fails is sent once more, as any client would. */
export async function startReads(pipeline: Pipeline, cluster: PatroniCluster): Promise<Reads> {
  const port = await freePort();
  const replicaUrls = cluster.nodes.map((node) => withPort(pipeline.urls.api, node.port));
  const api = pipeline.role('api', {
    DATABASE_URL: pipeline.urls.api,
    DATABASE_REPLICA_URLS: replicaUrls.join(','),
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
  });
  await api.start();
  const key = await transaction(pipeline.owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from organizations');
    const given = { organizationNo: rows[0]?.no ?? 0, name: 'reads', requestsPerSecond: 10_000, burst: 10_000 };
    return issueKey(tx, { ...given, scopes: ['read'] });
  });
  const { rows: tanks } = await pipeline.owner.query<{ id: string }>('select id from tanks order by no limit 10');
  const paths = ['/v1/tanks', '/v1/customers', ...tanks.map(({ id }) => `/v1/tanks/${id}/telemetry`)];
  const get = async (path: string): Promise<boolean> => {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'x-api-key': key.text },
        signal: AbortSignal.timeout(10_000),
      });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  };
  const stopping = new AbortController();
  const reads = { requests: 0, failedOnce: 0, failedTwice: 0 };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const path = paths[reads.requests++ % paths.length] ?? '/';
      if (!(await get(path))) {
        reads.failedOnce++;
        await sleep(100);
        if (!(await get(path))) reads.failedTwice++;
      }
      await sleep(50);
    }
  };
  const running = Promise.all([run(), run(), run(), run()]);
  return Object.assign(reads, {
    async stop() {
      stopping.abort();
      await running;
      await api.stop();
    },
  });
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
