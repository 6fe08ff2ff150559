import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findProgram, PACKAGES } from '../engines/programs.ts';
import { followImports } from './support/imports.ts';
import { findUnitTests } from './support/unit_tests.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The folders that every folder may import, and what they may import themselves. */
const FOUNDATIONS: Readonly<Record<string, readonly string[]>> = {
  values: [],
  health: ['values'],
  db: ['values', 'health'],
  stream: ['values', 'health'],
};
const ROLES = new Set(['api', 'gateway', 'writer', 'worker', 'connector']);
/** They start, describe or check the roles. */
const ROLE_USERS = ['main.ts', 'roles.ts', 'cli', 'doctor'];

interface Import {
  /** Paths relative to the repository. */
  from: string;
  to: string;
}

async function readSources(pattern: string): Promise<Map<string, string>> {
  const files = await Array.fromAsync(glob(pattern, { cwd: ROOT }));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const)),
  );
}

/** The texts of the files of src. */
const SOURCES = await readSources('src/**/*.ts');

/** Every import of one file of src by another: static, dynamic, for types, for side effects, and re-exports. */
const IMPORTS = [...SOURCES].flatMap(([from, text]) =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(
    ([, target = '']): Import => ({ from, to: join(dirname(from), target) }),
  ),
);

/** The folder or file directly under src that a path belongs to. */
const topOf = (path: string): string => path.split('/')[1] ?? '';

/**
 * Returns a graph for each folder: which of its subfolders and files import which others. An import counts in the folder where the
 * paths of the two files part, so that every level of the tree has a graph of its own.
 */
function graphsByFolder(imports: readonly Import[]): Map<string, Map<string, Set<string>>> {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const { from, to } of imports) {
    const [fromPath, toPath] = [from.split('/'), to.split('/')];
    const depth = fromPath.findIndex((name, index) => name !== toPath[index]);
    const [folder, fromName = '', toName = ''] = [fromPath.slice(0, depth).join('/'), fromPath[depth], toPath[depth]];
    const graph = graphs.get(folder) ?? new Map<string, Set<string>>();
    graphs.set(folder, graph.set(fromName, (graph.get(fromName) ?? new Set()).add(toName)));
  }
  return graphs;
}

