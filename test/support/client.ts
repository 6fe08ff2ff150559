import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Client from '../../packages/client/src/client.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'packages/client');

/** The versions of Node that the client supports: the oldest, the one between, and that of this repository. */
export const NODES = { 20: '20.20.2', 22: '22.23.3', 24: process.versions.node } as const;
export type NodeMajor = keyof typeof NODES;

export interface ClientProject {
  /** An empty project in which the packed client is installed. */
  folder: string;
  tarball: string;
  /** The installed client, with the types of its source. */
  client: typeof Client;
}

/** Packs the client as it would be published and installs the tarball, once for each state of its source. */
export async function installClient(): Promise<ClientProject> {
  const hash = createHash('sha256');
  const sources = await Array.fromAsync(glob('{package.json,README.md,tsconfig.json,src/*.ts}', { cwd: SOURCE }));
  for (const file of sources.toSorted()) hash.update(file).update(await readFile(join(SOURCE, file)));
  const folder = await prepareFolder(`client-${hash.digest('hex').slice(0, 16)}`, packAndInstall);
  const entry = join(folder, 'node_modules/@tankwatch/client/dist/client.js');
  return { folder, tarball: join(folder, TARBALL), client: await import(pathToFileURL(entry).href) };
}

const TARBALL = 'client.tgz';

/** Builds in a copy, because test files that run at the same time would overwrite each other's build. */
async function packAndInstall(folder: string): Promise<void> {
  const copy = join(folder, 'copy/packages/client');
  await cp(SOURCE, copy, { recursive: true });
  await cp(join(ROOT, 'tsconfig.json'), join(folder, 'copy/tsconfig.json'));
  const { stdout } = await npm(copy, ['pack', '--json', '--pack-destination', folder]);
  const [packed] = JSON.parse(stdout);
  await rename(join(folder, packed.filename), join(folder, TARBALL));
  await rm(join(folder, 'copy'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  await npm(folder, ['install', `./${TARBALL}`]);
}

/** The path of a Node of this major version, which is installed if it is not the running one. */
export async function nodeBinary(major: NodeMajor): Promise<string> {
  const version = NODES[major];
  return version === process.versions.node ? process.execPath : installProgram('node', version);
}

/** Installs a program that is also an npm package, and returns its path. */
export async function installProgram(
  name: 'node' | 'deno' | 'bun' | 'squawk-cli',
  version: string,
  program: string = name,
): Promise<string> {
  const folder = await prepareFolder(`${name}-${version}`, async (empty) => {
    await writeFile(join(empty, 'package.json'), JSON.stringify({ private: true, allowScripts: { [name]: true } }));
    await npm(empty, ['install', `${name}@${version}`]);
  });
  return join(folder, 'node_modules/.bin', program);
}

/** Makes a folder once, in the temporary folder of the system. If two processes make it, the folder of the first to finish is used. */
async function prepareFolder(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const parent = join(tmpdir(), `tankwatch-tests-${userInfo().uid}`);
  const target = join(parent, name);
  if (existsSync(target)) return target;
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, 'making-'));
  try {
    await make(folder);
    await rename(folder, target);
  } catch (error) {
    await rm(folder, { recursive: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** npm retries a stalled download after a minute. Its default is five minutes. */
const LIMITS = ['--fetch-timeout=60000', '--fetch-retries=4'];

const npm = (cwd: string, args: string[]) => {
  // Under `npm test` this variable names the repository, and npm would install there.
  const { npm_config_local_prefix: _, ...env } = process.env;
  const path = `${join(ROOT, 'node_modules/.bin')}:${env['PATH']}`;
  return run('npm', [...args, '--no-fund', '--no-audit', ...LIMITS], { cwd, env: { ...env, PATH: path } });
};

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program. The promise never rejects: tests check the exit code and the output. */
export function runProgram(
  program: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const env = { PATH: process.env['PATH'], ...options.env };
  return new Promise((resolve) => {
    execFile(program, args, { ...options, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

/** The blocks of code in a Markdown text. */
export const codeBlocks = (markdown: string): { language: string; code: string }[] =>
  [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));
