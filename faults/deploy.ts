import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../bench/load_client/load.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { databaseUrl } from '../engines/logins.ts';
import { type Pipeline, type RoleName, startPipeline } from '../engines/pipeline.ts';
import { freePort } from '../engines/postgres.ts';
import type { RoleProcess } from '../engines/process.ts';
import { transaction } from '../src/db/pool.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { Balancer } from './deploy/balancer.ts';
import { makeNextBuild } from './deploy/next_build.ts';
import { startStrictLoad } from './deploy/strict_client.ts';
import { startHttpLoad } from './http_load.ts';
import { untilDrained } from './verify.ts';

const MQTT_DEVICES = 40;
const HTTP_DEVICES = 20;
const DAY_MS = 86_400_000;
/** Longer than a balancer needs to see that a process is no longer ready; the defaults suit slower ones. */
const DRAIN_MS = '1500';

/** Two of each role. Those of one number are replaced together, while the others serve. */
interface Instance {
  role: RoleName;
  settings: Readonly<Record<string, string>>;
  process: RoleProcess | undefined;
}

/** 20 rolling restarts (4 in short) of every role under load; half of them to the next release and back. */
export async function runRollingRestarts({ isQuick, log }: BenchOptions): Promise<Report> {
  const [restarts, nextBuilds, wantedRequests] = isQuick ? [4, 1, 2_000] : [20, 5, 50_000];
  const next = await makeNextBuild();
  const pipeline = await startPipeline({ devices: MQTT_DEVICES + HTTP_DEVICES, isGatewayStarted: false });
  const cleanUp: (() => Promise<unknown>)[] = [() => next.remove(), () => pipeline.stop()];
  try {
    const { sides, balancers } = await prepare(pipeline);
    cleanUp.unshift(...Object.values(balancers).map((balancer) => () => balancer.stop()));
    for (const side of sides) await Promise.all(side.map((instance) => replace(pipeline, instance)));
    await untilAllReady(balancers);

    const load = await startLoad(pipeline, balancers);
    await load.started;
    await sleep(2_000);
    const restartAll = async (main?: string): Promise<void> => {
      for (const [number, side] of sides.entries()) {
        await Promise.all(side.map((instance) => replace(pipeline, instance, main)));
        await Promise.all(Object.values(balancers).map((balancer) => balancer.untilReady(number)));
      }
    };
    for (let n = 0; n < restarts; n++) {
      // The first ones stay on this release; then to the next one and back, in turn.
      const pair = n - (restarts - 2 * nextBuilds);
      const isNext = pair >= 0 && pair % 2 === 0;
      // Migrations go first, as the documentation says; from then on this release runs on a schema one ahead.
      if (pair === 0) await next.migrate(databaseUrl(pipeline.postgres.url, 'fleet'));
      log(`rolling restart ${n + 1} of ${restarts}${isNext ? ', to the next release' : ''}`);
      await restartAll(isNext ? next.main : undefined);
    }
    // This release stores readings of tanks whose state the next one wrote, and leaves their evaluation to it.
    log('once more to the next release, which evaluates what waits for it');
    await restartAll(next.main);
    const restartsEndMs = performance.now();
    while (load.reads.requests < wantedRequests) await sleep(250);
    const { mqtt, http } = await load.stop();
    await untilDrained(pipeline);
    await untilEvaluated(pipeline);
    const { requests, failures } = load.reads;
    return {
      name: 'deploy',
      checks: [
        atLeast('rolling restarts of api, gateway, writer and worker', restarts, restarts),
        atLeast('requests', requests, wantedRequests),
        atMost(
          'requests failed',
          [...failures.values()].reduce((sum, n) => sum + n, 0),
          0,
        ),
        atMost('ingest requests refused or without an answer', http.refused + http.lost, 0),
        ...(await next.verify(pipeline, [mqtt.record, http.record])),
        figure('MQTT connections opened again', mqtt.connects - MQTT_DEVICES),
        figure('seconds after the last restart', (performance.now() - restartsEndMs) / 1_000),
      ],
      failures: Object.fromEntries(failures),
    };
  } finally {
    for (const clean of cleanUp) await clean();
  }
}

/** Until no tank waits for its re-evaluation. */
async function untilEvaluated({ owner }: Pipeline): Promise<void> {
  for (const deadlineMs = Date.now() + 60_000; ; ) {
    const { rows } = await owner.query<{ n: number }>('select count(*) as n from reevaluations');
    if (rows[0]?.n === 0) return;
    if (Date.now() > deadlineMs) throw new Error(`${rows[0]?.n} tanks still wait for their re-evaluation`);
    await sleep(250);
  }
}

