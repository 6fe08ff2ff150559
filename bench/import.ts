import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { startApi } from '../engines/api.ts';
import type { Database } from '../engines/database.ts';
import { issueOneKey } from '../engines/tenant.ts';
import { createCustomers } from '../src/catalog/customers.ts';
import { importFile } from '../src/catalog/import_file.ts';
import { TANK_IMPORT } from '../src/catalog/import_targets.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { transaction } from '../src/db/pool.ts';
import { startBenchDatabase } from './database.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report, round } from './report.ts';

const run = promisify(execFile);
const OWNERS = 50_000;
/** The limit of lines of one request. */
const LINES_OF_A_REQUEST = 10_000;
/** The import holds the 2 million unique keys of a million rows in memory, some 50 bytes each, but not the rows. */
const LITTLE_MEMORY_MB = 256;

/** Compares the import of tanks from CSV with a plain COPY of the same rows into a table with the same indexes. */
export async function benchImport({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 100_000 : 1_000_000;
  await using database = await startBenchDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-bench-'));
  const { owner, ownerUrl, postgres } = database;
  const file = join(folder.path, 'tanks.csv');
  await writeTanks(file, tanks);
  const organizationNo = await createOwners(owner, 'a0bench');
  await owner.query('vacuum analyze');
  const imported = await measureSeconds(() => importTanks(owner, organizationNo, file, log));
  const again = await measureSeconds(() => importWithLittleMemory(ownerUrl, file));

  // Copies the same rows over one connection: first into a table with the same columns and indexes but without foreign
  // keys and triggers, then into `tanks`, whose triggers maintain counters, assignments and the audit log.
  const rows = join(postgres.dataFolder, 'rows');
  await owner.query('create table bare (like tanks including all)');
  await owner.query(`copy (select * from tanks order by no) to '${rows}'`);
  const copied = await measureSeconds(() => owner.query(`copy bare from '${rows}'`));
  await owner.query(
    'truncate tanks, fleet_tanks, fleet_levels, tank_weather, device_assignments, catalog_month_counters, catalog_buckets',
  );
  const copiedWithTriggers = await measureSeconds(() => owner.query(`copy tanks from '${rows}'`));

  const { file: byFile, http: byHttp } = await compareWithHttp(database, folder.path, isQuick ? 20_000 : 100_000, log);

  return {
    name: 'import',
    checks: [
      atLeast('speed of a first import: ratio to COPY', copied.seconds / imported.seconds, 0.3),
      figure(
        'speed of a first import: ratio to COPY into the table itself, with its triggers',
        copiedWithTriggers.seconds / imported.seconds,
      ),
      atMost(`rows changed by the same file again, in a heap of ${LITTLE_MEMORY_MB} MB`, again.result, 0),
      atLeast(
        `speed of ${byFile.tanks} tanks over HTTP, 10,000 a request: ratio to the import of a file`,
        byFile.seconds / byHttp.seconds,
        0.5,
      ),
      atLeast('tanks created by the requests over HTTP', byHttp.tanks, byFile.tanks),
    ],
    rows: tanks,
    import_rows_per_s: round(tanks / imported.seconds),
    import_again_rows_per_s: round(tanks / again.seconds),
    copy_rows_per_s: round(tanks / copied.seconds),
    copy_with_triggers_rows_per_s: round(tanks / copiedWithTriggers.seconds),
    import_small_rows_per_s: round(byFile.tanks / byFile.seconds),
    http_rows_per_s: round(byHttp.tanks / byHttp.seconds),
  };
}

/** Creates an organization with customers that have no tanks. */
const createOwners = (owner: Pool, code: string): Promise<number> =>
  transaction(owner, async (tx) => {
    const no = await createOrganization(tx, { code, name: code });
    for (let first = 0; first < OWNERS; first += 5_000) {
      const batch = Array.from({ length: 5_000 }, (_, n) => ({
        external_key: `C-${first + n}`,
        email: `c${first + n}@example.com`,
        name: `Customer ${first + n}`,
      }));
      await createCustomers(tx, no, batch);
    }
    return no;
  });

const importTanks = (owner: Pool, organizationNo: number, file: string, log: (line: string) => void) =>
  importFile(owner, { name: file, isRepeatable: true, chunks: () => createReadStream(file) }, TANK_IMPORT, {
    organizationNo,
    columns: {},
    change: (work) => transaction(owner, work),
    onBadRow: ({ line, errors }) => {
      throw new Error(`line ${line}: ${errors.map(({ problem }) => problem).join('; ')}`);
    },
    onProgress: (phase, rows) => {
      if (rows % 100_000 === 0) log(`${phase} ${rows}`);
    },
  });

/** Creates the same tanks in two organizations: one imports a file, the other one sends requests to `/manage/v1`. */
async function compareWithHttp(
  { owner, urls }: Database,
  folder: string,
  tanks: number,
  log: (line: string) => void,
): Promise<Record<'file' | 'http', { tanks: number; seconds: number }>> {
  const file = join(folder, 'some_tanks.csv');
  await writeTanks(file, tanks);
  const fileOrganizationNo = await createOwners(owner, 'a0file');
  const httpOrganizationNo = await createOwners(owner, 'a0http');
  const key = await issueOneKey(owner, { organizationNo: httpOrganizationNo, scopes: ['read', 'manage'] });
  await owner.query('vacuum analyze');
  const imported = await measureSeconds(() => importTanks(owner, fileOrganizationNo, file, log));
  const api = await startApi(urls.api, {
    MANAGE_DATABASE_URL: urls.manager,
    API_SECRETS_KEY: 'an-api-secrets-key-of-the-benchmark',
  });
  try {
    const sent = await measureSeconds(async () => {
      let created = 0;
      for (let first = 0; first < tanks; first += LINES_OF_A_REQUEST) created += await sendTanks(api.url, key, first);
      return created;
    });
    return { file: { tanks, seconds: imported.seconds }, http: { tanks: sent.result, seconds: sent.seconds } };
  } finally {
    await api.close();
  }
}

/** Sends tanks in one request. Returns how many were created. */
async function sendTanks(apiUrl: string, key: string, first: number): Promise<number> {
  const response = await fetch(`${apiUrl}/manage/v1/tanks/bulk`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' },
    body: Array.from({ length: LINES_OF_A_REQUEST }, (_, n) => {
      const { owner, city, country, street, street_number, postal_code, latitude, longitude, ...tank } = tankAt(
        first + n,
      );
      const location = { city, country, street, street_number, postal_code, latitude, longitude };
      return JSON.stringify({ ...tank, owner_external_key: owner, location });
    }).join('\n'),
  });
  const { summary } = JSON.parse((await response.text()).trimEnd().split('\n').at(-1) ?? '{}') as {
    summary?: { created: number };
  };
  if (response.status !== 200 || summary === undefined) throw new Error(`the bulk request returned ${response.status}`);
  return summary.created;
}

