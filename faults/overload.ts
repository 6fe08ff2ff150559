import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { memoryBytes } from '../bench/process_memory.ts';
import { atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { type Pipeline, startPipeline } from '../engines/pipeline.ts';
import { freePort } from '../engines/postgres.ts';
import { transaction } from '../src/db/pool.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { startProxy } from './abuse/proxies.ts';
import type { FloodOrder, FloodResult } from './overload/flood.ts';

const HONEST_CLIENTS = 10;
const HONEST_REQUESTS_PER_SECOND = 5;
const FLOOD_KEYS = 10;
const CONNECTIONS = 2_000;
const PIPELINING_CONNECTIONS = 50;
const SLOW_CLIENTS = 1_000;
const OVERLOAD_FACTOR = 10;
const MAX_MEMORY_GROWTH_MB = 256;
const MB = 1_048_576;

/** Without a proxy, and behind each proxy that we ship. Without one, every request reaches the one thread of the api. */
const WAYS = [
  { name: 'direct', via: undefined, maxSlowdown: 8, settings: { HTTP_SOCKETS: '64' } },
  { name: 'nginx', via: 'nginx', maxSlowdown: 3, settings: {} },
  { name: 'haproxy', via: 'haproxy', maxSlowdown: 3, settings: {} },
  { name: 'nginx-router', via: 'nginx-router', maxSlowdown: 3, settings: {} },
] as const;
type Way = (typeof WAYS)[number];

/**
 * Ten times as many requests as the api can serve, and 1,000 slow clients, beside honest clients with few requests. The api
 * itself would serve all of them: their keys have no limit.
 */
export async function runOverload({ isQuick, log, only }: BenchOptions & { only?: string }): Promise<Report> {
  const pipeline = await startPipeline({ devices: 200, isGatewayStarted: false });
  const checks: Check[] = [];
  const details: Record<string, unknown> = {};
  try {
    for (const way of WAYS.filter(({ name }) => only === undefined || only.split(',').includes(name))) {
      const result = await overload(pipeline, way, { isQuick, log });
      checks.push(...result.checks.map((check) => ({ ...check, what: `${way.name}: ${check.what}` })));
      details[way.name] = result.detail;
    }
    checks.push(atMost('processes that ended by themselves', pipeline.crashes().length, 0));
  } finally {
    await pipeline.stop();
  }
  return { name: 'overload', checks, details };
}

async function overload(
  pipeline: Pipeline,
  { name, via, maxSlowdown, settings }: Way,
  { isQuick, log }: BenchOptions,
): Promise<{ checks: Check[]; detail: unknown }> {
  const [baselineMs, overloadMs] = isQuick ? [4_000, 8_000] : [10_000, 30_000];
  const apiPort = await freePort();
  const api = pipeline.role('api', {
    API_HOST: '127.0.0.1',
    API_PORT: String(apiPort),
    API_DRAIN_MS: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    ...settings,
  });
  await api.start();
  const proxy = via && (await startProxy(via, { api: apiPort, gateway: 9 }));
  const port = proxy?.httpPort ?? apiPort;
  try {
    const keys = await issueKeys(pipeline, FLOOD_KEYS + HONEST_CLIENTS);
    const target = { port, keys: keys.slice(0, FLOOD_KEYS), path: '/v1/tanks?size=50' };
    const honest = (durationMs: number): Promise<HonestResult> =>
      honestClients(port, keys.slice(FLOOD_KEYS), target.path, durationMs);
    await honest(1_500); // plans and compiled code are warm after this
    const before = await honest(baselineMs);
    const perSecond = await sustainableRate(apiPort, target.keys, target.path, 3_000);
    log(`${name}: ${Math.round(perSecond)} requests/s are sustainable; sending ${OVERLOAD_FACTOR} times as many`);
    const memoryBefore = await memoryBytes(api.pid ?? 0);
    const memory = watchPeak(api.pid ?? 0);
    const flooding = runFlood({
      ...target,
      requestsPerSecond: perSecond * OVERLOAD_FACTOR,
      connections: CONNECTIONS,
      pipeliningConnections: PIPELINING_CONNECTIONS,
      slowClients: SLOW_CLIENTS,
      durationMs: overloadMs,
    });
    await sleep(2_000); // connecting 3,050 clients
    const during = await honest(overloadMs - 2_500);
    const flooded = await flooding;
    const peak = memory.stop();
    await sleep(3_000);
    const after = await honest(1_500);
    return {
      checks: [
        ...honestChecks(before, during, after, maxSlowdown),
        ...floodChecks(flooded, perSecond, overloadMs),
        figure('api, peak memory in MB', peak / MB),
        atMost('api, growth of memory in MB', (peak - memoryBefore) / MB, MAX_MEMORY_GROWTH_MB),
      ],
      detail: { before, during, after, flooded },
    };
  } finally {
    await proxy?.stop();
    await api.stop();
  }
}

function honestChecks(before: HonestResult, during: HonestResult, after: HonestResult, maxSlowdown: number): Check[] {
  const refusedShare = (during.requests - (during.statuses['200'] ?? 0)) / during.requests;
  return [
    figure('honest clients, p99 before in ms', before.p99Ms),
    figure('honest clients, p99 during in ms', during.p99Ms),
    figure('honest clients, p50 during in ms', during.p50Ms),
    atMost('honest clients, p99 during as a multiple of the one before', during.p99Ms / before.p99Ms, maxSlowdown),
    atMost('honest clients, share of requests refused', refusedShare, 0.05),
    atMost('honest clients, requests that failed afterwards', after.requests - (after.statuses['200'] ?? 0), 0),
  ];
}

function floodChecks(
  { sent, heldBack, statuses, withoutRetryAfter, closed }: FloodResult,
  perSecond: number,
  ms: number,
): Check[] {
  const served = statuses['200'] ?? 0;
  const refused = (statuses['429'] ?? 0) + (statuses['503'] ?? 0);
  const answered = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  return [
    figure('sustainable requests/s', perSecond),
    figure('requests/s offered', (sent + heldBack) / (ms / 1_000)),
    figure('requests/s sent', sent / (ms / 1_000)),
    figure('requests/s served', served / (ms / 1_000)),
    figure('requests/s refused', refused / (ms / 1_000)),
    atMost('refusals without Retry-After', withoutRetryAfter, 0),
    atMost('answers that are neither 200 nor 429 nor 503', answered - served - refused, 0),
    atMost('connections closed without an answer', closed, 0),
  ];
}

async function issueKeys({ owner }: Pipeline, count: number): Promise<string[]> {
  return transaction(owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from organizations');
    const limits = { requestsPerSecond: 1_000_000, burst: 1_000_000 };
    const keys: string[] = [];
    for (let n = 0; n < count; n++) {
      const given = { organizationNo: rows[0]?.no ?? 0, name: `key ${n}`, scopes: ['read' as const], ...limits };
      keys.push((await issueKey(tx, given)).text);
    }
    return keys;
  });
}

