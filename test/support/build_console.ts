import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONSOLE = join(ROOT, 'packages/console');
const DIST = join(CONSOLE, 'dist');

/**
 * Builds the console, unless the built one is newer than its source. The build ends before the first test begins, and its files
 * appear all at once, because every api that a test starts reads them, and `tankwatch init` builds missing files.
 */
export async function buildConsole(): Promise<void> {
  if (!(await isOutdated())) return;
  const fresh = await mkdtemp(join(ROOT, 'node_modules/.console-'));
  try {
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', join(fresh, 'new'), '--logLevel', 'warn'], {
      cwd: CONSOLE,
      env: { ...process.env, NODE_ENV: 'production' }, // Vitest sets it to test
    });
    await rename(DIST, join(fresh, 'old')).catch(() => {}); // a new checkout has no build
    await rename(join(fresh, 'new'), DIST);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function isOutdated(): Promise<boolean> {
  const sources = [
    join(CONSOLE, 'src'),
    join(CONSOLE, 'driver'),
    join(CONSOLE, 'public'),
    join(CONSOLE, 'world'),
    join(ROOT, 'packages/client/src'),
  ];
  const listed = await Promise.all(
    sources.map(async (folder) => (await readdir(folder, { recursive: true })).map((file) => join(folder, file))),
  );
  const others = ['index.html', 'vite.config.ts', 'precompress.ts', 'package.json'].map((file) => join(CONSOLE, file));
  const times = await Promise.all([...listed.flat(), ...sources, ...others].map(changedMs));
  return Math.max(...times) >= (await changedMs(join(DIST, 'index.html')));
}

const changedMs = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
