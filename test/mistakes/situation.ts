import { spawn } from 'node:child_process';
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { programEnvironment } from '../../engines/process.ts';
import { until } from '../../engines/until.ts';
import { createOrganization } from '../../src/catalog/organizations.ts';
import { readMigrations } from '../../src/db/migrate.ts';
import { openPool, transaction } from '../../src/db/pool.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { findNatsServer } from '../../src/setup/servers/nats.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { MAIN } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { within } from '../support/stopwatch.ts';
import { test as base, shippedServer, type TestDatabase } from '../support/test.ts';

export type Settings = Readonly<Record<string, string>>;

/** Real servers, and addresses and ports with which something is wrong. */
export interface Situation {
  database: TestDatabase;
  /** Settings of all roles and commands with which everything works. */
  valid: Settings;
  organization: string;
  /** A port on which no program listens. */
  freePort: number;
  /** A port on which another program listens. */
  usedPort: number;
  /** A database without tables. */
  emptyUrl: string;
  /** A database without the newest migration. */
  oldUrl: string;
  /** A login without rights in the database. */
  noRightsUrl: string;
  /** A nats-server without JetStream. */
  natsWithoutJetStream: string;
  folder: string;
}

export const test = base.extend<{ $file: { serverUrl: string; situation: Situation } }>({
  serverUrl: shippedServer,
  situation: [
    async ({ database }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'tankwatch-mistakes-'));
      await chmod(folder, 0o755); // `init` as root refuses a place that PostgreSQL cannot enter
      const other = createServer();
      const usedPort = await freePort();
      await new Promise<void>((resolve) => other.listen(usedPort, '127.0.0.1', resolve));
      const nats = await startNatsWithoutJetStream(folder);
      const organization = 'a0mistakes';
      await transaction(database.operator, (tx) => createOrganization(tx, { code: organization, name: 'Mistakes' }));
      const [empty, old] = [`${database.name}_empty`, `${database.name}_old`];
      await database.owner.query(`create database ${empty}`);
      await database.owner.query(`create database ${old} template ${inject('templateDatabase')}`);
      const oldOwner = openPool({ url: databaseUrl(database.ownerUrl, old), applicationName: 'tests' });
      const newest = (await readMigrations()).at(-1)?.name;
      await oldOwner.query('delete from schema_migrations where name = $1', [newest]);
      await oldOwner.end();
      const nobody = { user: `${database.name}_nobody`, password: 'nobody' };
      await database.owner.query(`create role ${nobody.user} login password '${nobody.password}'`);
      await use({
        database,
        valid: await validSettings(database),
        organization,
        freePort: await freePort(),
        usedPort,
        emptyUrl: databaseUrl(database.ownerUrl, empty),
        oldUrl: databaseUrl(database.ownerUrl, old),
        noRightsUrl: databaseUrl(database.ownerUrl, database.name, nobody),
        natsWithoutJetStream: nats.natsUrl,
        folder,
      });
      other.close();
      await nats.stop();
      await rm(folder, { recursive: true, maxRetries: 10 });
    },
    { scope: 'file' },
  ],
});

const secret = (name: string): string => `${name} of at least thirty-two characters`;

async function validSettings(database: TestDatabase): Promise<Settings> {
  return {
    OPERATOR_DATABASE_URL: database.urls.operator,
    API_DATABASE_URL: database.urls.api,
    GATEWAY_DATABASE_URL: database.urls.gateway,
    WRITER_DATABASE_URL: database.urls.writer,
    WORKER_DATABASE_URL: database.urls.worker,
    MIGRATE_DATABASE_URL: database.ownerUrl,
    NATS_URL: inject('natsUrl'),
    NATS_STREAM: 'mistakes',
    STREAM_MAX_MIB: '64',
    DEVICE_SECRET: secret('a device secret'),
    SECRETS_KEY: secret('a secrets key'),
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    API_DRAIN_MS: '0',
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_HTTP_PORT: '0',
    GATEWAY_MQTT_PORT: '0',
    GATEWAY_DRAIN_MS: '0',
  };
}

async function startNatsWithoutJetStream(folder: string): Promise<{ natsUrl: string; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  await writeFile(file, `listen: "127.0.0.1:${port}"`);
  const server = spawn(await findNatsServer(), ['-c', file], { stdio: 'ignore' });
  return { natsUrl: `nats://127.0.0.1:${port}`, stop: () => stopProcess(server, 'SIGKILL') };
}

/** A mistake, and what the message about it must contain. */
export interface Mistake {
  name: string;
  /** The arguments of `tankwatch`. */
  run: string[] | ((situation: Situation) => string[]);
  /** The wrong settings. An empty value removes a setting. */
  with?: (situation: Situation) => Settings;
  /** The part of the message that names the cause. */
  cause: string | ((situation: Situation) => string);
  /** The part of the message that says what to do. */
  next: string;
  /** The exit code, 1 by default. `waits` is a role that runs until the mistake is corrected, and reports it in /readyz. */
  ends?: number | 'waits';
}

