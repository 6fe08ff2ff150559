import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { startInstallation } from '../engines/installation.ts';
import { startReplica } from '../engines/replica.ts';
import { until } from '../engines/until.ts';
import { startReceiver } from '../engines/webhook_receiver.ts';
import { transaction } from '../src/db/pool.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { type PrivatePostgres, serverUser, startPostgres } from '../src/setup/servers/postgres.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { startFollowedLoad } from './failover/followed_load.ts';
import { copyChecks, lowTank } from './failover.ts';
import { DEVICES } from './load.ts';
import { findUpgrade, upgradeServer } from './pg_upgrade/upgrade_server.ts';
import { TcpProxy } from './tcp_proxy.ts';

const PASSWORD = 'private';

/**
 * Under load, kills the primary and promotes its standby. Then pg_upgrade upgrades the promoted server to a newer version, which
 * begins again with timeline 1. Nothing may be lost, and no reader of a feed may miss anything.
 */
export async function runPgUpgrade({ isQuick, log }: BenchOptions): Promise<Report> {
  const versions = await findUpgrade();
  if (typeof versions === 'string') {
    console.error(versions);
    return { name: 'pg-upgrade', checks: [], skipped: versions };
  }
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-pg-upgrade-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const user = await serverUser();
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const first = await startPostgres(
    {},
    {
      binFolder: versions.oldBin,
      kept: { dataFolder: join(folder, 'first'), port: await freePort(), password: PASSWORD },
    },
  );
  cleanUp.defer(() => first.stop());
  const standby = cleanUp.adopt(await startReplica(first), (started) => started.stop());
  let current: PrivatePostgres = first;
  // Roles connect to this proxy, as to a balancer or a virtual address in front of the database.
  const proxy = cleanUp.adopt(await TcpProxy.listen(() => current.port), (started) => started.close());
  const addressed = { ...first, port: proxy.port, url: first.url.replace(`:${first.port}/`, `:${proxy.port}/`) };
  const receiver = cleanUp.adopt(await startReceiver(), (started) => started.close());
  await using installation = await startInstallation({ devices: DEVICES, tank: lowTank, postgres: addressed });
  const { owner, organizationNo, secretsKey } = installation;
  // From here on, a commit waits for the standby, so that acknowledged changes survive the primary.
  await owner.query(`alter system set synchronous_standby_names = '*'`);
  await owner.query('select pg_reload_conf()');
  await transaction(owner, (tx) => createEndpoint(tx, organizationNo, { url: receiver.url, types: [] }, secretsKey));
  for (const role of ['gateway', 'writer', 'writer', 'worker', 'api'] as const) await installation.start(role);
  const { load, reads, end } = await startFollowedLoad(installation, { receiver, keys: 2, clients: 2 });
  await load.started;
  const pauseMs = isQuick ? 5_000 : 60_000;
  await sleep(pauseMs);

  log('the primary is killed, and the standby is promoted');
  await first.kill();
  await promote(standby);
  current = standby;
  proxy.dropConnections();
  await sleep(pauseMs);
  const timelineBefore = await timelineOf(standby);

  log(`pg_upgrade from PostgreSQL ${versions.oldVersion} to ${versions.newVersion}`);
  const upgraded = await upgradeServer(standby, { ...versions, folder, user, password: PASSWORD, log });
  cleanUp.defer(() => upgraded.server.stop());
  current = upgraded.server;
  proxy.dropConnections();
  const timelineAfter = await timelineOf(upgraded.server);
  await sleep(pauseMs);

  log('the load ends');
  const { checks, followed } = await end(log);
  const { rows } = await owner.query<{ version: string }>('show server_version');
  return {
    name: 'pg-upgrade',
    from: versions.oldVersion,
    to: rows[0]?.version,
    checks: [
      ...checks,
      atLeast('timeline before pg_upgrade', timelineBefore, 2),
      atMost('timeline after pg_upgrade', timelineAfter, 1),
      ...copyChecks(followed, { isSynchronous: true }),
      figure('reads', reads.requests),
      figure('reads that failed', reads.failed),
      figure('seconds without a database in pg_upgrade', upgraded.outageSeconds),
      figure('seconds of pg_upgrade itself', upgraded.upgradeSeconds),
    ],
  };
}

async function promote(standby: PrivatePostgres): Promise<void> {
  await query(standby, 'select pg_promote(wait => false)');
  await until('the standby is the primary', async () => {
    const rows = await query<{ is_standby: boolean }>(standby, 'select pg_is_in_recovery() as is_standby');
    return rows[0]?.is_standby === false;
  });
}

async function timelineOf(server: PrivatePostgres): Promise<number> {
  const rows = await query<{ name: string }>(server, 'select pg_walfile_name(pg_current_wal_lsn()) as name');
  return Number.parseInt(rows[0]?.name.slice(0, 8) ?? '', 16);
}

async function query<Row extends object>({ url }: PrivatePostgres, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
