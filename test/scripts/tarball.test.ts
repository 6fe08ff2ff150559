import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { RoleProcess } from '../../engines/process.ts';
import { buildTarball, SHIPPED } from '../../scripts/release_tarball.ts';
import { openPool } from '../../src/db/pool.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { givenFolder } from '../support/folder.ts';
import { followImports } from '../support/imports.ts';
import { isWhole } from '../support/whole_tests.ts';

const whole = test.runIf(isWhole('scripts/tarball'));
const ROOT = join(import.meta.dirname, '../..');

const run = promisify(execFile);

async function givenEmptyDatabase(): Promise<string> {
  const root = openPool({ url: inject('serverUrl'), applicationName: 'tests' });
  const name = `tw_tarball_${randomBytes(6).toString('hex')}`;
  await root.query(`create database ${name}`);
  onTestFinished(async () => {
    await root.query(`drop database ${name} with (force)`);
    await root.end();
  });
  return databaseUrl(inject('serverUrl'), name);
}

test('every file that the command line imports is in the tarball', () => {
  const imported = followImports(join(ROOT, 'src/main.ts')).map(({ file }) => relative(ROOT, file));
  const missing = imported.filter(
    (file) => ![...SHIPPED, 'package.json'].some((path) => `${file}/`.startsWith(`${path}/`)),
  );
  expect([...missing]).toEqual([]);
});

whole(
  'the release tarball, unpacked into an empty folder, migrates a database and serves the API and the console',
  async () => {
    const folder = await givenFolder();
    const { version, files } = await buildTarball(join(folder, 'dist'), new Date('2026-01-01T00:00:00Z'));
    await run('sha256sum', ['--check', '--strict', files.checksums], { cwd: join(folder, 'dist') });
    await run('tar', ['--extract', `--file=${files.tarball}`], { cwd: folder });
    expect((await readdir(folder)).toSorted()).toEqual(['dist', `tankwatch-${version}`]);
    const home = join(folder, `tankwatch-${version}`);

    // The environment has only the Node of the machine, and no package of the source tree.
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, DATABASE_URL: await givenEmptyDatabase() };
    const tankwatch = (...args: string[]) => run(join(home, 'bin/tankwatch'), args, { env });
    expect((await tankwatch('--version')).stdout).toBe(`${version}\n`);
    expect((await tankwatch('config', 'check', 'api')).stdout).toBe('the settings are valid: api\n');
    expect((await tankwatch('migrate')).stdout).toContain('the database is up to date');

    const port = await freePort();
    const api = new RoleProcess(
      'api',
      { ...env, API_PORT: String(port), API_DRAIN_MS: '0' },
      join(home, 'src/main.ts'),
    );
    onTestFinished(() => api.stop());
    await api.start();
    const status = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect([await status('/readyz'), await status('/v1/tanks'), await status('/console/')]).toEqual([200, 401, 200]);
    expect(await status('/docs/operators/')).toBe(200);

    // The tarball has no compiler, no tests and no packages for developers.
    for (const path of ['node_modules/typescript', 'node_modules/vitest', 'node_modules/.bin/node', 'test', '.git'])
      expect([path, existsSync(join(home, path))]).toEqual([path, false]);
    const sbom = JSON.parse(await readFile(files.sbom, 'utf8'));
    const inSbom = new Set(sbom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)));
    const manifests = await Array.fromAsync(glob('node_modules/{*,@*/*}/package.json', { cwd: home }));
    expect(manifests.length).toBeGreaterThan(100);
    for (const manifest of manifests) {
      const installed = JSON.parse(await readFile(join(home, manifest), 'utf8'));
      expect(inSbom).toContain(`pkg:npm/${installed.name}@${installed.version}`);
    }
  },
);
