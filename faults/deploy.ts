import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { startInstallation } from '../engines/installation.ts';
import { issueKeys, telemetryPath } from '../engines/tenant.ts';
import { DAY_MS } from '../src/values/time.ts';
import { makeNextBuild } from './deploy/next_build.ts';
import { prepareRoles, replace, startLoads, stopBalancers, untilReady } from './deploy/rolling.ts';
import { untilDrained, untilEvaluated } from './verify.ts';

const MQTT_DEVICES = 40;
const HTTP_DEVICES = 20;

/** 20 rolling restarts (4 with --quick) of every role under load, half of them to the next release and back. */
export async function runRollingRestarts({ isQuick, log }: BenchOptions): Promise<Report> {
  const [restarts, nextBuilds, wantedRequests] = isQuick ? [4, 1, 2_000] : [20, 5, 50_000];
  const next = await makeNextBuild();
  await using installation = await startInstallation({ devices: MQTT_DEVICES + HTTP_DEVICES });
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => next.remove());
  const { sides, balancers } = await prepareRoles();
  cleanUp.defer(() => stopBalancers(balancers));
  // The processes of one side are replaced together, while the other side serves.
  const restartAll = async (release?: { main: string }): Promise<void> => {
    for (const [sideIndex, side] of sides.entries()) {
      await Promise.all(side.map((instance) => replace(installation, instance, release)));
      await untilReady(balancers, sideIndex);
    }
  };
  await restartAll();
  const { owner, organizationNo, tanks } = installation;
  const { load, reads } = startLoads(
    installation,
    balancers,
    {
      keys: await issueKeys(owner, 1, { organizationNo }),
      paths: ['/v1/tanks', '/v1/customers', ...tanks.slice(0, 10).map(telemetryPath)],
      requestsPerSecond: 400,
    },
    { startAtMs: Date.now() - 30 * DAY_MS, mqttDevices: MQTT_DEVICES },
  );
  await load.started;
  await sleep(2_000);
  for (let n = 0; n < restarts; n++) {
    // The first restarts keep this release. The others alternate between the next release and this one.
    const pair = n - (restarts - 2 * nextBuilds);
    const isNext = pair >= 0 && pair % 2 === 0;
    // Migrations run first, as the documentation says. After them, this release runs on the schema of the next one.
    if (pair === 0) await next.migrate(installation.ownerUrl);
    log(`rolling restart ${n + 1} of ${restarts}${isNext ? ', to the next release' : ''}`);
    await restartAll(isNext ? next : undefined);
  }
  // This release stores readings of tanks whose state the next one wrote, and leaves their evaluation to it.
  log('once more to the next release, which evaluates the remaining tanks');
  await restartAll(next);
  const restartsEndMs = performance.now();
  while (reads.requests < wantedRequests) await sleep(250);
  const [{ mqtt, http }] = await Promise.all([load.stop(), reads.stop()]);
  await untilDrained(installation);
  await untilEvaluated(installation);
  const { requests, failed, outcomes } = reads;
  return {
    name: 'deploy',
    checks: [
      figure('rolling restarts of api, gateway, writer and worker', restarts),
      atLeast('requests', requests, wantedRequests),
      atMost('requests failed', failed, 0),
      atMost('ingest requests refused or without an answer', http.refused + http.lost, 0),
      ...(await next.verify(installation, [mqtt.record, http.record])),
      figure('MQTT connections opened again', mqtt.connects - MQTT_DEVICES),
      figure('seconds after the last restart', (performance.now() - restartsEndMs) / 1_000),
    ],
    outcomes: Object.fromEntries(outcomes),
  };
}
