import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { withPort } from '../../engines/logins.ts';
import type { PatroniCluster } from '../../engines/patroni.ts';
import type { Pipeline } from '../../engines/pipeline.ts';
import { freePort } from '../../engines/postgres.ts';
import { transaction } from '../../src/db/pool.ts';
import { issueKey } from '../../src/keys/issue_key.ts';

const FeedPage = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String() })),
  next: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
});

/** The reads of a key go to one server. With so many keys, each server has some. */
const KEYS = 12;

export interface Reads {
  requests: number;
  failedOnce: number;
  failedTwice: number;
  longestMs: number;
  /** The first failures, with the seconds since the start. */
  failures: string[];
  /** The events that a reader of the event feed has seen. */
  eventIds: ReadonlySet<string>;
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
  const keys = await transaction(pipeline.owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from organizations');
    const given = { organizationNo: rows[0]?.no ?? 0, name: 'reads', requestsPerSecond: 10_000, burst: 10_000 };
    const issued: string[] = [];
    for (let n = 0; n < KEYS; n++) issued.push((await issueKey(tx, { ...given, scopes: ['read'] })).text);
    return issued;
  });
  const { rows: tanks } = await pipeline.owner.query<{ id: string }>('select id from tanks order by no limit 10');
  const paths = ['/v1/tanks', '/v1/customers', ...tanks.map(({ id }) => `/v1/tanks/${id}/telemetry`)];
  const stopping = new AbortController();
  const eventIds = new Set<string>();
  const reads: Omit<Reads, 'stop'> = {
    requests: 0,
    failedOnce: 0,
    failedTwice: 0,
    longestMs: 0,
    failures: [],
    eventIds,
  };
  const startedMs = performance.now();
  const fail = (path: string, reason: string): undefined => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    if (reads.failures.length < 50) reads.failures.push(`${seconds} s, ${path}: ${reason}`);
  };
  /** Undefined if the request failed. */
  const get = async (path: string): Promise<string | undefined> => {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'x-api-key': keys[reads.requests % KEYS] ?? '' },
        signal: AbortSignal.timeout(10_000),
      });
      const body = await response.text();
      return response.status === 200 ? body : fail(path, `${response.status} ${body}`);
    } catch (error) {
      return fail(path, String(error));
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const path = paths[reads.requests++ % paths.length] ?? '/';
      const startMs = performance.now();
      const body = await get(path);
      reads.longestMs = Math.max(reads.longestMs, performance.now() - startMs);
      if (body === undefined) {
        reads.failedOnce++;
        await sleep(100);
        if ((await get(path)) === undefined) reads.failedTwice++;
      }
      await sleep(50);
    }
  };
  const follow = async (): Promise<void> => {
    let after = '';
    for (let isLast = false; !isLast; ) {
      isLast = stopping.signal.aborted;
      for (let hasMore = true; hasMore; ) {
        const body = await get(`/fleet/v1/events?size=50${after}`);
        if (body === undefined) break;
        const page = Value.Decode(FeedPage, JSON.parse(body));
        for (const { id } of page.data) eventIds.add(id);
        if (page.next !== null) after = `&after=${page.next}`;
        hasMore = page.has_more;
      }
      await sleep(250);
    }
  };
  const running = Promise.all([run(), run(), run(), run(), follow()]);
  return Object.assign(reads, {
    async stop() {
      stopping.abort();
      await running;
      await api.stop();
    },
  });
}
