import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { atLeast, atMost, type BenchOptions, figure, type Report } from '../bench/report.ts';
import { type Pipeline, startPipeline } from '../engines/pipeline.ts';
import { freePort } from '../engines/postgres.ts';
import { MIGRATIONS_FOLDER, migrate } from '../src/db/migrate.ts';
import { openPool, transaction } from '../src/db/pool.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { DEVICES, startLoad } from './load.ts';
import { untilDrained, verify } from './verify.ts';

const MAX_WAIT_MS = 500;
const APPLICATION = 'tankwatch migrate';
/** An operator's report or a dump, which holds its tables until it ends. */
const LONG_READ_MS = 2_500;

/**
 * Applies migrations of all kinds that a release may contain, while readings are stored and tanks are read, and while long
 * reads hold the same tables. Nobody may wait for a lock for longer than half a second.
 */
export async function runMigrations({ isQuick, log }: BenchOptions): Promise<Report> {
  const rounds = isQuick ? 2 : 15;
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-migrate-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const apiPort = await freePort();
  const pipeline = await startPipeline({
    devices: DEVICES,
    settings: { API_HOST: '127.0.0.1', API_PORT: String(apiPort), API_DRAIN_MS: '0' },
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
  cleanUp.defer(() => pipeline.stop());
  await Promise.all(['writer' as const, 'worker' as const, 'api' as const].map((name) => pipeline.role(name).start()));
  const load = startLoad(pipeline, { replayShare: 0.05 });
  const reads = await startReads(pipeline, `http://127.0.0.1:${apiPort}`);
  await sleep(3_000);
  reads.longestMs = 0;
  await sleep(3_000);
  const longestBeforeMs = reads.longestMs;

  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  const pool = openPool({ url: databaseOf(pipeline), applicationName: APPLICATION });
  cleanUp.defer(() => pool.end());
  const applied: string[] = [];
  let retries = 0;
  reads.longestMs = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [name, sql] of migrationsOf(round)) await writeFile(join(folder, name), sql);
    const reading = longRead(pipeline);
    await migrate(pool, {
      folder: pathToFileURL(`${folder}/`),
      onApplied: (name) => applied.push(name),
      onRetry: () => retries++,
    });
    await reading;
    log(`round ${round + 1} of ${rounds}: ${applied.length} migrations applied, ${retries} repeated`);
  }
  const longestDuringMs = reads.longestMs;
  await reads.stop();
  const { mqtt, http } = await load.stop();
  await untilDrained(pipeline);
  const checks = await verify(pipeline, [mqtt.record, http.record]);
  const waits = await readWaits(pipeline);
  for (const { line, ms } of waits) if (ms > MAX_WAIT_MS / 2) log(line);
  return {
    name: 'migrate',
    checks: [
      atLeast('migrations applied', applied.length, rounds * migrationsOf(0).length),
      atLeast('migrations rolled back and repeated, because a long read held their table', retries, 1),
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

/** What squawk and the released schema permit. The tables are those that every reading and every page uses. */
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

const databaseOf = ({ postgres }: Pipeline): string => {
  const url = new URL(postgres.url);
  url.pathname = '/fleet';
  return url.href;
};

/** Holds the tables for some seconds, as pg_dump does. */
async function longRead({ owner }: Pipeline): Promise<void> {
  await transaction(owner, async (tx) => {
    await tx.query('select count(*) from tank_states, tanks where tank_states.tank_no = tanks.no');
    await sleep(LONG_READ_MS);
  });
}

interface Wait {
  ms: number;
  line: string;
}

/** The waits of everybody but the migrations themselves. */
async function readWaits({ postgres }: Pipeline): Promise<Wait[]> {
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

interface Reads {
  requests: number;
  failed: number;
  longestMs: number;
  stop(): Promise<void>;
}

async function startReads({ owner }: Pipeline, url: string): Promise<Reads> {
  const key = await transaction(owner, async (tx) => {
    const { rows } = await tx.query<{ no: number }>('select no from organizations');
    const given = { organizationNo: rows[0]?.no ?? 0, name: 'reads', requestsPerSecond: 10_000, burst: 10_000 };
    return issueKey(tx, { ...given, scopes: ['read'] });
  });
  const { rows: tanks } = await owner.query<{ id: string }>('select id from tanks order by no limit 10');
  const paths = ['/v1/tanks', '/fleet/v1/tanks', ...tanks.map(({ id }) => `/v1/tanks/${id}/telemetry`)];
  const stopping = new AbortController();
  const reads = { requests: 0, failed: 0, longestMs: 0 };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startMs = performance.now();
      const path = paths[reads.requests++ % paths.length] ?? '/';
      const response = await fetch(`${url}${path}`, { headers: { 'x-api-key': key.text } }).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.status !== 200) reads.failed++;
      reads.longestMs = Math.max(reads.longestMs, performance.now() - startMs);
      await sleep(20);
    }
  };
  const running = Promise.all([run(), run(), run(), run()]);
  return Object.assign(reads, {
    async stop() {
      stopping.abort();
      await running;
    },
  });
}
