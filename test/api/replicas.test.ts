import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { test as base, describe, expect, onTestFinished } from 'vitest';
import { type Installation, startInstallation } from '../../engines/installation.ts';
import { withPort } from '../../engines/logins.ts';
import { startReplica } from '../../engines/replica.ts';
import { type RunningApi, serveApi } from '../../src/api/serve.ts';
import { transaction } from '../../src/db/pool.ts';
import { issueKey, revokeKey } from '../../src/keys/issue_key.ts';
import { readApiConfig } from '../../src/settings/api_settings.ts';
import type { PrivatePostgres } from '../../src/setup/servers/postgres.ts';
import { callApi, type Response } from '../support/http.ts';
import { startStopwatch } from '../support/stopwatch.ts';

interface Replicated {
  installation: Installation;
  replicas: readonly [PrivatePostgres, PrivatePostgres];
  /** A key of the organization that the api has not seen. */
  newKey: () => Promise<{ text: string; prefix: string }>;
  startApi: (settings?: Record<string, string>) => Promise<TestApi>;
}

interface TestApi {
  api: RunningApi;
  get: (path: string, key: string) => Promise<Response>;
  /** The value of a series, as a scrape returns it. */
  value: (series: string) => Promise<number | undefined>;
}

const MAX_LAG_MS = 1_500;

const test = base.extend<{ $file: { replicated: Replicated } }>({
  replicated: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
    async ({}, use) => {
      const installation = await startInstallation({ devices: 25 });
      const replicas = [await startReplica(installation.postgres), await startReplica(installation.postgres)] as const;
      await use({
        installation,
        replicas,
        newKey: () => transaction(installation.owner, async (tx) => issueKey(tx, { ...KEY, organizationNo: 1 })),
        startApi: (settings) => startApi(installation, replicas, settings),
      });
      await Promise.all(replicas.map((replica) => replica.stop()));
      await installation.stop();
    },
    { scope: 'file' },
  ],
});

const KEY = { name: 'Reader', scopes: ['read' as const], requestsPerSecond: 10_000, burst: 10_000 };

async function startApi(
  installation: Installation,
  replicas: readonly PrivatePostgres[],
  settings: Record<string, string> = {},
): Promise<TestApi> {
  const urlOf = ({ port }: PrivatePostgres): string => withPort(installation.urls.api, port);
  const config = readApiConfig({
    API_DATABASE_URL: installation.urls.api,
    DATABASE_REPLICA_URLS: replicas.map(urlOf).join(),
    REPLICA_MAX_LAG_MS: String(MAX_LAG_MS),
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    API_DRAIN_MS: '0',
    ...settings,
  });
  const registry = new Registry();
  const api = await serveApi(config, pino({ level: 'silent' }), registry);
  onTestFinished(() => api.close());
  return {
    api,
    get: (path, key) => callApi(api.url, path, { key }),
    async value(series) {
      const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    },
  };
}

const readsOf = async ({ value }: TestApi): Promise<number[]> =>
  Promise.all(
    ['1', '2', 'primary'].map(async (source) => (await value(`tankwatch_api_reads_total{source="${source}"}`)) ?? 0),
  );