/** Imports the same file with the command line and a small heap. Returns how many rows were changed. */
async function importWithLittleMemory(url: string, file: string): Promise<number> {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const flags = [`--max-old-space-size=${LITTLE_MEMORY_MB}`, '--max-semi-space-size=8'];
  const args = [...flags, main, 'tanks', 'import', file, '--organization', 'a0bench', '--json'];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, OPERATOR_DATABASE_URL: url } });
  const { created, updated } = JSON.parse(stdout) as { created: number; updated: number };
  return created + updated;
}

async function measureSeconds<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1_000 };
}

const tankAt = (n: number) => ({
  owner: `C-${n % OWNERS}`,
  custom_id: `t-${n}`,
  name: `Tank ${n}`,
  assigned_device_id: `DEV${n}`,
  capacity: 500,
  capacity_unit: 'liters',
  min_fill_alert_percentage: 20,
  use_case: 'residential',
  city: 'Puebla',
  country: 'MX',
  street: 'Avenida Juárez, sur',
  street_number: String(n % 900),
  postal_code: '72160',
  latitude: 19.04,
  longitude: -98.2,
  created_at: new Date(Date.UTC(2016, 0, 1) + n * 300_000).toISOString(),
});

async function writeTanks(file: string, tanks: number): Promise<void> {
  const out = createWriteStream(file);
  out.write(`${Object.keys(tankAt(0)).join()}\n`);
  for (let n = 0; n < tanks; n++) {
    const line = Object.values(tankAt(n)).map((value) => (String(value).includes(',') ? `"${value}"` : value));
    if (!out.write(`${line.join()}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}
