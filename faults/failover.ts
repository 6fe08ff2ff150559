import { setTimeout as sleep } from 'node:timers/promises';
import { firstLevelOf } from '../bench/load_client/load_record.ts';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report } from '../bench/report.ts';
import { startInstallation } from '../engines/installation.ts';
import { withPort } from '../engines/logins.ts';
import { type PatroniCluster, startPatroni } from '../engines/patroni.ts';
import { startReceiver } from '../engines/webhook_receiver.ts';
import { transaction } from '../src/db/pool.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import type { FollowedCatalog } from './failover/catalog_copy.ts';
import { startFollowedLoad } from './failover/followed_load.ts';
import { DEVICES } from './load.ts';

/** Kills the primary of three PostgreSQL servers: 5 times with synchronous commits, and 5 times without. With --quick, once each. */
export async function runFailover({ isQuick, log, only }: FailoverRunOptions): Promise<Report> {
  const kills = isQuick ? 1 : 5;
  const synchronous = only === 'asynchronous' ? [] : await failOver({ isSynchronous: true, kills, log });
  const asynchronous = only === 'synchronous' ? [] : await failOver({ isSynchronous: false, kills, log });
  return { name: 'failover', checks: [...synchronous, ...asynchronous] };
}

export interface FailoverRunOptions extends BenchOptions {
  /** `synchronous` or `asynchronous` runs one of the two. */
  only?: string;
}

/** Gives a tank a threshold up to four points below its first level, so that events happen during the whole run. */
export const lowTank = (device: number) => ({
  min_fill_alert_percentage: Math.floor(firstLevelOf(device)) - (device % 4),
});
const HANG_MS = 10_000;
/** The number of keys. All reads of a key go to one server, and with this many keys each server gets reads. */
const READ_KEYS = 12;

interface FailoverOptions {
  isSynchronous: boolean;
  kills: number;
  log: (line: string) => void;
}

async function failOver({ isSynchronous, kills, log }: FailoverOptions): Promise<Check[]> {
  const mode = isSynchronous ? 'synchronous' : 'asynchronous';
  log(`${mode}: starting three PostgreSQL servers under Patroni`);
  await using cleanUp = new AsyncDisposableStack();
  const cluster = cleanUp.adopt(await startPatroni({ isSynchronous }), (started) => started.stop());
  const receiver = cleanUp.adopt(await startReceiver(), (started) => started.close());
  await using installation = await startInstallation({ devices: DEVICES, tank: lowTank, postgres: cluster });
  const { owner, organizationNo, secretsKey } = installation;
  await transaction(owner, (tx) => createEndpoint(tx, organizationNo, { url: receiver.url, types: [] }, secretsKey));
  await installation.start('gateway');
  const writers = [installation.role('writer'), installation.role('writer')];
  const worker = installation.role('worker');
  let output = '';
  for (const writer of writers)
    writer.onOutput = (text) => {
      output += text;
    };
  await Promise.all([...writers, worker].map((role) => role.start()));
  await installation.start('api', {
    DATABASE_REPLICA_URLS: cluster.nodes.map((node) => withPort(installation.urls.api, node.port)).join(','),
  });
  const { reads, end } = await startFollowedLoad(installation, { receiver, keys: READ_KEYS, clients: 4 });
  await sleep(3_000);
  const outagesMs: number[] = [];
  for (let n = 0; n < kills; n++) {
    const outageMs = await replacePrimary(cluster, { isSynchronous, isWholeNode: n % 2 === 1 });
    log(`${mode}: primary killed (${n + 1} of ${kills}), the next one after ${(outageMs / 1_000).toFixed(1)} s`);
    outagesMs.push(outageMs);
    await cluster.untilComplete();
    await sleep(3_000);
  }
  log(`${mode}: a standby hangs for ${HANG_MS / 1_000} s`);
  const readsBefore = reads.latenciesMs.length;
  await hangStandby(cluster);
  const longestMs = Math.max(...reads.latenciesMs.slice(readsBefore));
  const { checks: loadChecks, followed } = await end((line) => log(`${mode}: ${line}`));
  for (const id of followed.differing) log(`${mode}: the copy of the catalog differs in ${id}`);
  const replayed = [...output.matchAll(/"messages":(\d+),"after"/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  const checks = [
    ...loadChecks,
    ...copyChecks(followed, { isSynchronous }),
    figure('times the primary was killed', kills),
    atLeast('reads', reads.requests, 100),
    atMost('reads that failed twice in a row', reads.failedTwice, 0),
    figure('reads that failed once', reads.failed),
    atMost('longest read while a standby hangs, in seconds', longestMs / 1_000, 5),
    figure('messages processed again', replayed),
    figure('longest time without a primary, in seconds', Math.max(...outagesMs) / 1_000),
  ];
  for (const failure of reads.failures) log(`${mode}: a read failed after ${failure}`);
  return checks.map((check) => ({ ...check, what: `${mode}: ${check.what}` }));
}

/** Checks the copy. Without synchronous commits, changes that the copy has seen may be lost, so there is only a figure. */
export function copyChecks(
  { differing, returned, restarts }: FollowedCatalog,
  { isSynchronous }: { isSynchronous: boolean },
) {
  const differ = 'objects in which a copy by the change feed differs from the catalog';
  if (!isSynchronous) return [figure(differ, differing.length)];
  return [
    atMost(differ, differing.length, 0),
    atMost('deleted objects that came back in the copy', returned, 0),
    atMost('times the copy had to start again', restarts, 0),
  ];
}

/** Kills the primary and waits for the next one. Returns the milliseconds without a primary. */
async function replacePrimary(
  cluster: PatroniCluster,
  { isSynchronous, isWholeNode }: { isSynchronous: boolean; isWholeNode: boolean },
): Promise<number> {
  const killed = await cluster.primary();
  const standbys = cluster.nodes.filter((node) => node !== killed);
  // Without synchronous commits the standbys fall behind by two seconds, which are lost with the primary.
  const receivers = isSynchronous ? [] : await Promise.all(standbys.map((node) => node.walReceiver()));
  signal(receivers, 'SIGSTOP');
  if (!isSynchronous) await sleep(2_000);
  const startMs = performance.now();
  await (isWholeNode ? killed.killNode() : killed.killPostgres());
  // The receivers end as soon as they continue. Otherwise they would still read the WAL that the kernel has buffered.
  // After a SIGKILL, PostgreSQL would restart the whole standby, and no server could be read.
  signal(receivers, 'SIGTERM');
  signal(receivers, 'SIGCONT');
  const isPromoted = (): Promise<boolean> =>
    Promise.any(standbys.map(async (node) => (await node.has('/primary')) || Promise.reject())).catch(() => false);
  while (!(await isPromoted())) await sleep(100);
  const outageMs = performance.now() - startMs;
  if (isWholeNode) await killed.start();
  return outageMs;
}

/** Stops a standby for ten seconds. Commits may wait for it until Patroni chooses another synchronous standby. */
async function hangStandby(cluster: PatroniCluster): Promise<void> {
  const primary = await cluster.primary();
  const resume = await cluster.nodes.find((node) => node !== primary)?.hang();
  await sleep(HANG_MS);
  resume?.();
  await cluster.untilComplete();
}

const signal = (pids: readonly (number | undefined)[], name: NodeJS.Signals): void => {
  for (const pid of pids) if (pid !== undefined) process.kill(pid, name);
};