interface HonestResult {
  requests: number;
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
}

/** Each sends a few requests a second over one connection, waits for each answer, and never tries again. */
async function honestClients(port: number, keys: readonly string[], path: string, durationMs: number) {
  const result: HonestResult = { requests: 0, statuses: {}, p50Ms: 0, p99Ms: 0 };
  const latenciesMs: number[] = [];
  const pauseMs = 1_000 / HONEST_REQUESTS_PER_SECOND;
  const endMs = performance.now() + durationMs;
  await Promise.all(
    keys.map(async (key, n) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let dueMs = performance.now() + (pauseMs * n) / keys.length; dueMs < endMs; dueMs += pauseMs) {
        await sleep(Math.max(0, dueMs - performance.now()));
        const status = await get(port, key, path, agent);
        latenciesMs.push(performance.now() - dueMs);
        result.requests++;
        result.statuses[status] = (result.statuses[status] ?? 0) + 1;
      }
      agent.destroy();
    }),
  );
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const percentile = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  [result.p50Ms, result.p99Ms] = [percentile(0.5), percentile(0.99)];
  return result;
}

function get(port: number, key: string, path: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, agent, headers: { 'x-api-key': key } }, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
    });
    sent.on('error', (error) => resolve(error.message)).end();
  });
}

/** What eight clients get who wait for each answer. */
async function sustainableRate(port: number, keys: readonly string[], path: string, durationMs: number) {
  const endMs = performance.now() + durationMs;
  let answers = 0;
  await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (performance.now() < endMs) {
        await get(port, keys[n % keys.length] ?? '', path, agent);
        answers++;
      }
      agent.destroy();
    }),
  );
  return answers / (durationMs / 1_000);
}

function runFlood(order: FloodOrder): Promise<FloodResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('overload/flood.ts', import.meta.url)));
    child.once('message', (result: FloodResult) => resolve(result));
    child.once('exit', (code) => reject(new Error(`the flood ended early with code ${code}`)));
    child.send(order);
  });
}

function watchPeak(pid: number): { stop(): number } {
  let peak = 0;
  const look = async (): Promise<void> => {
    const bytes = await memoryBytes(pid);
    peak = Math.max(peak, bytes);
  };
  const timer = setInterval(() => void look(), 200);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
