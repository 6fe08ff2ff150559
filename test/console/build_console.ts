import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONSOLE = join(ROOT, 'packages/console');
const DIST = join(CONSOLE, 'dist');
/** Written after a complete build. Vite deletes it with everything else before the next one. */
const BUILT = join(DIST, '.built');
const LOCK = join(ROOT, 'node_modules/.console-build');
const LOCK_MS = 120_000;

/**
 * Builds the console, so that the tests never see the files of an older source. Test files that run at the same time wait
 * for one build.
 */
export async function buildConsole(): Promise<void> {
  await takeLock();
  try {
    if (!(await isOutdated())) return;
    // Vitest sets NODE_ENV to test.
    await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build'], {
      cwd: CONSOLE,
      env: { ...process.env, NODE_ENV: 'production' },
    });
    await writeFile(BUILT, '');
  } finally {
    await rm(LOCK, { recursive: true, force: true });
  }
}

async function takeLock(): Promise<void> {
  const untilMs = Date.now() + LOCK_MS;
  for (;;) {
    try {
      await mkdir(LOCK);
      return;
    } catch (error) {
      const isOld = Date.now() - (await changedMs(LOCK)) > LOCK_MS; // left by a run that was killed
      if (isOld) await rm(LOCK, { recursive: true, force: true });
      else if (Date.now() > untilMs) throw error;
      await sleep(100);
    }
  }
}

async function isOutdated(): Promise<boolean> {
  const sources = [join(CONSOLE, 'src'), join(CONSOLE, 'public'), join(ROOT, 'packages/client/src')];
  const listed = await Promise.all(
    sources.map(async (folder) => (await readdir(folder, { recursive: true })).map((file) => join(folder, file))),
  );
  const others = ['index.html', 'vite.config.ts', 'precompress.ts', 'package.json'].map((file) => join(CONSOLE, file));
  const times = await Promise.all([...listed.flat(), ...sources, ...others].map(changedMs));
  return Math.max(...times) >= (await changedMs(BUILT));
}

const changedMs = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
