import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { runProgram } from '../support/client.ts';
import { givenFolder } from '../support/folder.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INSTALL_GUIDE = 'docs/operators/install.md';
const NOTES = '## 9.9.9 (unreleased)\n\n- Something users notice.\n\n## 9.9.8 (2026-01-01)\n\n- Older.\n';

/** A repository with the files that a release changes. Its checks do nothing. */
async function givenRepository(
  changelog: string,
): Promise<{ folder: string; git: (...args: string[]) => Promise<string> }> {
  const folder = await givenFolder();
  const files = [
    'package-lock.json',
    'packages/client/package.json',
    'packages/client/README.md',
    'packages/python/pyproject.toml',
    INSTALL_GUIDE,
  ];
  for (const file of files) await cp(join(ROOT, file), join(folder, file));
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const schema = 'mkdir -p migrations/released && echo select > migrations/released/9.9.9.sql';
  const scripts = { check: 'echo checked', test: 'echo tested', schema, tarball: 'echo built' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts, workspaces: [] }, null, 2));
  await writeFile(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${changelog}`);
  const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
  const git = async (...args: string[]): Promise<string> =>
    (await run(findProgram('git'), [...identity, ...args], { cwd: folder })).stdout;
  await git('init', '--quiet');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Start');
  return { folder, git };
}

const GIT_IDENTITY = {
  GIT_AUTHOR_NAME: 'Tester',
  GIT_AUTHOR_EMAIL: 'tester@example.com',
  GIT_COMMITTER_NAME: 'Tester',
  GIT_COMMITTER_EMAIL: 'tester@example.com',
};

const release = (folder: string, args: string[] = [], env: Record<string, string> = {}) =>
  runProgram(process.execPath, [join(ROOT, 'scripts/release.ts'), ...args], {
    cwd: folder,
    env: { ...GIT_IDENTITY, ...env },
  });

test('a dry run prints the steps and changes nothing, with --dry-run before or after the separator of npm', async () => {
  const { folder, git } = await givenRepository(NOTES);
  for (const dryRun of [
    await release(folder, ['--dry-run']),
    await release(folder, [], { npm_config_dry_run: 'true' }),
  ]) {
    expect([dryRun.code, dryRun.stderr]).toEqual([0, '']);
    expect(dryRun.stdout).toMatch(/^releasing 9\.9\.9 [^]*Something users notice[^]*would tag: +v9\.9\.9/);
    expect(dryRun.stdout).not.toContain('Older');
  }
  expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', '']);
});

test('a release runs the checks, sets every version, dates the section of the changelog, commits and tags', async () => {
  const { folder, git } = await givenRepository(NOTES);
  const made = await release(folder);
  expect([made.code, made.stderr]).toEqual([0, expect.not.stringContaining('no release')]);
  expect(made.stdout).toMatch(/checked[^]*tested[^]*built[^]*committed and tagged v9\.9\.9/);
  expect([await git('log', '-1', '--format=%s'), await git('tag')]).toEqual(['Release 9.9.9\n', 'v9.9.9\n']);
  expect(await git('status', '--porcelain')).toBe('');
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  expect(await git('ls-files', 'migrations')).toBe('migrations/released/9.9.9.sql\n');
  expect(await read('CHANGELOG.md')).toMatch(/^## 9\.9\.9 \(\d{4}-\d\d-\d\d\)$/m);
  expect(JSON.parse(await read('package.json')).version).toBe('9.9.9');
  expect(JSON.parse(await read('packages/client/package.json')).version).toBe('9.9.9');
  expect(await read('packages/python/pyproject.toml')).toContain('\nversion = "9.9.9"\n');
  expect(await read(INSTALL_GUIDE)).toContain('--file=tankwatch-9.9.9.tar.gz');
  const lock = JSON.parse(await read('package-lock.json'));
  expect([lock.version, lock.packages[''].version, lock.packages['packages/client'].version]).toEqual(
    Array(3).fill('9.9.9'),
  );
});

test('a release whose tarball cannot be built changes nothing', async () => {
  const { folder, git } = await givenRepository(NOTES);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const scripts = { ...manifest.scripts, tarball: 'false' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }, null, 2));
  await git('commit', '--quiet', '--all', '--message', 'Break the tarball');
  const { code, stderr } = await release(folder);
  expect([code, stderr]).toEqual([1, expect.stringContaining('npm run tarball failed; nothing was changed')]);
  expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', '']);
});

test('no release is made of a changed tree, an empty section, an old version or after a failed check', async () => {
  const dirty = await givenRepository(NOTES);
  await writeFile(join(dirty.folder, 'forgotten.ts'), '');
  const unchecked = await givenRepository(NOTES);
  const manifest = JSON.parse(await readFile(join(unchecked.folder, 'package.json'), 'utf8'));
  await writeFile(
    join(unchecked.folder, 'package.json'),
    JSON.stringify({ ...manifest, scripts: { check: 'false' } }, null, 2),
  );
  await unchecked.git('commit', '--quiet', '--all', '--message', 'Break the check');
  const refusals: [string, RegExp][] = [
    [dirty.folder, /the working tree has changes[^]*forgotten\.ts/],
    [unchecked.folder, /npm run check failed; nothing was changed/],
    [(await givenRepository('## 9.9.9 (unreleased)\n\n## 9.9.8\n\n- Older.\n')).folder, /lists no change/],
    [(await givenRepository('## 9.9.9 (2026-01-01)\n\n- Released.\n')).folder, /has no section with a heading/],
    [(await givenRepository('## 0.0.1 (unreleased)\n\n- Something.\n')).folder, /0\.0\.1 is not newer/],
  ];
  for (const [folder, reason] of refusals) {
    const { code, stderr } = await release(folder);
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  }
});
