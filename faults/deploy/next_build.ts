import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { verify } from '../verify.ts';

const run = promisify(execFile);

export interface Build {
  /** The program, as `node main.ts ROLE` runs it. */
  main: string;
  migrate(url: string): Promise<void>;
  /** The `verify` of the next release, because this release cannot read its states. */
  verify: typeof verify;
  remove(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The program, and the code that checks the result. */
const PARTS = ['src', 'migrations', 'docs', 'package.json', 'openapi.json', 'faults', 'bench', 'engines'];

/** Makes a possible next release: it increases the version of the states, and adds a column to the schema. */
export async function makeNextBuild(): Promise<Build> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-next-'));
  for (const part of PARTS) {
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await raiseStateVersion(join(folder, 'src/evaluation/state_codec.ts'));
  await writeFile(
    join(folder, 'migrations', '9999_next_release.sql'),
    `-- A change that the next release may make. This release must run beside the next one and after it.
alter table tanks add column next_release text;
`,
  );
  const main = join(folder, 'src', 'main.ts');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of the module with this type
  const copy = (await import(join(folder, 'faults/verify.ts'))) as { verify: typeof verify };
  return {
    main,
    async migrate(url) {
      await run(process.execPath, [main, 'migrate'], { env: { ...process.env, MIGRATE_DATABASE_URL: url } });
    },
    verify: copy.verify,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const STATE_VERSION = /(const STATE_VERSION = )(\d+)/;

/** Raises the version as a release that changes the states does. Its writers evaluate every tank again. */
async function raiseStateVersion(codec: string): Promise<void> {
  const text = await readFile(codec, 'utf8');
  if (!STATE_VERSION.test(text)) throw new Error(`the next build cannot be made: ${codec} has no ${STATE_VERSION}`);
  await writeFile(
    codec,
    text.replace(STATE_VERSION, (_, before: string, version: string) => `${before}${Number(version) + 1}`),
  );
}
