import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { findProgram } from '../engines/programs.ts';
import { planRelease, type ReleaseFiles, type ReleasePlan, ReleaseRefusedError } from './release_plan.ts';

const USAGE = `usage: npm run release [-- --dry-run]

Releases the version that CHANGELOG.md announces in its first section, "## X.Y.Z (unreleased)": checks and tests the
working tree, sets the version in both package.json files, the lock file, packages/python/pyproject.toml, the README of the
client and docs/operators/install.md, dates the section, writes the schema of the release to migrations/released, builds the
tarball in dist/ with its checksums and software bill of materials, commits and tags. It pushes and publishes nothing.

  --dry-run   verify that a release is possible and print the steps; change nothing`;

const FILES = {
  changelog: 'CHANGELOG.md',
  package: 'package.json',
  client: 'packages/client/package.json',
  clientReadme: 'packages/client/README.md',
  python: 'packages/python/pyproject.toml',
  installGuide: 'docs/operators/install.md',
  lock: 'package-lock.json',
} as const satisfies Record<keyof ReleaseFiles, string>;

const FILE_NAMES: readonly (keyof ReleaseFiles)[] = [
  'changelog',
  'package',
  'client',
  'clientReadme',
  'python',
  'installGuide',
  'lock',
];

/** The folder with the schema of each release. */
const RELEASED_SCHEMAS = 'migrations/released';

async function release(isDryRun: boolean): Promise<void> {
  const changed = git('status', '--porcelain').trim();
  if (changed !== '')
    throw new ReleaseRefusedError(`the working tree has changes; commit or remove them first:\n${changed}`);
  const plan = planRelease(await readFiles(), new Date());
  const tag = `v${plan.version}`;
  if (git('tag', '--list', tag).trim() !== '') throw new ReleaseRefusedError(`the tag ${tag} exists already`);

  console.log(`releasing ${plan.version} (the previous version is ${plan.previous})\n\n${plan.notes}\n`);
  if (isDryRun) {
    console.log(`would run:    npm run check, npm test, npm run schema, npm run tarball`);
    console.log(`would change: ${[...Object.values(FILES), `${RELEASED_SCHEMAS}/${plan.version}.sql`].join(', ')}`);
    console.log(`would commit: ${subject(plan)}\nwould tag:    ${tag}\n(a dry run: nothing was changed)`);
    return;
  }
  run('npm', 'run', 'check');
  run('npm', 'test');
  await writeFiles(plan.files);
  try {
    // These run after the versions are set, because their results contain the version.
    run('npm', 'run', 'schema');
    run('npm', 'run', 'tarball');
  } catch (error) {
    git('checkout', '--', ...Object.values(FILES));
    git('clean', '--quiet', '--force', RELEASED_SCHEMAS);
    throw error;
  }
  git('add', ...Object.values(FILES), RELEASED_SCHEMAS);
  git('commit', '--quiet', '--message', subject(plan));
  git('tag', '--annotate', tag, '--message', subject(plan));
  console.log(
    `committed and tagged ${tag}. To publish it:\n  git push --follow-tags\n  npm publish --workspace @tankwatch/client\nand attach the files of dist/ to the release.`,
  );
}

const subject = ({ version }: ReleasePlan): string => `Release ${version}`;

async function readFiles(): Promise<ReleaseFiles> {
  const texts: ReleaseFiles = { ...FILES };
  for (const name of FILE_NAMES) texts[name] = await readFile(FILES[name], 'utf8');
  return texts;
}

async function writeFiles(files: ReleaseFiles): Promise<void> {
  for (const name of FILE_NAMES) await writeFile(FILES[name], files[name]);
}

const git = (...args: string[]): string => execFileSync(findProgram('git'), args, { encoding: 'utf8' });

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) throw new ReleaseRefusedError(`${program} ${args.join(' ')} failed; nothing was changed`);
}

const given = process.argv.slice(2);
const unknown = given.find((argument) => argument !== '--dry-run' && argument !== '--help');
if (given.includes('--help')) {
  console.log(USAGE);
} else if (unknown !== undefined) {
  console.error(`unknown argument ${unknown}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  try {
    // npm keeps `npm run release --dry-run`, without the separating --, for itself and passes it on as a variable.
    await release(given.includes('--dry-run') || process.env['npm_config_dry_run'] === 'true');
  } catch (error) {
    if (!(error instanceof ReleaseRefusedError)) throw error;
    console.error(`no release: ${error.message}`);
    process.exitCode = 1;
  }
}