/** The number of mistakes at a time. Each process needs a second of a core to start. */
const PARALLEL = 4;

/**
 * Makes all mistakes, some at a time, and reports each in a test of its own. Concurrent tests would count the time that one test
 * waits for the others.
 */
export function makeAll(mistakes: readonly Mistake[], situation: Situation): ReadonlyMap<string, Promise<void>> {
  const waiting = mistakes.map((mistake) => ({ mistake, done: Promise.withResolvers<void>() }));
  const results = new Map(waiting.map(({ mistake, done }) => [mistake.name, done.promise]));
  for (const result of results.values()) result.catch(() => {}); // its test reports it
  const makeNext = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) return;
    await make(next.mistake, situation).then(next.done.resolve, next.done.reject);
    await makeNext();
  };
  for (let n = 0; n < PARALLEL; n++) void makeNext();
  return results;
}

/** The reasons of /readyz in one text. Empty while the role does not answer. */
const reasonsOf = (metricsPort: number): Promise<string> =>
  fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
    async (response) => JSON.parse(await response.text()).reasons?.join('\n') ?? 'ready',
    () => '',
  );

const TRACE = /^\s+at .*[(:]\d+|\\n\s+at /m;
const READY_WITHIN_MS = 10_000;

/** These commands need a process of their own. Others run in this process, which takes a tenth of the CPU time. */
const RUN_UNTIL_STOPPED = new Set(['api', 'gateway', 'writer', 'worker', 'all', 'up']);

/** Makes the mistake and checks that the message names its cause and what to do, in one sentence. */
async function make({ run, with: wrong, cause, next, ends = 1 }: Mistake, situation: Situation): Promise<void> {
  const causeText = typeof cause === 'string' ? cause : cause(situation);
  const args = typeof run === 'function' ? run(situation) : run;
  const metricsPort = await freePort();
  const settings = { ...situation.valid, METRICS_PORT: String(metricsPort), ...wrong?.(situation) };
  let output = '';
  if (!RUN_UNTIL_STOPPED.has(args[0] ?? '')) {
    const { code, stdout, stderr } = await runCommand(args, { PATH: process.env['PATH'] ?? '', ...settings });
    output = stdout + stderr;
    expect([code, output]).toEqual([ends, expect.stringContaining(causeText)]);
  } else {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...programEnvironment(), ...settings } });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdin.end();
    if (ends === 'waits') {
      await untilReported(metricsPort, [causeText, next]).finally(() => child.kill('SIGTERM'));
      await ended;
      expectNoOtherProblem(output, causeText);
    } else expect([await ended, output]).toEqual([ends, expect.stringContaining(causeText)]);
  }
  for (const part of [causeText, next]) expect(output).toContain(part);
  await writeTable(args, output, causeText);
  expect(output).not.toMatch(TRACE);
  expect(output).not.toContain('wrong-password'); // a message never repeats a password
}

/** With MISTAKES_TABLE, every mistake and its message become a line of this file. */
export async function writeTable(args: readonly string[], output: string, cause: string): Promise<void> {
  const file = process.env['MISTAKES_TABLE'];
  const line = output.split('\n').find((text) => text.includes(cause)) ?? '';
  const message = line.startsWith('{') ? String(JSON.parse(line).msg) : line;
  if (file !== undefined) await appendFile(file, `| \`${args.join(' ')}\` | ${message.replaceAll('|', '\\|')} |\n`);
}

/** Waits until /readyz contains the cause, and checks that it says what to do. */
async function untilReported(metricsPort: number, [cause, next]: readonly [string, string]): Promise<void> {
  await until('the role answers', async () => (await reasonsOf(metricsPort)) !== '');
  let reasons = '';
  const hasCause = async (): Promise<boolean> => {
    reasons = await reasonsOf(metricsPort);
    return reasons.includes(cause);
  };
  await within(READY_WITHIN_MS, () => until(`/readyz says: ${cause}`, hasCause));
  expect(reasons).toContain(next);
}

/** Checks that the problem is logged once, and no other problem. */
function expectNoOtherProblem(output: string, cause: string): void {
  const problems = output.split('\n').filter((line) => line.includes('"level":50'));
  const messages = problems.map((line): string => JSON.parse(line).msg);
  expect(messages.filter((message, index) => message === messages[index - 1])).toEqual([]);
  // On a busy machine, attempts that take too long may be logged too.
  const others = problems.filter((line) => !line.includes(cause));
  expect(others.filter((line) => !/time ?d? ?out|in time|did not answer|terminated/i.test(line))).toEqual([]);
}
