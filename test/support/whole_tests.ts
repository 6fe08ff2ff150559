import { join, relative } from 'node:path';
import { followImports } from './imports.ts';

const ROOT = join(import.meta.dirname, '../..');

const CONSOLE = ['packages/', 'src/api/', 'src/status/'];
const INGEST = ['src/gateway/', 'src/writer/', 'src/stream/', 'src/ingest/', 'src/db/'];
const COMMANDS = ['src/cli/', 'src/setup/', 'src/settings/', 'src/doctor/', 'src/main.ts', 'src/roles.ts'];
const GUIDES = ['docs/integrators/', 'packages/client/', 'demo/', 'src/api/'];

/**
 * The files that need more than 20 seconds, because they start whole installations or browsers or send very many readings, and
 * the paths that they cover. `.ci/run` runs such a file in full if one of these paths has changed, or something that the file
 * imports from outside of `src`. Otherwise it runs only the quick tests of the file, or tries fewer cases. `bench` are the short
 * runs of benchmarks.
 */
export const COVERED_PATHS: Readonly<Record<string, readonly string[]>> = {
  'recovery/drill': ['deploy/', 'src/recovery/', 'src/stream/', 'src/db/'],
  bench: ['src/api/', 'src/status/', 'src/db/', 'src/ingest/'],
  'catalog/import_file': ['migrations/', 'src/catalog/', 'src/cli/', 'src/db/'],
  'console/act_handle': CONSOLE,
  'console/act_looks': CONSOLE,
  'console/act_mails': CONSOLE,
  'console/act_tank': CONSOLE,
  'console/console': CONSOLE,
  'console/console_looks': CONSOLE,
  'console/customers': CONSOLE,
  'console/driver': [...CONSOLE, 'src/deliveries/'],
  'console/first_hour': CONSOLE,
  'console/map': CONSOLE,
  'console/map_background': CONSOLE,
  'console/today_counts': CONSOLE,
  'console/worst_moment': CONSOLE,
  'demo/demo': ['demo/', 'src/simulation/'],
  'docs/commands': ['docs/', 'README.md', 'deploy/', 'examples/', ...COMMANDS],
  'docs/integrators': GUIDES,
  'docs/readme': ['README.md', 'bin/', 'demo/', 'package.json', ...COMMANDS],
  'docs/sync': GUIDES,
  'evaluation/evaluation': ['migrations/', 'src/evaluation/', 'src/ingest/', 'src/writer/', 'src/db/'],
  'faults/abuse': ['deploy/', 'src/http/', 'src/api/', 'src/gateway/'],
  'faults/chaos': INGEST,
  'faults/fuzz': ['src/api/', 'src/http/', 'src/db/'],
  'faults/ingest': INGEST,
  'mistakes/commands': COMMANDS,
  'mistakes/startup': COMMANDS,
  'observe/alerts': ['deploy/', 'test/observe/', 'src/health/', 'scripts/'],
  'router/limits': ['deploy/'],
  'scripts/tarball': ['scripts/', 'bin/', 'package.json', 'packages/console/'],
  'setup/init': ['bin/', 'deploy/', 'src/db/', ...COMMANDS],
  'telemetry/export_readings': ['src/telemetry/', 'src/values/', 'src/db/'],
  'writer/poison': ['migrations/', ...INGEST],
};

/** What concerns every file. */
const CONCERNS_ALL = ['.ci/run', 'package-lock.json', 'vitest.config.ts', 'test/support/server.ts'];

/** The files of the table that no changed path concerns. */
export function findLeftOut(changed: readonly string[]): string[] {
  return Object.entries(COVERED_PATHS)
    .filter(([name, covered]) => !isConcerned(name, covered, changed))
    .map(([name]) => name);
}

function isConcerned(name: string, covered: readonly string[], changed: readonly string[]): boolean {
  const imported = followImports(join(ROOT, fileOf(name))).map(({ file }) => relative(ROOT, file));
  const own = new Set(imported.filter((file) => !file.startsWith('src/')));
  return changed.some((path) => own.has(path) || [...CONCERNS_ALL, ...covered].some((start) => path.startsWith(start)));
}

export const fileOf = (name: string): string => (name === 'bench' ? 'bench/main.ts' : `test/${name}.test.ts`);

/** Whether all tests of a file run. They do unless `.ci/run` says otherwise. */
export function isWhole(name: keyof typeof COVERED_PATHS): boolean {
  return !(process.env['LEFT_OUT'] ?? '').split(' ').includes(name);
}
