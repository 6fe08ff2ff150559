import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, stopProcess } from '../engines/postgres.ts';
import { TANK_BY_ID } from '../src/api/v1/tanks.ts';
import { TELEMETRY_OF_TANK } from '../src/api/v1/telemetry.ts';
import { VISIBLE_TANK_NO } from '../src/api/visible_tank.ts';
import { createCustomers } from '../src/catalog/customers.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { createTanks } from '../src/catalog/tanks.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { transaction } from '../src/db/pool.ts';
import type { Statement } from '../src/db/readers.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { type Installation, startInstallation } from './installation.ts';
import { atLeast, type BenchOptions, median, type Report, round } from './report.ts';

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
    sql: (organizationNo, tank) => bare(TANK_BY_ID, [organizationNo, 'null', `'${tank.id}'`]),
  },
  {
    name: 'telemetry page of 10',
    path: (id) => `/v1/tanks/${id}/telemetry`,
    sql: (organizationNo, tank) =>
      bare(VISIBLE_TANK_NO, [organizationNo, 'null', `'${tank.id}'`]) +
      bare(TELEMETRY_OF_TANK, [tank.no, `'-infinity'::timestamptz`, `'infinity'::timestamptz`, 0, 10]),
  },
];

/** Puts values in the place of the parameters and writes the statement on one line, as pgbench requires. */
const bare = ({ text }: Statement, values: (string | number)[]): string =>
  `${text
    .replace(/--.*$/gm, '')
    .replace(/\$(\d)/g, (_, n: string) => String(values[Number(n) - 1]))
    .replace(/\s+/g, ' ')};\n`;

/**
 * Compares requests per second through the whole stack with pgbench running the same prepared statements, and with a
 * minimal Express + ORM service, in turns within one run.
 */
export async function benchHttp({ isQuick, log }: BenchOptions): Promise<Report> {
  await run('wrk', ['-v']).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') throw new Error('this benchmark needs wrk; install it with: apt-get install wrk');
  });
  const seconds = isQuick ? 2 : 6;
  const rounds = isQuick ? 2 : 5;
  const installation = await startInstallation();
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-bench-'));
  const services: ChildProcess[] = [];
  try {
    log('creating a fleet');
    const fleet = await createFleet(installation);
    const ours = await startService(services, '../src/main.ts', ['api'], installation);
    const orm = await startService(services, './express_orm.ts', [installation.apiUrl], installation);

    const checks = [];
    const details: Record<string, object> = {};
    for (const workload of WORKLOADS) {
      const scripts = await writeScripts(folder, fleet, workload);
      const rates = { pgbench: [] as number[], ours: [] as number[], orm: [] as number[] };
      for (let turn = 0; turn <= rounds; turn++) {
        const pgbench = await pgbenchRate(installation, scripts.sql, seconds);
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
      const ratio = (to: number[]): number => median(rates.ours.map((rate, turn) => rate / (to[turn] ?? Number.NaN)));
      checks.push(
        atLeast(`${workload.name}: ratio to pgbench`, ratio(rates.pgbench), workload.name === 'one tank' ? 0.2 : 0.45),
        atLeast(`${workload.name}: times Express + ORM`, ratio(rates.orm), 5),
      );
      details[workload.name] = {
        pgbench_per_s: round(median(rates.pgbench)),
        ours_per_s: round(median(rates.ours)),
        express_orm_per_s: round(median(rates.orm)),
      };
    }
    return { name: 'http', checks, ...details };
  } finally {
    await Promise.all(services.map((service) => stopProcess(service, 'SIGKILL')));
    await rm(folder, { recursive: true, force: true });
    await installation.stop();
  }
}

/** 500 tanks with four months of four readings a day. */
async function createFleet({ owner }: Installation): Promise<Fleet> {
  const fleet = await transaction(owner, async (tx) => {
    const organizationNo = await createOrganization(tx, { code: 'a0bench', name: 'Bench' });
    const customer = onlyRow(await createCustomers(tx, organizationNo, [{ email: 'b@example.com', name: 'B' }]));
    const planned = Array.from({ length: 500 }, (_, n) => ({
      owner_no: customer.no,
      assigned_device_id: `D${n}`,
      capacity: 500,
      capacity_unit: 'liters' as const,
      min_fill_alert_percentage: 20,
      name: `Tank ${n}`,
      use_case: 'residential' as const,
      city: 'Puebla',
      country: 'MX',
      latitude: 19.04,
      longitude: -98.2,
      street: 'Avenida Juárez',
      street_number: '1',
    }));
    const created = await createTanks(tx, organizationNo, planned);
    const limits = { requestsPerSecond: 1_000_000, burst: 1_000_000 };
    const { text } = await issueKey(tx, { organizationNo, name: 'bench', scopes: ['read'], ...limits });
    return { organizationNo, tanks: created, key: text };
  });
  const ingester = new BatchIngester(owner);
  for (let n = 0; n < 480; n++) {
    const atMs = Date.UTC(2025, 0, 1) + n * 21_600_000;
    await ingester.ingestReadings(
      fleet.tanks.map((tank, index) => ({ tankNo: tank.no, atMs, fillPercentage: ((n + index) % 700) / 10 + 10 })),
    );
  }
  await owner.query('vacuum analyze');
  return fleet;
}

async function startService(
  services: ChildProcess[],
  file: string,
  args: string[],
  installation: Installation,
): Promise<string> {
  const port = await freePort();
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { ...process.env, API_DATABASE_URL: installation.apiUrl, API_HOST: '127.0.0.1', API_PORT: String(port) };
  const service = spawn(process.execPath, [path, ...args, ...(args[0] === 'api' ? [] : [String(port)])], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  services.push(service);
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + 20_000; ; ) {
    const isUp = await fetch(`${url}/readyz`).then(
      () => true,
      () => false,
    );
    if (isUp) return url;
    if (Date.now() > deadline) throw new Error(`${file} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** All three request the same 16 tanks. */
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

async function pgbenchRate(installation: Installation, scripts: string[], seconds: number): Promise<number> {
  const { binFolder } = installation.postgres;
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    '8',
    '-j',
    '2',
    '-T',
    String(seconds),
    ...scripts.flatMap((file) => ['-f', file]),
    installation.apiUrl,
  ];
  const env = { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan -c jit=off' };
  const { stdout } = await run(join(binFolder, 'pgbench'), args, { env });
  return numberAfter(stdout, /tps = ([\d.]+)/);
}

async function wrkRate(url: string, key: string, lua: string, seconds: number): Promise<number> {
  const { stdout } = await run('wrk', ['-t1', '-c32', `-d${seconds}s`, '-s', lua, '-H', `X-API-Key: ${key}`, url]);
  if (stdout.includes('Socket errors')) throw new Error(`requests failed under load:\n${stdout}`);
  // An api without enough CPU refuses requests with 503. Only served requests count.
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const share = 1 - refused / numberAfter(stdout, /(\d+) requests in/);
  return share * numberAfter(stdout, /Requests\/sec:\s+([\d.]+)/);
}

function numberAfter(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`no figure in:\n${text}`);
  return Number(found);
}
