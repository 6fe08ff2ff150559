import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startReads } from '../bench/load_client/read_load.ts';
import { atMost, type BenchOptions, type Check, figure, percentile, type Report } from '../bench/report.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { watchProcess } from '../engines/process_use.ts';
import { issueKeys } from '../engines/tenant.ts';
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

/** The ways to the api: directly, where every request reaches its single thread, and through each shipped proxy. */
const WAYS = [
  { name: 'direct', via: undefined, maxSlowdown: 8 },
  { name: 'nginx', via: 'nginx', maxSlowdown: 3 },
  { name: 'haproxy', via: 'haproxy', maxSlowdown: 3 },
  { name: 'nginx-router', via: 'nginx-router', maxSlowdown: 3 },
] as const;
type Way = (typeof WAYS)[number];

/**
 * Sends ten times as many requests as the api can serve, with 1,000 slow clients, while honest clients send few requests. The
 * keys have no limit of requests.
 */
export async function runOverload({ isQuick, log, only }: BenchOptions & { only?: string }): Promise<Report> {
  const ways = WAYS.filter(({ name }) => only === undefined || only.split(',').includes(name));
  if (ways.length === 0) throw new Error(`there is no way "${only}"`);
  await using installation = await startInstallation({ devices: 200 });
  const checks: Check[] = [];
  const details: Record<string, unknown> = {};
  for (const way of ways) {
    const result = await overload(installation, way, { isQuick, log });
    checks.push(...result.checks.map((check) => ({ ...check, what: `${way.name}: ${check.what}` })));
    details[way.name] = result.detail;
  }
  checks.push(atMost('processes that ended by themselves', installation.crashes().length, 0));
  return { name: 'overload', checks, details };
}

async function overload(
  installation: Installation,
  { name, via, maxSlowdown }: Way,
  { isQuick, log }: BenchOptions,
): Promise<{ checks: Check[]; detail: unknown }> {
  const [baselineMs, overloadMs] = isQuick ? [4_000, 8_000] : [10_000, 30_000];
  const { owner, organizationNo, ports } = installation;
  const api = await installation.start('api', { TRUSTED_PROXIES: '127.0.0.1' });
  const proxy = via && (await startProxy(via, { api: ports.api, gateway: ports.http }));
  const port = proxy?.httpPort ?? ports.api;
  const url = `http://127.0.0.1:${port}`;
  try {
    const keys = await issueKeys(owner, FLOOD_KEYS + HONEST_CLIENTS, { organizationNo });
    const target = { port, keys: keys.slice(0, FLOOD_KEYS), path: '/v1/tanks?size=50' };
    const measure = (durationMs: number): Promise<HonestResult> =>
      measureHonestClients(url, keys.slice(FLOOD_KEYS), target.path, durationMs);
    await measure(1_500); // plans and compiled code are warm after this
    const before = await measure(baselineMs);
    const perSecond = await measureSustainableRate(
      installation.apiUrl,
      target.keys,
      target.path,
      isQuick ? 3_000 : 6_000,
    );
    log(`${name}: ${Math.round(perSecond)} requests/s are sustainable; sending ${OVERLOAD_FACTOR} times as many`);
    const memory = await watchProcess(api.pid);
    const flooding = runFlood({
      ...target,
      requestsPerSecond: perSecond * OVERLOAD_FACTOR,
      connections: CONNECTIONS,
      pipeliningConnections: PIPELINING_CONNECTIONS,
      slowClients: SLOW_CLIENTS,
      durationMs: overloadMs,
    });
    await sleep(2_000); // 3,050 clients connect
    const during = await measure(overloadMs - 2_500);
    const flooded = await flooding;
    const { beforeMb, peakMb } = await memory.stop();
    await sleep(3_000);
    const after = await measure(1_500);
    return {
      checks: [
        ...honestChecks(before, during, after, maxSlowdown),
        ...floodChecks(flooded, perSecond, overloadMs),
        figure('api, peak memory in MB', peakMb),
        atMost('api, growth of memory in MB', peakMb - beforeMb, MAX_MEMORY_GROWTH_MB),
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
    figure('honest clients, p50 before in ms', before.p50Ms),
    figure('honest clients, p50 during in ms', during.p50Ms),
    figure('honest clients, p99 during in ms', during.p99Ms),
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

interface HonestResult {
  requests: number;
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
}

/** Each client sends a few requests a second over one connection, waits for each answer, and never retries. */
async function measureHonestClients(url: string, keys: readonly string[], path: string, durationMs: number) {
  const requestsPerSecond = keys.length * HONEST_REQUESTS_PER_SECOND;
  const load = startReads({ url, keys, paths: [path], clients: keys.length, requestsPerSecond });
  await sleep(durationMs);
  await load.stop();
  const { requests, outcomes, latenciesMs } = load;
  return {
    requests,
    statuses: Object.fromEntries(outcomes),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** Measures the requests per second of eight clients that wait for each answer. */
async function measureSustainableRate(url: string, keys: readonly string[], path: string, durationMs: number) {
  const load = startReads({ url, keys, paths: [path], clients: 8 });
  await sleep(durationMs);
  await load.stop();
  return load.requests / (durationMs / 1_000);
}

function runFlood(order: FloodOrder): Promise<FloodResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('overload/flood.ts', import.meta.url)));
    child.once('message', (result: FloodResult) => resolve(result));
    child.once('exit', (code) => reject(new Error(`the flood ended early with code ${code}`)));
    child.send(order);
  });
}
