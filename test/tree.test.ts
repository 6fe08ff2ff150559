import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROLES = new Set(['api', 'gateway', 'writer', 'worker', 'cli']);
const NOUNS = new Set([
  'keys',
  'catalog',
  'telemetry',
  'estimator',
  'alerts',
  'evaluation',
  'ingest',
  'fleet',
  'webhooks',
  'mail',
  'simulation',
  'doctor',
  'http',
]);
const ENGINES = new Set(['db', 'stream', 'health', 'values']);

/** Which folder of src each file imports from. */
async function imports(): Promise<{ file: string; from: string; to: string }[]> {
  const arrows: { file: string; from: string; to: string }[] = [];
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const path = relative(join(ROOT, 'src'), join(ROOT, dirname(file), target));
      arrows.push({ file, from: folderOf(relative('src', file)), to: folderOf(path) });
    }
  }
  return arrows;
}

const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : path);

test('arrows point one way: main, roles, nouns, engines', async () => {
  const arrows = await imports();
  expect(arrows.length).toBeGreaterThan(40);
  const isAllowed = ({ from, to }: { from: string; to: string }): boolean => {
    if (from === to || from === 'main.ts' || from === 'roles.ts' || to === 'config.ts' || to === 'settings.ts')
      return true;
    if (ROLES.has(from)) return NOUNS.has(to) || ENGINES.has(to) || (from === 'cli' && to === 'api');
    if (NOUNS.has(from) || ENGINES.has(from)) return NOUNS.has(to) || ENGINES.has(to);
    return false;
  };
  expect(arrows.filter((arrow) => !isAllowed(arrow))).toEqual([]);
});

test('only config.ts and main.ts read the environment, and only main.ts reads argv', async () => {
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8');
    if (!['src/main.ts', 'src/roles.ts', 'src/config.ts'].includes(file)) {
      expect(text, file).not.toMatch(/process\.argv/);
      if (!file.startsWith('src/cli/')) expect(text, file).not.toMatch(/process\.env/);
    }
  }
});

test('the service imports no package of ours, and the client imports only itself', async () => {
  const files = await Array.fromAsync(glob('{src,packages/client/src}/**/*.ts', { cwd: ROOT }));
  expect(files.filter((file) => file.startsWith('packages/')).length).toBeGreaterThan(4);
  for (const file of files) {
    const text = await readFile(join(ROOT, file), 'utf8');
    const targets = [...text.matchAll(/from '([^']+)'/g)].map(([, target]) => target);
    const isWrong = file.startsWith('src/') ? /packages\/|@tankwatch\// : /^(?!\.\/\w+\.ts$)/;
    expect([file, targets.filter((target) => isWrong.test(target ?? ''))]).toEqual([file, []]);
  }
});
