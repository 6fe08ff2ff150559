import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { importUpload, type Upload } from '../../src/catalog/import_upload.ts';
import { createOrganization } from '../../src/catalog/organizations.ts';
import { rolledBack, transaction } from '../../src/db/pool.ts';
import { NO_EMAIL } from '../../src/values/no_email.ts';
import { usualConstants } from '../../src/values/usual_constants.ts';
import { EXPORTS } from '../files/exports.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { type TestDatabase, test } from '../support/test.ts';

const folder = await mkdtemp(join(tmpdir(), 'tankwatch-exports-'));
afterAll(() => rm(folder, { recursive: true }));

const STORED = {
  customers: 'select external_key, name, email, phone from customers where organization_no = $1 order by external_key',
  tanks: 'select * from tanks where organization_no = $1 order by no',
  readings: `select r.created_at, r.fill_percentage from telemetry r join tanks t on t.no = r.tank_no
    where t.organization_no = $1 order by r.created_at`,
};

/** Tries a file as the page of the console does, and then again with the proposed values. */
async function importAsConsole(
  { operator }: TestDatabase,
  organizationNo: number,
  upload: Pick<Upload, 'bytes' | 'fileName' | 'sheet'>,
) {
  const options = {
    organizationNo,
    change: <T>(work: Parameters<typeof rolledBack<T>>[1]) => rolledBack(operator, work),
  };
  const tried = await importUpload(operator, upload, { ...options, isDryRun: true, async onStored() {} });
  const given = Object.fromEntries(tried.constants.map(({ field, value }) => [field, value]));
  const columns = Object.fromEntries(tried.mapped_columns.map(({ field, heading }) => [field, heading]));
  const constants = usualConstants(
    { what: tried.what, columns, constants: given, missing: tried.missing },
    { nameOfTank: 'Tank', unit: 'liters', noEmail: NO_EMAIL },
  );
  const mapped = { ...upload, what: tried.what, mapping: { columns, constants } };
  return importUpload(operator, mapped, { ...options, isDryRun: true, async onStored() {} });
}

test('nine of ten exported files need no edit', () => {
  expect([EXPORTS.length, EXPORTS.filter(({ needsEdit }) => needsEdit).length]).toEqual([10, 1]);
});

for (const [index, file] of EXPORTS.entries()) {
  test(`${file.name} is imported with one command, again with its mapping file, and in the same way by the console`, async ({
    database,
  }) => {
    const code = `a0x${index}`;
    const no = await transaction(database.operator, (tx) =>
      createOrganization(tx, { code, name: code, language: file.language }),
    );
    const paths: string[] = [];
    for (const [name, bytes] of Object.entries(file.files)) {
      paths.push(join(folder, `${index}-${name}`));
      await writeFile(paths.at(-1) ?? '', bytes);
    }
    const mapping = join(folder, `${index}.json`);
    const run = (...args: string[]) =>
      runCommand(['import', ...paths, '--organization', code, '--mapping', mapping, ...args, '--yes', '--json'], {
        DATABASE_URL: database.urls.operator,
      });
    const first = await run();
    const tables = (
      text: string,
    ): { kind: string; read: number; bad?: number; rejected?: number; unchanged?: number }[] => JSON.parse(text).tables;
    expect(first.stdout, first.stderr).toMatch(/^\{/);
    expect(tables(first.stdout).map(({ kind, read, bad, rejected }) => [kind, read, bad ?? rejected])).toEqual(
      file.tables,
    );
    for (const sentence of file.errors ?? []) expect(first.stderr).toMatch(sentence);
    for (const kind of ['customers', 'tanks', 'readings'] as const) {
      const { rows } = await database.owner.query(STORED[kind], [no]);
      expect(rows).toHaveLength(file[kind]?.length ?? 0);
      expect(rows).toMatchObject(file[kind] ?? []);
    }

    expect(JSON.parse(await readFile(mapping, 'utf8')).tables.map(({ what }: { what: string }) => what)).toEqual(
      file.tables.map(([kind]) => kind),
    );
    const again = tables((await run()).stdout).filter(({ kind }) => kind !== 'readings');
    expect(again.map(({ read, unchanged }) => [read, unchanged])).toEqual(
      again.map(({ read, bad = 0 }) => [read, read - bad]),
    );
    const sheets = index === 7 ? { sheet: 'Behälter' } : {};
    const [name = '', bytes = new Uint8Array()] = Object.entries(file.files)[0] ?? [];
    const { counts } = await importAsConsole(database, no, { bytes, fileName: name, ...sheets });
    expect(counts).toMatchObject({ rows: again[0]?.read, created: 0, updated: 0, refused: again[0]?.bad });
  });
}
