import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCustomers } from '../src/catalog/customers.ts';
import { importFile } from '../src/catalog/import_file.ts';
import { TANK_IMPORT } from '../src/catalog/import_targets.ts';
import { createOrganization } from '../src/catalog/organizations.ts';
import { transaction } from '../src/db/pool.ts';
import { startBenchDatabase } from './database.ts';
import { atLeast, atMost, type BenchOptions, figure, type Report, round } from './report.ts';

const run = promisify(execFile);
const OWNERS = 50_000;
/** A million rows have 2 million unique keys of some 50 bytes, which the import holds; the rows it does not. */
const LITTLE_MEMORY_MB = 256;

/** Compares the import of tanks from CSV with a plain COPY of the same rows into a table with the same indexes. */
export async function benchImport({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 100_000 : 1_000_000;
  const database = await startBenchDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-bench-'));
  try {
    const { owner, ownerUrl, postgres } = database;
    const file = join(folder, 'tanks.csv');
    await writeTanks(file, tanks);
    const organizationNo = await transaction(owner, async (tx) => {
      const no = await createOrganization(tx, { code: 'a0bench', name: 'Bench' });
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
    await owner.query('vacuum analyze');

    const importTanks = () =>
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
    const imported = await seconds(importTanks);
    const again = await seconds(() => importWithLittleMemory(ownerUrl, file));

    // COPY the same rows over one connection: first into a table with the same columns and indexes but without foreign
    // keys and triggers, then into the table itself, whose triggers maintain counters, assignments and the audit log.
    const rows = join(postgres.dataFolder, 'rows');
    await owner.query('create table bare (like tanks including all)');
    await owner.query(`copy (select * from tanks order by no) to '${rows}'`);
    const copied = await seconds(() => owner.query(`copy bare from '${rows}'`));
    await owner.query(
      'truncate tanks, fleet_tanks, fleet_levels, device_assignments, catalog_month_counters, catalog_buckets',
    );
    const copiedForReal = await seconds(() => owner.query(`copy tanks from '${rows}'`));

    return {
      name: 'import',
      checks: [
        atLeast('speed of a first import: ratio to COPY', copied.seconds / imported.seconds, 0.3),
        figure(
          'the same: ratio to COPY into the table itself, with its triggers',
          copiedForReal.seconds / imported.seconds,
        ),
        atMost(`rows changed by the same file again, in a heap of ${LITTLE_MEMORY_MB} MB`, again.result, 0),
      ],
      rows: tanks,
      import_rows_per_s: round(tanks / imported.seconds),
      import_again_rows_per_s: round(tanks / again.seconds),
      copy_rows_per_s: round(tanks / copied.seconds),
      copy_with_triggers_rows_per_s: round(tanks / copiedForReal.seconds),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await database.stop();
  }
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

async function seconds<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1_000 };
}

async function writeTanks(file: string, tanks: number): Promise<void> {
  const out = createWriteStream(file);
  out.write(
    'owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage,use_case,city,country,street,street_number,postal_code,latitude,longitude,created_at\n',
  );
  for (let n = 0; n < tanks; n++) {
    const createdAt = new Date(Date.UTC(2016, 0, 1) + n * 300_000).toISOString();
    const line = `C-${n % OWNERS},t-${n},Tank ${n},DEV${n},500,liters,20,residential,Puebla,MX,"Avenida Juárez, sur",${n % 900},72160,19.04,-98.2,${createdAt}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}