interface Balancers {
  api: Balancer;
  http: Balancer;
  mqtt: Balancer;
}

async function prepare(pipeline: Pipeline): Promise<{ sides: Instance[][]; balancers: Balancers }> {
  const sides: Instance[][] = [];
  const ports: { api: number; http: number; mqtt: number }[] = [];
  for (const _ of ['a', 'b']) {
    const own = { api: await freePort(), http: await freePort(), mqtt: await freePort() };
    ports.push(own);
    const instance = (role: RoleName, settings: Instance['settings'] = {}): Instance => ({
      role,
      settings,
      process: undefined,
    });
    sides.push([
      instance('api', {
        DATABASE_URL: pipeline.urls.api,
        API_HOST: '127.0.0.1',
        API_PORT: String(own.api),
        API_DRAIN_MS: DRAIN_MS,
      }),
      instance('gateway', {
        GATEWAY_HTTP_PORT: String(own.http),
        GATEWAY_MQTT_PORT: String(own.mqtt),
        GATEWAY_DRAIN_MS: DRAIN_MS,
      }),
      instance('writer'),
      instance('worker', { DATABASE_URL: pipeline.urls.worker }),
    ]);
  }
  return {
    sides,
    balancers: {
      api: await Balancer.start(ports.map(({ api }) => ({ port: api, readyPort: api }))),
      http: await Balancer.start(ports.map(({ http }) => ({ port: http, readyPort: http }))),
      mqtt: await Balancer.start(ports.map(({ http, mqtt }) => ({ port: mqtt, readyPort: http }))),
    },
  };
}

/** SIGTERM, wait for the end, start the new one in its place. */
async function replace(pipeline: Pipeline, instance: Instance, main?: string): Promise<void> {
  await instance.process?.stop();
  instance.process = pipeline.role(instance.role, instance.settings, main);
  await instance.process.start();
}

async function untilAllReady(balancers: Balancers): Promise<void> {
  const each = Object.values<Balancer>({ ...balancers });
  await Promise.all(each.flatMap((balancer) => [balancer.untilReady(0), balancer.untilReady(1)]));
}

async function startLoad(pipeline: Pipeline, balancers: Balancers) {
  const { owner, devices, ingestKey } = pipeline;
  const key = await transaction(owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from organizations');
    const given = { organizationNo: rows[0]?.no ?? 0, name: 'reads', requestsPerSecond: 100_000, burst: 100_000 };
    return issueKey(tx, { ...given, scopes: ['read'] });
  });
  const { rows: tanks } = await owner.query<{ id: string }>('select id from tanks order by no limit 10');
  const reads = startStrictLoad({
    port: balancers.api.port,
    key: key.text,
    paths: ['/v1/tanks', '/v1/customers', ...tanks.map(({ id }) => `/v1/tanks/${id}/telemetry`)],
    connections: 16,
    requestsPerSecond: 400,
  });
  const plan = { startAtMs: Date.now() - 30 * DAY_MS, stepMs: 1_000, replayShare: 0 };
  const http = startHttpLoad({
    ...plan,
    url: `http://127.0.0.1:${balancers.http.port}/ingest/readings`,
    key: ingestKey,
    devices: devices.slice(MQTT_DEVICES),
    senders: 2,
    pauseMs: 250,
  });
  const stopping = new AbortController();
  const started = Promise.withResolvers<void>();
  const mqtt = runLoad({
    ...plan,
    url: `mqtt://127.0.0.1:${balancers.mqtt.port}`,
    devices: devices.slice(0, MQTT_DEVICES),
    readingsPerPublish: 2,
    inFlight: 2,
    publishesPerSecond: 40,
    durationMs: 3_600_000,
    signal: stopping.signal,
    connection: { maxBackoffMs: 500, timeoutMs: 8_000 },
    onAcknowledged: () => started.resolve(),
  });
  mqtt.catch(started.reject); // for a load that cannot begin; `stop` waits for the result itself
  return {
    reads,
    /** All devices are connected, and readings arrive. */
    started: started.promise,
    async stop() {
      stopping.abort();
      const [result] = await Promise.all([mqtt, http.stop(), reads.stop()]);
      return { mqtt: result, http };
    },
  };
}
