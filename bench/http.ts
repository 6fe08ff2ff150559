import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PrivateDatabase } from '../engines/database.ts';
import { findProgram } from '../engines/programs.ts';
import { createTenant, issueOneKey } from '../engines/tenant.ts';
import { until } from '../engines/until.ts';
import { TANK_BY_ID } from '../src/api/v1/tanks.ts';
import { TELEMETRY_OF_TANK } from '../src/api/v1/telemetry.ts';
import { VISIBLE_TANK_NO } from '../src/api/visible_tank.ts';
import type { Statement } from '../src/db/readers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { freePort } from '../src/setup/servers/free_port.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';
import { startBenchDatabase } from './database.ts';
import { atLeast, type BenchOptions, figure, type Report, round, upperMedian } from './report.ts';
import { numberAfter, runWrk } from './wrk.ts';

const run = promisify(execFile);

interface Fleet {
  key: string;
  organizationNo: number;
  tanks: { id: string; no: number }[];
}

/** One kind of request: its path, and the SQL statements behind it, which pgbench runs directly. */
interface Workload {
  name: string;
  path: (id: string) => string;
  sql: (organizationNo: number, tank: { id: string; no: number }) => string;
}

const WORKLOADS: Workload[] = [
  {
    name: 'one tank',
    path: (id) => `/v1/tanks/${id}`,
    sql: (organizationNo, tank) => inlineParameters(TANK_BY_ID, [organizationNo, 'null', `'${tank.id}'`]),
  },
  {
    name: 'telemetry page of 10',
    path: (id) => `/v1/tanks/${id}/telemetry`,
    sql: (organizationNo, tank) =>
      inlineParameters(VISIBLE_TANK_NO, [organizationNo, 'null', `'${tank.id}'`]) +
      inlineParameters(TELEMETRY_OF_TANK, [tank.no, `'-infinity'::timestamptz`, `'infinity'::timestamptz`, 0, 10]),
  },
];

/** Replaces the parameters by values and writes the statement on one line, as pgbench requires. */
const inlineParameters = ({ text }: Statement, values: (string | number)[]): string =>
  `${text
    .replace(/--.*$/gm, '')
    .replace(/\$(\d)/g, (_, n: string) => String(values[Number(n) - 1]))
    .replace(/\s+/g, ' ')};\n`;

/**
 * Compares requests per second through the whole stack with pgbench running the same prepared statements, and with a
 * minimal Express + ORM service, in turns within one run.
 */
export async function benchHttp({ isQuick, log }: BenchOptions): Promise<Report> {
  findProgram('wrk'); // before the fleet is created
  const seconds = isQuick ? 2 : 6;
  const rounds = isQuick ? 2 : 5;
  await using database = await startBenchDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-bench-'));
  const services: ChildProcess[] = [];
  try {
    log('creating a fleet');
    const fleet = await createFleet(database);
    const ours = await startService(services, database.urls.api, '../src/main.ts', 'api');
    const orm = await startService(services, database.urls.api, './express_orm.ts');

    const checks = [];
    const details: Record<string, object> = {};
    for (const workload of WORKLOADS) {
      const scripts = await writeScripts(folder.path, fleet, workload);
      const rates = { pgbench: [] as number[], ours: [] as number[], orm: [] as number[] };
      for (let turn = 0; turn <= rounds; turn++) {
        const pgbench = await pgbenchRate(database, database.urls.api, scripts.sql, seconds);
        const oursRate = await wrkRate(ours, fleet.key, scripts.lua, seconds);
        const ormRate = await wrkRate(orm, fleet.key, scripts.lua, seconds);
        log(
          `${workload.name}: pgbench ${round(pgbench)}/s, ours ${round(oursRate)}/s, express + orm ${round(ormRate)}/s`,
        );
        if (turn === 0) continue; // warm-up of plans, caches and compilers
        rates.pgbench.push(pgbench);
        rates.ours.push(oursRate);
        rates.orm.push(ormRate);
      }
      const ratio = (to: number[]): number =>
        upperMedian(rates.ours.map((rate, turn) => rate / (to[turn] ?? Number.NaN)));
      checks.push(
        atLeast(`${workload.name}: ratio to pgbench`, ratio(rates.pgbench), workload.name === 'one tank' ? 0.23 : 0.55),
        figure(`${workload.name}: requests/s`, upperMedian(rates.ours)),
        atLeast(`${workload.name}: times Express + ORM`, ratio(rates.orm), 5),
      );
      details[workload.name] = {
        pgbench_per_s: round(upperMedian(rates.pgbench)),
        ours_per_s: round(upperMedian(rates.ours)),
        express_orm_per_s: round(upperMedian(rates.orm)),
      };
    }
    return { name: 'http', checks, ...details };
  } finally {
    await Promise.all(services.map((service) => stopProcess(service, 'SIGKILL')));
  }
}