// The order matters: the last test kills the primary.
describe('reads on replicas', () => {
  test('reads are spread over the replicas by key, and one replica serves all pages of a list', async ({
    replicated,
  }) => {
    const api = await replicated.startApi();
    const keys = await Promise.all(Array.from({ length: 12 }, () => replicated.newKey()));
    const walked: number[][] = [];
    for (const { text } of keys) {
      const before = await readsOf(api);
      for (let page = 1; page <= 5; page++) {
        const { status, json } = await api.get(`/v1/tanks?page=${page}&size=5`, text);
        expect([status, json.data.length]).toEqual([200, 5]);
      }
      walked.push((await readsOf(api)).map((reads, index) => reads - (before[index] ?? 0)));
    }
    for (const reads of walked)
      expect([
        [5, 0, 0],
        [0, 5, 0],
      ]).toContainEqual(reads.map((n) => (n === 0 ? 0 : 5)));
    expect(new Set(walked.map((reads) => reads.findIndex((n) => n > 0))).size).toBe(2);
  });

  test('a replica that lags is left out until it has caught up, and a revoked key is refused within a second', async ({
    replicated,
  }) => {
    const { installation, replicas, newKey, startApi: start } = replicated;
    const api = await start();
    const keys = await Promise.all(Array.from({ length: 6 }, () => newKey()));
    for (const { text } of keys) expect((await api.get('/v1/tanks', text)).status).toBe(200);
    const [first] = replicas;
    await onServer(installation, first, 'select pg_wal_replay_pause()');
    const name = `renamed ${Date.now()}`;
    await installation.owner.query('update tanks set name = $1 where no = $2', [name, installation.tanks[0]?.no]);
    await expect.poll(() => api.value('tankwatch_api_replica_used{replica="1"}')).toBe(0);
    expect(await api.value('tankwatch_api_replica_lag_seconds{replica="1"}')).toBeGreaterThan(MAX_LAG_MS / 1_000);
    for (const { text } of keys) {
      const { json } = await api.get('/v1/tanks?size=100', text);
      expect(json.data.map((tank: { name: string }) => tank.name)).toContain(name);
    }

    // A revocation also counts while a replica replays nothing, because changes of keys are read on the primary.
    const [revoked] = keys;
    await revokeKey(installation.owner, revoked?.prefix ?? '');
    await expect.poll(async () => (await api.get('/v1/tanks', revoked?.text ?? '')).status, { interval: 50 }).toBe(401);
    await onServer(installation, first, 'select pg_wal_replay_resume()');
    await expect.poll(() => api.value('tankwatch_api_replica_used{replica="1"}')).toBe(1);
    await expect
      .poll(
        async () => (await installation.owner.query('select from api_keys where last_used_at is not null')).rowCount,
      )
      .toBeGreaterThan(0);
  });

  test('no read waits longer than 2.5 s for a replica or a primary that hangs, and the replica is left out', async ({
    replicated,
  }) => {
    const { installation, replicas, newKey } = replicated;
    const api = await replicated.startApi();
    const keys = await Promise.all(Array.from({ length: 8 }, () => newKey()));
    const unseen = await newKey();
    const timesMs: number[] = [];
    const failed: string[] = [];
    const ended = new AbortController();
    const read = async (key: string): Promise<void> => {
      const startMs = performance.now();
      const { status, text: body } = await api.get('/v1/tanks?size=5', key);
      timesMs.push(performance.now() - startMs);
      if (status !== 200) failed.push(`${status} ${body}`);
    };
    const readers = keys.map(async ({ text }) => {
      while (!ended.signal.aborted) await read(text);
    });
    await expect.poll(() => timesMs.length).toBeGreaterThan(100);
    const stopwatch = startStopwatch();
    const resume = await replicas[0].hang();
    await expect.poll(() => api.value('tankwatch_api_replica_used{replica="1"}')).toBe(0);
    const before = timesMs.length;
    // All keys are served again. Without the limit, those of this replica would wait for 12 s.
    await expect.poll(() => timesMs.length).toBeGreaterThan(before + 100);
    resume();
    await expect.poll(() => api.value('tankwatch_api_replica_used{replica="1"}')).toBe(1);
    const resumePrimary = await installation.postgres.hang();
    await read(unseen.text);
    resumePrimary();
    ended.abort();
    await Promise.all(readers);
    expect(failed).toEqual([]);
    // The limit for a server that hangs is 2.5 s. The rest is the time of the read itself.
    expect(Math.max(...timesMs) - stopwatch.read().delayMs).toBeLessThan(3_000);
  });

  test('without any usable replica, the primary serves the reads', async ({ replicated }) => {
    const { installation, newKey } = replicated;
    const url = new URL(installation.urls.api);
    url.port = '1';
    const api = await replicated.startApi({ DATABASE_REPLICA_URLS: url.href });
    const key = await newKey();
    expect((await api.get('/v1/tanks', key.text)).status).toBe(200);
    expect(await readsOf(api)).toEqual([0, 0, expect.any(Number)]);
    expect(await api.api.notReadyReasons()).toEqual([]);
  });

  test('no read fails when a replica dies, nor while the primary is down', async ({ replicated }) => {
    const { installation, replicas, newKey } = replicated;
    const api = await replicated.startApi();
    const keys = await Promise.all(Array.from({ length: 8 }, () => newKey()));
    const unseen = await newKey();
    const failed: string[] = [];
    let reads = 0;
    const ended = new AbortController();
    const readers = keys.map(async ({ text }) => {
      while (!ended.signal.aborted) {
        const { status, text: body } = await api.get('/v1/tanks?size=5', text);
        reads++;
        if (status !== 200) failed.push(`${status} ${body}`);
      }
    });
    const until200MoreReads = (): Promise<void> => {
      const before = reads;
      return expect.poll(() => reads - before).toBeGreaterThan(200);
    };
    await until200MoreReads();
    await replicas[1].kill();
    await until200MoreReads();
    await installation.postgres.kill();
    await until200MoreReads();
    // A key that this process has never seen is looked up on the replica.
    expect((await api.get('/v1/tanks', unseen.text)).status).toBe(200);
    await sleep(6_000); // changes of keys can no longer be read, and known keys are still accepted
    expect(await api.api.notReadyReasons()).toEqual([]);
    await until200MoreReads();
    ended.abort();
    await Promise.all(readers);
    expect(failed).toEqual([]);
    await installation.postgres.restart();
    await replicas[1].restart();
  });
});

async function onServer(installation: Installation, server: PrivatePostgres, statement: string): Promise<void> {
  const { Client } = await import('pg');
  const url = new URL(server.url);
  url.pathname = new URL(installation.urls.api).pathname;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(statement);
  await client.end();
}
