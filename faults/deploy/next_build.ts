import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Build {
  /** The program, as `node main.ts ROLE` runs it. */
  main: string;
  migrate(url: string): Promise<void>;
  remove(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The version of encoded states, as the source of the codec declares it. */
const VERSION = /(const STATE_VERSION(?:: \d+)? = )(\d+)/;

/** The next release as it may look: states have a version one higher, and the schema has a column more. */
export async function makeNextBuild(): Promise<Build> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-next-'));
  for (const part of ['src', 'migrations', 'docs', 'package.json', 'openapi.json']) {
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await raiseStateVersion(join(folder, 'src'));
  await writeFile(
    join(folder, 'migrations', '9999_next_release.sql'),
    `-- What the next release may add; this one must run beside it and after it.
alter table tanks add column next_release text;
`,
  );
  const main = join(folder, 'src', 'main.ts');
  return {
    main,
    async migrate(url) {
      await run(process.execPath, [main, 'migrate'], { env: { ...process.env, MIGRATE_DATABASE_URL: url } });
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function raiseStateVersion(source: string): Promise<void> {
  let changed = 0;
  for (const name of await readdir(source, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const file = join(source, name);
    const text = await readFile(file, 'utf8');
    if (!VERSION.test(text)) continue;
    await writeFile(
      file,
      text.replace(VERSION, (_, before: string, version: string) => `${before}${Number(version) + 1}`),
    );
    changed++;
  }
  if (changed !== 1 && !process.env['TRIAL'])
    throw new Error(`STATE_VERSION is declared in ${changed} files; the next build needs exactly one`);
}