/** 500 tanks with four months of four readings a day. */
async function createFleet({ owner }: PrivateDatabase): Promise<Fleet> {
  const place = { city: 'Puebla', country: 'MX', latitude: 19.04, longitude: -98.2 };
  const address = { ...place, street: 'Avenida Juárez', street_number: '1' };
  const { organizationNo, tanks } = await createTenant(owner, {
    devices: 500,
    tank: () => ({ use_case: 'residential', ...address }),
  });
  const ingester = new BatchIngester(owner);
  for (let n = 0; n < 480; n++) {
    const atMs = Date.UTC(2025, 0, 1) + n * 21_600_000;
    await ingester.ingestReadings(
      tanks.map((tank, index) => ({ tankNo: tank.no, atMs, fillPercentage: ((n + index) % 700) / 10 + 10 })),
    );
  }
  await owner.query('vacuum analyze');
  return { organizationNo, tanks, key: await issueOneKey(owner, { organizationNo }) };
}

/** Starts one of the two compared services, and waits until it answers. It gets its port as API_PORT. */
async function startService(services: ChildProcess[], url: string, file: string, ...args: string[]): Promise<string> {
  const port = await freePort();
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { ...process.env, API_DATABASE_URL: url, API_HOST: '127.0.0.1', API_PORT: String(port) };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  services.push(spawn(process.execPath, [path, ...args], { env, stdio: [...stdio] }));
  const address = `http://127.0.0.1:${port}`;
  await until(`${file} answers`, () => fetch(`${address}/readyz`).catch(() => undefined));
  return address;
}

/** Writes the requests for pgbench and for wrk. All are for the same 16 tanks. */
async function writeScripts(folder: string, fleet: Fleet, workload: Workload): Promise<{ sql: string[]; lua: string }> {
  const chosen = fleet.tanks.filter((_, index) => index % 31 === 0).slice(0, 16);
  const sql = await Promise.all(
    chosen.map(async (tank, index) => {
      const file = join(folder, `${index}.sql`);
      await writeFile(file, workload.sql(fleet.organizationNo, tank));
      return file;
    }),
  );
  const lua = join(folder, 'requests.lua');
  const paths = chosen.map((tank) => `'${workload.path(tank.id)}'`).join(', ');
  await writeFile(
    lua,
    `local paths = {${paths}}\nlocal n = 0\nrequest = function()\n  n = n % #paths + 1\n  return wrk.format('GET', paths[n])\nend\n`,
  );
  return { sql, lua };
}

/** Measures transactions per second of 8 clients of pgbench. */
export async function pgbenchRate(
  { postgres: { binFolder } }: PrivateDatabase,
  url: string,
  scripts: readonly string[],
  seconds: number,
): Promise<number> {
  const options = ['-n', '-M', 'prepared', '-c', '8', '-j', '2', '-T', String(seconds)];
  const args = [...options, ...scripts.flatMap((file) => ['-f', file]), url];
  const env = { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan -c jit=off' };
  const { stdout } = await run(join(binFolder, 'pgbench'), args, { env });
  return numberAfter(stdout, /tps = ([\d.]+)/);
}

async function wrkRate(url: string, key: string, lua: string, seconds: number): Promise<number> {
  const { perSecond, requests, refused } = await runWrk(url, { key, seconds, script: lua });
  // An api without enough CPU refuses requests with 503. Only served requests count.
  return (1 - refused / requests) * perSecond;
}
