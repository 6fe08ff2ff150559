import { cp, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startReads } from '../bench/load_client/read_load.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { type Installation, startInstallation } from '../engines/installation.ts';
import { issueKeys, telemetryPath } from '../engines/tenant.ts';
import { MIGRATIONS_FOLDER, migrate } from '../src/db/migrate.ts';
import { openPool, transaction } from '../src/db/pool.ts';
import { DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

const MAX_WAIT_MS = 500;
const APPLICATION = 'tankwatch migrate';
/** The length of a read that locks its tables until it ends, as a report of an operator or a dump does. */
const LONG_READ_MS = 2_500;

/**
 * Applies migrations of all kinds that a release may contain, while readings are stored and tanks are read, and while long
 * reads lock the same tables. No other statement may wait for a lock for longer than half a second.
 */
export async function runMigrations({ isQuick, log }: BenchOptions): Promise<Report> {
  const rounds = isQuick ? 2 : 15;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-migrate-'));
  await using installation = await startInstallation({
    devices: DEVICES,
    // PostgreSQL logs each wait of more than deadlock_timeout, with its exact length when it ends.
    postgresSettings: {
      log_lock_waits: 'on',
      deadlock_timeout: '50ms',
      log_min_messages: 'log',
      logging_collector: 'on',
      log_directory: 'log',
      log_line_prefix: '[%a] ',
    },
  });
  for (const name of ['gateway', 'writer', 'worker', 'api'] as const) await installation.start(name);
  const { owner, organizationNo } = installation;
  const load = startLoad(installation, { replayShare: 0.05 });
  const reads = startReads({
    url: installation.apiUrl,
    keys: await issueKeys(owner, 1, { organizationNo }),
    paths: ['/v1/tanks', '/fleet/v1/tanks', ...installation.tanks.slice(0, 10).map(telemetryPath)],
    clients: 4,
    pauseMs: 20,
  });
  await sleep(6_000);
  const readsBefore = reads.latenciesMs.length;
  const longestBeforeMs = Math.max(...reads.latenciesMs.slice(Math.floor(readsBefore / 2)));

  await cp(MIGRATIONS_FOLDER, folder.path, { recursive: true });
  await using pool = openPool({ url: installation.ownerUrl, applicationName: APPLICATION });
  const applied: string[] = [];
  let retries = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [name, sql] of migrationsOf(round)) await writeFile(join(folder.path, name), sql);
    const reading = readLong(installation);
    await migrate(pool, {
      folder: pathToFileURL(`${folder.path}/`),
      onApplied: (name) => applied.push(name),
      onRetry: () => {
        retries++;
      },
    });
    await reading;
    log(`round ${round + 1} of ${rounds}: ${applied.length} migrations applied, ${retries} repeated`);
  }
  await reads.stop();
  const longestDuringMs = Math.max(...reads.latenciesMs.slice(readsBefore));
  const { mqtt, http } = await load.stop();
  await untilDrained(installation);
  const checks = await verify(installation, [mqtt.record, http.record]);
  const waits = await readWaits(installation);
  for (const { line, ms } of waits) if (ms > MAX_WAIT_MS / 2) log(line);
  return {
    name: 'migrate',
    checks: [
      atLeast('migrations applied', applied.length, rounds * migrationsOf(0).length),
      atLeast('migrations rolled back and repeated, because a long read locked their table', retries, 1),
      figure('waits for a lock of more than 50 ms', waits.length),
      atMost('longest wait for a lock in ms', Math.max(0, ...waits.map(({ ms }) => ms)), MAX_WAIT_MS),
      atLeast('reads', reads.requests, 100),
      atMost('reads that failed', reads.failed, 0),
      figure('longest read before in ms', longestBeforeMs),
      figure('longest read during in ms', longestDuringMs),
      ...checks,
    ],
  };
}

/** Makes migrations that squawk and the released schema permit, of the tables that every reading and every page uses. */
function migrationsOf(round: number): [name: string, sql: string][] {
  const number = (n: number): string => String(9_000 + round * 10 + n);
  return [
    [`${number(0)}_column.sql`, `alter table tank_states add column note_${round} text;`],
    [`${number(1)}_default.sql`, `alter table tanks add column flag_${round} boolean not null default false;`],
    [`${number(2)}_telemetry.sql`, `alter table telemetry add column quality_${round} smallint;`],
    [
      `${number(3)}_index.sql`,
      `-- without transaction\ncreate index concurrently tank_states_note_${round} on tank_states (note_${round});`,
    ],
    [
      `${number(4)}_check.sql`,
      `alter table tanks add constraint flag_${round}_is_off check (not flag_${round}) not valid;`,
    ],
    [`${number(5)}_validate.sql`, `alter table tanks validate constraint flag_${round}_is_off;`],
    [
      `${number(6)}_function.sql`,
      `create function noted_${round}(tank int) returns text stable language sql as $$
         select note_${round} from tank_states where tank_no = tank $$;
       create table notes_${round} (no int primary key, text text not null);
       grant select on notes_${round} to tankwatch_api;`,
    ],
  ];
}

/** Locks the tables in a read of 2.5 seconds, as pg_dump does. */
async function readLong({ owner }: Installation): Promise<void> {
  await transaction(owner, async (tx) => {
    await tx.query('select count(*) from tank_states, tanks where tank_states.tank_no = tanks.no');
    await sleep(LONG_READ_MS);
  });
}

interface Wait {
  ms: number;
  line: string;
}

/** Reads the waits of all sessions except the migrations. */
async function readWaits({ postgres }: Installation): Promise<Wait[]> {
  const folder = join(postgres.dataFolder, 'data', 'log');
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .join('')
    .split('\n')
    .filter((line) => !line.startsWith(`[${APPLICATION}]`))
    .flatMap((line) => {
      const [, ms] = /(?:acquired|still waiting for) .* after (\d+\.\d+) ms/.exec(line) ?? [];
      return ms === undefined ? [] : [{ ms: Number(ms), line }];
    });
}
