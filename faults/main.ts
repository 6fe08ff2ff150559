import { atMost, figure, printReport, round, STOLEN_SHARE } from '../bench/report.ts';
import { EventLoopDelays } from '../engines/event_loop_delays.ts';
import { RoleProcess } from '../engines/process.ts';
import { startStolenShare } from '../engines/stolen_time.ts';
import { runAbuse } from './abuse.ts';
import { runAlerts } from './alerts.ts';
import { runChaosFaults } from './chaos.ts';
import { runConnectors } from './connectors.ts';
import { runRollingRestarts } from './deploy.ts';
import { runDuty } from './duty.ts';
import { runErp } from './erp.ts';
import { runFailover } from './failover.ts';
import { runFuzz } from './fuzz.ts';
import { runGauges } from './gauges.ts';
import { runHold } from './hold.ts';
import { runClusterFaults, runIngestFaults } from './ingest.ts';
import { runMigrations } from './migrate.ts';
import { runPostgresOutage } from './outage.ts';
import { runOverload } from './overload.ts';
import { runPacking } from './packing.ts';
import { runPgUpgrade } from './pg_upgrade.ts';
import { runReconnects } from './reconnect.ts';
import { runRestore } from './restore.ts';
import { runSoak } from './soak.ts';
import { runTenants } from './tenants.ts';
import { runUpgrade } from './upgrade.ts';

const FAULTS = {
  ingest: runIngestFaults,
  cluster: runClusterFaults,
  outage: runPostgresOutage,
  chaos: runChaosFaults,
  deploy: runRollingRestarts,
  upgrade: runUpgrade,
  abuse: runAbuse,
  tenants: runTenants,
  fuzz: runFuzz,
  overload: runOverload,
  failover: runFailover,
  reconnect: runReconnects,
  'pg-upgrade': runPgUpgrade,
  restore: runRestore,
  hold: runHold,
  alerts: runAlerts,
  packing: runPacking,
  gauges: runGauges,
  connectors: runConnectors,
  duty: runDuty,
  erp: runErp,
  soak: runSoak,
  migrate: runMigrations,
};

/** The limit of the delay of an event loop, beyond the delay of an idle process in the same run. */
const MAX_DELAY_MS = 50;
/** These runs stop processes with SIGSTOP, so their delays are figures without a limit. */
const STOPPED_ON_PURPOSE: ReadonlySet<string> = new Set(['chaos', 'alerts']);

const [name = '', ...flags] = process.argv.slice(2);
const run = Object.entries(FAULTS).find(([fault]) => fault === name)?.[1];
if (run === undefined) {
  console.error(
    `usage: npm run faults -- NAME [--quick] [--json]
  ingest     kill -9 of gateway, writers, nats-server and PostgreSQL under load
  cluster    kill -9 of gateway, writers and three nats-servers under load, one at a time, then all nats-servers at once
  outage     PostgreSQL stopped for three minutes under load
  chaos      hung processes, failing networks, refused logins, full disks and wrong clocks under load
  deploy     rolling restarts of every role under load, also to the next release and back
  upgrade    from the release in the folder OLD_RELEASE, with a database that it filled, to this one, back and forth, under load
  overload   ten times the sustainable requests and 1,000 slow clients, with honest clients at the same time;
             --only NAME,NAME runs some of the ways to the api
  abuse      attacks of one tenant and of strangers, with an honest tenant at the same time; --only NAME,NAME runs some of them
  tenants    20,000 organizations, of which one attacks the others with what its own people may do; --release FOLDER attacks
             the release in a folder instead of this one, for a comparison; --only NAME,NAME runs some of the attacks
  fuzz       100,000 random requests over every route, method and kind of caller; 5,000 with --quick
  failover   the primary of three PostgreSQL servers under Patroni is killed, with and without synchronous commits;
             --only synchronous or asynchronous runs one of the two
  reconnect  16,000 TLS devices behind three gateways, one of which restarts; 600 with --quick, N with --devices N
  pg-upgrade a promoted server becomes one of a newer version with pg_upgrade, under load; PG_NEW_BIN names the programs of
             the newer version if it is not in /usr/lib/postgresql
  restore    the database wiped, restored with pgBackRest to a point in time, and the stream replayed
  hold       notifications held and released in rounds while workers are killed: nothing sent while held, nothing lost
  alerts     each alert rule fires in a real Prometheus because of its fault
  soak       every role at 70 % load for 20 minutes: no memory grows, and no secret or personal value is in a log
  migrate    migrations while readings are stored, and while long reads hold their tables
  packing    kill -9 of PostgreSQL and of packing while late readings arrive for packed months
  gauges     kill -9 of PostgreSQL and of the process that computes levels again after corrected gauges
  connectors kill -9 of the connector and of the cloud that it asks while 1,000,000 readings are read, and of a broker; 20,000 with
             --quick
  duty       1,000 losses while workers are killed, and the provider of texts is slow, refuses, loses answers and reports twice; 40
             with --quick
  erp        kill -9 of two programs of an ERP, of the api and of PostgreSQL in bulks and feeds, while keys, owners and customers change`,
  );
  process.exitCode = 2;
} else {
  const isJson = flags.includes('--json');
  const log = (line: string): void => console.error(line); // progress, also with --json: a run can take half an hour
  const given = ['only', 'release'].filter((flag) => flags.includes(`--${flag}`));
  const named = Object.fromEntries(given.map((flag) => [flag, flags[flags.indexOf(`--${flag}`) + 1] ?? '']));
  const delays = await EventLoopDelays.start();
  RoleProcess.eventLoopDelays = delays;
  const stolenShare = startStolenShare();
  const report = await run({ isQuick: flags.includes('--quick'), log, ...named });
  await delays.stop();
  report.checks.push(figure(STOLEN_SHARE, stolenShare()));
  report.checks.push(figure('longest delay of the event loop, an idle process, ms', delays.idleMs));
  for (const [role, ms] of delays.longestMs) {
    const what = `longest delay of the event loop, ${role}, ms`;
    report.checks.push(
      STOPPED_ON_PURPOSE.has(name) ? figure(what, ms) : atMost(what, ms, round(delays.idleMs + MAX_DELAY_MS)),
    );
  }
  printReport(report, isJson);
  if (report.checks.some((check) => !check.ok)) process.exitCode = 1;
}
