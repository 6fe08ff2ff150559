import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tankwatch } from '../support/cli.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { givenFleet } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** Runs the command in a separate process. Returns its exit code, stdout and stderr. */
async function telemetry(database: TestDatabase, args: string[], stdin = ''): Promise<[number | null, string, string]> {
  const environment = { DATABASE_URL: database.urls.operator };
  const { code, stdout, stderr } = await tankwatch(['telemetry', ...args], environment, stdin);
  return [code, stdout, stderr];
}

test('bad rows end the command with 1, are grouped on stderr, and all of them are in the files', async ({
  database,
}) => {
  const { organizationNo } = await givenFleet(database, ['CLI']);
  const organization = ['--organization', await organizationCodeOf(database.owner, organizationNo)];
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-import-'));
  const [good = '', bad = '', rejectedFile = '', badRowsFile = ''] = ['good', 'bad', 'rejected', 'bad_rows'].map(
    (name) => join(folder, `${name}.csv`),
  );
  await writeFile(good, 'device_id,Zeit,fill_percentage\nCLI,2025-01-01T00:00:00Z,50\n');
  await writeFile(bad, `device_id,created_at,fill_percentage\n${'"a,b",2025-01-01T00:00:00Z,50\n'.repeat(150)}`);

  const importing = ['import', ...organization, '--json', '--column', 'created_at=Zeit', good];
  expect(await telemetry(database, [...importing, '--dry-run'])).toEqual([
    0,
    '{"dry_run":true,"read":1,"stored":1,"duplicates":0,"rejected":0,"errors":[],"first_rows":[{"line":2,"device_id":"CLI","created_at":"2025-01-01T00:00:00.000Z","fill_percentage":50}]}\n',
    '',
  ]);
  const stored = '{"read":1,"stored":1,"duplicates":0,"rejected":0,"errors":[]}\n';
  expect(await telemetry(database, importing)).toEqual([0, stored, '']);

  const [code, stdout, stderr] = await telemetry(database, [
    'import',
    ...organization,
    '--rejected',
    rejectedFile,
    '--bad',
    badRowsFile,
    bad,
  ]);
  expect([code, stdout]).toEqual([1, '150 rows: 0 stored, 0 duplicates, 150 rejected\n']);
  expect(stderr).toMatch(/^unknown_device: The device "a,b" was not assigned .*, 150 lines, first 2, 3, 4\.\n$/);
  const badRows = (await readFile(badRowsFile, 'utf8')).split('\n');
  expect([badRows.length, badRows[0], badRows[150]]).toEqual([
    152,
    '\uFEFFreason,device_id,created_at,fill_percentage',
    expect.stringMatching(/^"The device ""a,b"" was not .*","a,b",2025-01-01T00:00:00Z,50$/),
  ]);
  const report = (await readFile(rejectedFile, 'utf8')).split('\n');
  expect([report.length, report[0], report[150]]).toEqual([
    152,
    'line,code,reason',
    expect.stringMatching(
      /^151,unknown_device,"The device ""a,b"" was not assigned to a tank of the organization at 2025-01-01/,
    ),
  ]);

  const [, ndjson] = await telemetry(database, ['export', ...organization, '--tank', 'CLI', '--json']);
  expect(JSON.parse(ndjson)).toMatchObject({ device_id: 'CLI', fill_percentage: 50 });
  const ndjsonImport = ['import', ...organization, '--format', 'ndjson', '-'];
  expect(await telemetry(database, ndjsonImport, ndjson)).toEqual([
    0,
    '1 rows: 0 stored, 1 duplicates, 0 rejected\n',
    '',
  ]);
  const [, , mistake] = await telemetry(database, ['import', ...organization, '-']);
  expect(mistake).toMatch(/use --format csv or --format ndjson/);
  await rm(folder, { recursive: true });
});
