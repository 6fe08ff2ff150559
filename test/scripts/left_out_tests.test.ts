import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { findProgram } from '../../engines/programs.ts';
import { compareChanges } from '../../scripts/left_out_tests.ts';
import { runProgram } from '../support/client.ts';
import { COVERED_PATHS, fileOf, findLeftOut, QUICK_TESTS, TRIED_BY } from '../support/whole_tests.ts';

const ROOT = join(import.meta.dirname, '../..');
const PREVIOUS = { CI_BASE: 'HEAD^1' };

interface Repository {
  commit(file: string, text: string): Promise<void>;
  write(file: string, text: string): Promise<void>;
  head(): Promise<string>;
  /** The files that need not run in full, and what was compared. */
  leftOut(environment?: Record<string, string>): { names: string[]; reason: string };
}

const test = base.extend<{ repository: Repository }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
  repository: async ({}, use) => {
    const cwd = await mkdtemp(join(tmpdir(), 'tankwatch-changes-'));
    const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
    const git = (...args: string[]) => runProgram(findProgram('git'), [...identity, ...args], { cwd });
    await git('init', '--quiet');
    await cp(join(ROOT, 'package-lock.json'), join(cwd, 'package-lock.json'));
    const write = (file: string, text: string): Promise<void> => writeFile(join(cwd, file), text);
    await mkdir(join(cwd, '.ci'));
    await use({
      write,
      head: async () => (await git('rev-parse', 'HEAD')).stdout.trim(),
      async commit(file, text) {
        await write(file, text);
        await git('add', '.');
        await git('commit', '--quiet', '--message', file);
      },
      leftOut(environment = {}) {
        const { leftOut: names, compared: reason } = compareChanges(cwd, environment);
        return { names, reason };
      },
    });
    await rm(cwd, { recursive: true });
  },
});

base('each file in COVERED_PATHS has a part that can be left out, and covers paths that exist', async () => {
  for (const [name, covered] of Object.entries(COVERED_PATHS)) {
    const isTest = fileOf(name).endsWith('.test.ts');
    let mark = name in QUICK_TESTS ? `test('${QUICK_TESTS[name]}` : `isWhole('${name}')`;
    // `.ci/run` leaves out programs that are not tests by their names.
    if (!isTest) mark = `*' ${name} '*`;
    const text = await readFile(join(ROOT, isTest ? fileOf(name) : '.ci/run'), 'utf8');
    expect([name, text.includes(mark) || isTriedByOther(name)]).toEqual([name, true]);
    for (const path of covered) expect([name, path, existsSync(join(ROOT, path))]).toEqual([name, path, true]);
  }
});

/** Whether another file tries a part of the same, which always runs, at least its quick test. */
function isTriedByOther(name: string): boolean {
  const other = TRIED_BY[name];
  return other !== undefined && !(other in TRIED_BY) && existsSync(join(ROOT, fileOf(other)));
}

base('a file runs in full if a covered path, an import from outside of src or the runner changes', () => {
  const all = Object.keys(COVERED_PATHS);
  expect(findLeftOut(['CHANGELOG.md'])).toEqual(all);
  expect(findLeftOut(['vitest.config.ts'])).toEqual([]);
  expect(findLeftOut(['docs/operators/daily.md'])).toEqual(all.filter((name) => name !== 'docs/commands'));
  expect(findLeftOut(['packages/console/src/app.tsx'])).toEqual(all.filter((name) => name !== 'console/console_looks'));
  expect(findLeftOut(['packages/console/src/map/fleet_map.tsx'])).not.toContain('console/map');
  expect(findLeftOut(['test/console/console_test.ts'])).not.toContain('console/map');
  expect(findLeftOut(['faults/verify.ts'])).not.toContain('faults/ingest');
  expect(findLeftOut(['faults/verify.ts'])).toContain('console/map');
});

test('without a commit to compare with, everything runs', async ({ repository }) => {
  expect(repository.leftOut()).toMatchObject({ names: [], reason: expect.stringContaining('all tests run') });
  await repository.commit('README.md', 'one');
  expect(repository.leftOut()).toMatchObject({ names: [], reason: expect.stringContaining('all tests run') });
  await repository.commit('README.md', 'two');
  expect(repository.leftOut()).toMatchObject({ names: [], reason: expect.stringContaining('all tests run') });
  expect(repository.leftOut(PREVIOUS).names).toContain('console/map');
  expect(repository.leftOut({ CI_BASE: '0'.repeat(40) }).names).toEqual([]);
  expect(repository.leftOut({ CI_ALL: '1' }).names).toEqual([]);
});

test('all changes since the commit CI_BASE count, also those that are not committed', async ({ repository }) => {
  for (const text of ['one', 'two']) await repository.commit('README.md', text);
  await repository.commit('CHANGELOG.md', 'three');
  const { names, reason } = repository.leftOut(PREVIOUS);
  expect(names).toContain('docs/readme');
  expect(reason).toMatch(
    /files that differ from [0-9a-f]{12}: 1\nonly the quick tests of these files run.*docs\/readme/,
  );
  expect(repository.leftOut({ CI_BASE: 'HEAD~2' }).names).not.toContain('docs/readme');
  await repository.write('vitest.config.ts', '');
  expect(repository.leftOut(PREVIOUS).names).toEqual([]);
});

test('on main all changes since the last full run count, if its commit is part of the history', async ({
  repository,
}) => {
  for (const text of ['one', 'two']) await repository.commit('README.md', text);
  const full = await repository.head();
  await repository.commit('.ci/last_full_run', full);
  expect(repository.leftOut().names).toContain('docs/readme');
  await repository.commit('README.md', 'three');
  expect(repository.leftOut().names).not.toContain('docs/readme');
  await repository.commit('.ci/last_full_run', '0'.repeat(40));
  expect(repository.leftOut()).toMatchObject({ names: [], reason: expect.stringContaining('all tests run') });
});

test('a change of the lock file counts only if it changes a package', async ({ repository }) => {
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  await repository.commit('package-lock.json', lock);
  await repository.commit('package-lock.json', lock.replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
  expect(repository.leftOut(PREVIOUS).names).toContain('docs/readme');
  await repository.commit('package-lock.json', lock.replace(/"integrity": "[^"]+"/, '"integrity": "other"'));
  expect(repository.leftOut(PREVIOUS).names).toEqual([]);
});
