import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadLoad, startReads } from '../bench/load_client/read_load.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { findPorts, type Installation, type RoleName, startInstallation } from '../engines/installation.ts';
import type { RoleProcess } from '../engines/process.ts';
import { issueKeys, telemetryPath } from '../engines/tenant.ts';
import { DAY_MS } from '../src/values/time.ts';
import { Balancer } from './deploy/balancer.ts';
import { makeNextBuild } from './deploy/next_build.ts';
import { type Load, startLoad } from './load.ts';
import { untilDrained, untilEvaluated } from './verify.ts';

const MQTT_DEVICES = 40;
const HTTP_DEVICES = 20;
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
  const installation = await startInstallation({ devices: MQTT_DEVICES + HTTP_DEVICES });
  const cleanUp: (() => Promise<unknown>)[] = [() => next.remove(), () => installation.stop()];
  try {
    const { sides, balancers } = await prepare();
    cleanUp.unshift(...Object.values(balancers).map((balancer) => () => balancer.stop()));
    for (const side of sides) await Promise.all(side.map((instance) => replace(installation, instance)));
    await untilAllReady(balancers);

    const { load, reads } = await startLoads(installation, balancers);
    await load.started;
    await sleep(2_000);
    const restartAll = async (main?: string): Promise<void> => {
      for (const [number, side] of sides.entries()) {
        await Promise.all(side.map((instance) => replace(installation, instance, main)));
        await Promise.all(Object.values(balancers).map((balancer) => balancer.untilReady(number)));
      }
    };
    for (let n = 0; n < restarts; n++) {
      // The first ones stay on this release; then to the next one and back, in turn.
      const pair = n - (restarts - 2 * nextBuilds);
      const isNext = pair >= 0 && pair % 2 === 0;
      // Migrations go first, as the documentation says; from then on this release runs on a schema one ahead.
      if (pair === 0) await next.migrate(installation.ownerUrl);
      log(`rolling restart ${n + 1} of ${restarts}${isNext ? ', to the next release' : ''}`);
      await restartAll(isNext ? next.main : undefined);
    }
    // This release stores readings of tanks whose state the next one wrote, and leaves their evaluation to it.
    log('once more to the next release, which evaluates what waits for it');
    await restartAll(next.main);
    const restartsEndMs = performance.now();
    while (reads.requests < wantedRequests) await sleep(250);
    const [{ mqtt, http }] = await Promise.all([load.stop(), reads.stop()]);
    await untilDrained(installation);
    await untilEvaluated(installation);
    const { requests, failed, outcomes } = reads;
    return {
      name: 'deploy',
      checks: [
        atLeast('rolling restarts of api, gateway, writer and worker', restarts, restarts),
        atLeast('requests', requests, wantedRequests),
        atMost('requests failed', failed, 0),
        atMost('ingest requests refused or without an answer', http.refused + http.lost, 0),
        ...(await next.verify(installation, [mqtt.record, http.record])),
        figure('MQTT connections opened again', mqtt.connects - MQTT_DEVICES),
        figure('seconds after the last restart', (performance.now() - restartsEndMs) / 1_000),
      ],
      outcomes: Object.fromEntries(outcomes),
    };
  } finally {
    for (const clean of cleanUp) await clean();
  }
}

interface Balancers {
  api: Balancer;
  http: Balancer;
  mqtt: Balancer;
}

async function prepare(): Promise<{ sides: Instance[][]; balancers: Balancers }> {
  const ports = [await findPorts(), await findPorts()];
  const sides = ports.map(({ settings }) => {
    const all = { ...settings, API_DRAIN_MS: DRAIN_MS, GATEWAY_DRAIN_MS: DRAIN_MS };
    const roles = ['api', 'gateway', 'writer', 'worker'] as const;
    return roles.map((role): Instance => ({ role, settings: all, process: undefined }));
  });
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
async function replace(installation: Installation, instance: Instance, main?: string): Promise<void> {
  await instance.process?.stop();
  instance.process = await installation.start(instance.role, instance.settings, main);
}

async function untilAllReady(balancers: Balancers): Promise<void> {
  const each = Object.values<Balancer>({ ...balancers });
  await Promise.all(each.flatMap((balancer) => [balancer.untilReady(0), balancer.untilReady(1)]));
}

async function startLoads(
  installation: Installation,
  { api, http, mqtt }: Balancers,
): Promise<{ load: Load; reads: ReadLoad }> {
  const { owner, organizationNo, tanks } = installation;
  const reads = startReads({
    url: `http://127.0.0.1:${api.port}`,
    keys: await issueKeys(owner, 1, { organizationNo }),
    paths: ['/v1/tanks', '/v1/customers', ...tanks.slice(0, 10).map(telemetryPath)],
    clients: 16,
    requestsPerSecond: 400,
  });
  const load = startLoad(installation, {
    replayShare: 0,
    startAtMs: Date.now() - 30 * DAY_MS,
    mqttDevices: MQTT_DEVICES,
    publishesPerSecond: 40,
    senders: 2,
    pauseMs: 250,
    mqttUrl: `mqtt://127.0.0.1:${mqtt.port}`,
    ingestUrl: `http://127.0.0.1:${http.port}/ingest/readings`,
  });
  return { load, reads };
}
