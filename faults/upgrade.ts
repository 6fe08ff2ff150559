import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type BenchOptions, figure, percentile, type Report } from '../bench/report.ts';
import { type Installation, type RoleName, type Settings, startInstallation } from '../engines/installation.ts';
import { telemetryPath } from '../engines/tenant.ts';
import { until } from '../engines/until.ts';
import { startReceiver } from '../engines/webhook_receiver.ts';
import { HOUR_MS } from '../src/values/time.ts';
import { prepareRoles, replace, startLoads, stopBalancers, untilReady } from './deploy/rolling.ts';
import {
  checkWebhooks,
  compareAnswers,
  countUndelivered,
  findLowTank,
  readAnswers,
  readEventIds,
} from './upgrade/compare.ts';
import { type FilledByRelease, fillByRelease, loginPasswords } from './upgrade/fill.ts';
import { storeNewRows } from './upgrade/new_rows.ts';
import { findOldRelease, type Release, thisRelease } from './upgrade/release.ts';
import { untilDrained, untilEvaluated, verify } from './verify.ts';

const MQTT_DEVICES = 40;
const HTTP_DEVICES = 20;
const LOADED = MQTT_DEVICES + HTTP_DEVICES;
/** Each key may send 100 requests per second. */
const READ_KEYS = 2;
const REQUESTS_PER_SECOND = 40;

/** The order of docs/operators/upgrade.md: older gateways write messages that newer writers understand. */
const UPGRADE_ORDER: readonly RoleName[] = ['writer', 'worker', 'gateway', 'api'];

/**
 * Upgrades a database that the old release created and filled to this source tree under load, as the documentation says. Then all
 * roles are replaced by the old release, and by this one again.
 */