/** One cycle, such as ['a', 'b', 'a'], or undefined. */
function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const finished = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (finished.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

test('no folder or file of src imports in a cycle, at any level', () => {
  expect(IMPORTS.length).toBeGreaterThan(300);
  const cycles = [...graphsByFolder(IMPORTS)].flatMap(([folder, graph]) => {
    const cycle = findCycle(graph);
    return cycle === undefined ? [] : [`in ${folder}: ${cycle.join(' -> ')}`];
  });
  expect(cycles).toEqual([]);
});

test('a cycle between folders is found at any depth', () => {
  const cycleOf = (...pairs: [string, string][]): unknown[] =>
    [...graphsByFolder(pairs.map(([from, to]) => ({ from, to }))).values()].map(findCycle);
  expect(cycleOf(['src/a/x.ts', 'src/b/y.ts'], ['src/b/z.ts', 'src/c/x.ts'])).toEqual([undefined]);
  expect(cycleOf(['src/a/x.ts', 'src/b/y.ts'], ['src/b/z.ts', 'src/c/x.ts'], ['src/c/y.ts', 'src/a/z.ts'])).toEqual([
    ['a', 'b', 'c', 'a'],
  ]);
  expect(cycleOf(['src/a/p/x.ts', 'src/a/q/y.ts'], ['src/a/q/z.ts', 'src/a/p/w.ts'])).toEqual([['p', 'q', 'p']]);
});

test('the foundations import only each other, and only downwards', () => {
  const forbidden = IMPORTS.filter(({ from, to }) => {
    const allowed = FOUNDATIONS[topOf(from)];
    return allowed !== undefined && topOf(to) !== topOf(from) && !allowed.includes(topOf(to));
  });
  expect(forbidden).toEqual([]);
});

test('the pure part of the evaluation imports only itself and values', () => {
  const imports = IMPORTS.filter(({ from }) => from.startsWith('src/evaluation/pure/'));
  expect(imports.length).toBeGreaterThan(40);
  expect(imports.filter(({ to }) => !/^src\/(evaluation\/pure|values)\//.test(to))).toEqual([]);
});

test('the pure part of the deliveries imports only itself, the pure part of the evaluation, and values', () => {
  const imports = IMPORTS.filter(({ from }) => from.startsWith('src/deliveries/pure/'));
  expect(imports.length).toBeGreaterThan(40);
  expect(imports.filter(({ to }) => !/^src\/((deliveries|evaluation)\/pure|values)\//.test(to))).toEqual([]);
});

test('only main.ts, roles.ts, the command line and the doctor import a role, and no role imports another', () => {
  const forbidden = IMPORTS.filter(
    ({ from, to }) => ROLES.has(topOf(to)) && ![topOf(to), ...ROLE_USERS].includes(topOf(from)),
  );
  expect(forbidden).toEqual([]);
});

test('only the command line imports the doctor', () => {
  expect(IMPORTS.filter(({ from, to }) => topOf(to) === 'doctor' && !['doctor', 'cli'].includes(topOf(from)))).toEqual(
    [],
  );
});

/** These files find programs by PATH and PG_BIN. */
const STARTS_PROGRAMS = ['src/setup/servers/postgres.ts', 'src/setup/servers/server_process.ts'];

test('only roles.ts, the command line and the files that start servers read process.env, and only main.ts reads process.argv', () => {
  const using = (text: string): string[] =>
    [...SOURCES].filter(([, source]) => source.includes(text)).map(([file]) => file);
  expect(using('process.argv')).toEqual(['src/main.ts']);
  expect(using('process.env').filter((file) => !['roles.ts', 'cli'].includes(topOf(file)))).toEqual(STARTS_PROGRAMS);
});

test('no two files of src export a type, interface, class or enum of the same name', () => {
  const filesByName = new Map<string, Set<string>>();
  for (const [file, text] of SOURCES) {
    for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:type|interface|class|enum) (\w+)/gm)) {
      filesByName.set(name, (filesByName.get(name) ?? new Set()).add(file));
    }
  }
  expect(filesByName.size).toBeGreaterThan(100);
  const shared = [...filesByName].filter(([, files]) => files.size > 1);
  expect(shared.map(([name, files]) => [name, ...files])).toEqual([]);
});

/** These commands parse answers of other programs or profiles of gauges, or start the roles. */
const LOADS_SCHEMAS = new Set([
  'backup',
  'connectors',
  'doctor',
  'gauges',
  'openapi',
  'rejected',
  'removals',
  'restore',
  'restore_drill',
  'status',
  'up',
  'upgrade',
]);

test('commands do not load TypeBox, whose schemas take longer to load than most commands run', () => {
  const commands = [...SOURCES.keys()].filter((file) => topOf(file) === 'cli');
  expect(commands.length).toBeGreaterThan(40);
  for (const command of commands.filter((file) => !LOADS_SCHEMAS.has(file.split(/[/.]/)[2] ?? '')))
    for (const { file, text } of followImports(join(ROOT, command)))
      expect([command, file, /from 'typebox/.exec(text)?.[0]]).toEqual([command, file, undefined]);
});

test('no HTTP response names a command or an option of the command line', () => {
  for (const [file, text] of SOURCES)
    if (['api', 'http'].includes(topOf(file))) expect([file, text.includes('user_error.ts')]).toEqual([file, false]);
  // HTTP and commands show the same text of a refusal. What to do about it is in two tables: REMEDIES of the api and REMEDIES of
  // the command line.
  for (const [file, text] of SOURCES)
    for (const [refusal] of text.matchAll(/new (?:ChangeRefusedError|InvalidValuesError)\([^;]*;/g))
      expect([file, /\s--[a-z]|tankwatch [a-z]/.exec(refusal)?.[0]]).toEqual([file, undefined]);
});

test('the service imports no package of ours, and the client imports only itself', async () => {
  const ofClient = await readSources('packages/client/src/**/*.ts');
  expect(ofClient.size).toBeGreaterThan(4);
  for (const [file, text] of [...SOURCES, ...ofClient]) {
    const targets = [...text.matchAll(/from '([^']+)'/g)].map(([, target]) => target);
    const isForbidden = file.startsWith('src/') ? /packages\/|@tankwatch\// : /^(?!\.\/\w+\.ts$)/;
    expect([file, targets.filter((target) => isForbidden.test(target ?? ''))]).toEqual([file, []]);
  }
});

test('the console imports from src only values, and those import nothing of Node and no package', async () => {
  const ofConsole = await readSources('packages/console/{src,driver}/**/*.{ts,tsx}');
  const shared = new Set(
    [...ofConsole].flatMap(([file, text]) =>
      [...text.matchAll(/from '(\.[^']+)'/g)]
        .map(([, target = '']) => join(dirname(file), target))
        .filter((target) => !target.startsWith('packages/')),
    ),
  );
  expect([...shared]).toContain('src/values/decimal.ts');
  for (const file of shared) {
    expect(file).toMatch(/^src\/values\/\w+\.ts$/);
    expect([file, /from '/.test(await readFile(join(ROOT, file), 'utf8'))]).toEqual([file, false]);
  }
});

test('unit tests are the files that reach no other program: no engine, no process, no browser', () => {
  const unitTests = findUnitTests();
  expect(unitTests).toContain('test/tree.test.ts');
  expect(unitTests.length).toBeGreaterThan(30);
  for (const name of ['db/migrate', 'api/isolation', 'scripts/release', 'console/console', 'stream/permissions'])
    expect(unitTests).not.toContain(`test/${name}.test.ts`);
});

describe('other programs', () => {
  test('that are missing are reported with the Debian package to install', () => {
    vi.stubEnv('PATH', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => findProgram('patroni')).toThrow('patroni is not installed; install it with: apt-get install patroni');
    expect(() => findProgram('etcd')).toThrow('etcd is not installed; install it with: apt-get install etcd-server');
  });

  test('are found with findProgram only, and docs/developers/development.md lists their packages', async () => {
    const guide = await readFile(join(ROOT, 'docs/developers/development.md'), 'utf8');
    for (const name of ['postgresql', 'nats-server', 'prometheus', ...Object.values(PACKAGES)])
      expect(guide, name).toContain(name);
    const names = Object.keys(PACKAGES)
      .map((name) => RegExp.escape(name))
      .join('|');
    const started = new RegExp(
      `(?:run|spawn|execFile|Sync|promisify\\(execFile\\))\\(\\s*'(?:${names})'|/usr/bin/chromium`,
    );
    for (const folder of ['engines', 'bench', 'faults', 'test', 'demo', 'scripts'])
      for (const [file, text] of await readSources(`${folder}/**/*.ts`))
        if (file !== 'test/tree.test.ts') expect(started.exec(text)?.[0], file).toBeUndefined();
  });
});

test('ARCHITECTURE.md names every folder of src', async () => {
  const folders = new Set(
    [...SOURCES.keys()].filter((file) => !topOf(file).includes('.')).map((file) => `src/${topOf(file)}/`),
  );
  const text = await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  expect(folders.size).toBeGreaterThan(20);
  expect([...folders].filter((folder) => !text.includes(`\n${folder} `))).toEqual([]);
});

test('no optional package in package-lock.json has engines: npm of Debian 12, with Node 18, would leave it out', async () => {
  const lock: unknown = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const { packages } = Value.Parse(Type.Object({ packages: Type.Record(Type.String(), Type.Unknown()) }), lock);
  const isLeftOut = (entry: unknown): boolean =>
    Value.Check(Type.Object({ optional: Type.Literal(true), engines: Type.Unknown() }), entry);
  expect(Object.keys(packages).filter((name) => isLeftOut(packages[name]))).toEqual([]);
});