export async function runUpgrade({ isQuick, log }: BenchOptions): Promise<Report> {
  const old = await findOldRelease();
  if (typeof old === 'string') {
    console.error(old);
    process.exitCode = 2;
    return { name: 'upgrade', checks: [], skipped: old };
  }
  const next = await thisRelease();
  const seconds = isQuick
    ? { before: 15, next: 5, back: 10, forth: 5 }
    : { before: 180, next: 60, back: 90, forth: 60 };
  await using cleanUp = new AsyncDisposableStack();
  const receiver = cleanUp.adopt(await startReceiver(), (started) => started.close());
  log(`${old.version} creates the database and fills it`);
  const options = { loaded: LOADED, readKeys: READ_KEYS, webhookUrl: receiver.url };
  const { promise: filling, resolve: hasFilled } = Promise.withResolvers<FilledByRelease>();
  const installation = cleanUp.adopt(
    await startInstallation({
      devices: LOADED,
      settings: WITHOUT_NEW_SETTINGS,
      async fill(postgres, secrets) {
        const filled = await fillByRelease(old, postgres, { ...options, ...secrets });
        hasFilled(filled);
        return filled;
      },
    }),
    (started) => started.stop(),
  );
  const { operator, readKeys, history } = await filling;
  const { sides, balancers } = await prepareRoles();
  cleanUp.defer(() => stopBalancers(balancers));
  const apiUrl = `http://127.0.0.1:${balancers.api.port}`;

  const replaceAll = async (roles: readonly RoleName[], { main }: Release, settings: Settings): Promise<void> => {
    for (const role of roles) {
      for (const [sideIndex, side] of sides.entries()) {
        for (const instance of side.filter((candidate) => candidate.role === role))
          await replace(installation, instance, { main, settings });
        await untilReady(balancers, sideIndex);
      }
    }
  };
  for (const side of sides)
    await Promise.all(side.map((instance) => replace(installation, instance, { main: old.main })));
  await Promise.all([untilReady(balancers, 0), untilReady(balancers, 1)]);
  const quietTanks = installation.tanks.slice(LOADED);
  const paths = readPaths(installation.tanks.slice(0, 5));
  const { load, reads } = startLoads(
    installation,
    balancers,
    { keys: readKeys, paths, requestsPerSecond: REQUESTS_PER_SECOND },
    {
      startAtMs: Date.now() - 3 * HOUR_MS,
      devices: installation.devices.slice(0, LOADED),
      mqttDevices: MQTT_DEVICES,
      publishesPerSecond: 20,
      pauseMs: 500,
    },
  );
  await load.started;
  await sleep(seconds.before * 1_000);
  await untilEvaluated(installation); // includes the history
  const [key = ''] = readKeys;
  // Of the 12 pages of telemetry, page 10 is packed.
  const comparedPaths = quietTanks.flatMap((tank) => [
    `/v1/tanks/${tank.id}`,
    ...['', '?size=100&page=3', '?size=100&page=10'].map((page) => telemetryPath(tank) + page),
  ]);
  const before = await readAnswers(apiUrl, key, comparedPaths);
  const eventsBefore = await readEventIds(installation);

  log(`migrate of this source tree while ${old.version} runs`);
  const [firstRead, startMs] = [reads.latenciesMs.length, performance.now()];
  await next.command(['migrate'], { MIGRATE_DATABASE_URL: installation.ownerUrl });
  const migrateSeconds = (performance.now() - startMs) / 1_000;
  const migrateLatenciesMs = reads.latenciesMs.slice(firstRead);

  log('the new settings, and every role of the new release');
  const password = new URL(installation.ownerUrl).password;
  await next.createLogins(installation.ownerUrl, loginPasswords(password));
  const newSettings = {
    MANAGE_DATABASE_URL: installation.urls.manager,
    API_SECRETS_KEY: await next.command(['secrets', 'api-key'], operator),
  };
  await replaceAll(UPGRADE_ORDER, next, newSettings);
  await sleep(seconds.next * 1_000);
  const manageKey = await next.command(
    ['keys', 'create', '--organization', 'a0fleet', '--name', 'ERP', '--scope', 'read', 'manage', '--quiet'],
    operator,
  );
  const added = await storeNewRows(apiUrl, manageKey, await findLowTank(installation));
  paths.push(...added.paths);

  log(`back to ${old.version}`);
  await replaceAll(UPGRADE_ORDER.toReversed(), old, WITHOUT_NEW_SETTINGS);
  await sleep(seconds.back * 1_000);
  log('forth again');
  await replaceAll(UPGRADE_ORDER, next, newSettings);
  await sleep(seconds.forth * 1_000);

  log('the load ends');
  const [{ mqtt, http }] = await Promise.all([load.stop(), reads.stop()]);
  await untilDrained(installation);
  await untilEvaluated(installation);
  for (const failure of reads.failures) log(failure);
  const after = await readAnswers(apiUrl, key, comparedPaths);
  await untilDelivered(installation);
  const webhooks = await checkWebhooks(installation, receiver.received, eventsBefore);
  return {
    name: 'upgrade',
    from: old.version,
    to: next.version,
    checks: [
      atLeast('requests', reads.requests, isQuick ? 2_000 : 15_000),
      atMost('requests failed', reads.failed, 0),
      atMost('ingest requests refused or without an answer', http.refused + http.lost, 0),
      ...compareAnswers(before, after, added, log),
      ...webhooks,
      ...(await verify(installation, [mqtt.record, http.record, history])),
      figure('seconds of migrate', migrateSeconds),
      figure('requests during migrate', migrateLatenciesMs.length),
      figure('milliseconds of an answer during migrate, p99', percentile(migrateLatenciesMs, 0.99)),
      figure('milliseconds of an answer during migrate, longest', percentile(migrateLatenciesMs, 1)),
      figure('milliseconds of an answer in the whole run, p99', percentile(reads.latenciesMs, 0.99)),
      figure('milliseconds of an answer in the whole run, longest', percentile(reads.latenciesMs, 1)),
      figure('MQTT connections opened again', mqtt.connects - MQTT_DEVICES),
    ],
    outcomes: Object.fromEntries(reads.outcomes),
  };
}

/** Waits until every event has a delivered webhook. If one is missing after the timeout, `checkWebhooks` reports it. */
const untilDelivered = (installation: Installation): Promise<unknown> =>
  until('every event has a delivered webhook', async () => (await countUndelivered(installation)) === 0).catch(
    () => {},
  );

/** Settings that operators of the old release do not have. */
const WITHOUT_NEW_SETTINGS = { MANAGE_DATABASE_URL: '', API_SECRETS_KEY: '' };

/** Paths that both releases serve. */
const readPaths = (tanks: readonly { id: string }[]): string[] => [
  '/v1/tanks',
  '/v1/customers',
  '/fleet/v1/tanks',
  '/fleet/v1/summary',
  '/fleet/v1/map?zoom=3',
  '/fleet/v1/settings',
  '/fleet/v1/history',
  '/fleet/v1/search?q=Tank',
  '/fleet/v1/events?size=50',
  '/fleet/v1/tanks.csv',
  ...tanks.flatMap(({ id }) => [
    ...['', '/telemetry'].map((part) => `/v1/tanks/${id}${part}`),
    ...['', '/events', '/series', '/usage'].map((part) => `/fleet/v1/tanks/${id}${part}`),
  ]),
];
