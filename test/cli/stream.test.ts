import { expect } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import { runCommand } from '../support/cli_in_process.ts';
import {
  type Environment,
  givenSender,
  ingestEnvironment,
  openStream,
  streamReadings,
  test,
  untilCommitted,
} from '../support/ingest.ts';

/** The command line of an operator, without the other settings of the stream. */
const operatorOf =
  ({ NATS_URL = '', NATS_STREAM = '', OPERATOR_DATABASE_URL = '' }: Environment) =>
  (...args: string[]) =>
    runCommand(['stream', ...args], { NATS_URL, NATS_STREAM, OPERATOR_DATABASE_URL });

test('an operator sees the status of the stream, and has messages processed again', async ({ database, ingest }) => {
  const operator = operatorOf(ingest.environment);
  const { organizationNo } = await givenSender(database, ['A']);
  for (let n = 0; n < 3; n++) {
    await streamReadings(ingest.stream, [{ organizationNo, deviceId: 'A', atMs: Date.UTC(2025) + n, level: 5 }]);
  }
  await untilCommitted(ingest.stream);
  const replayed = await operator('replay', '--since', '2025-01-01T00:00:00Z');
  expect([replayed.code, replayed.stderr, replayed.stdout]).toEqual([
    0,
    '',
    expect.stringMatching(/^writers process \d messages again\n$/), // some are processed already
  ]);
  await untilCommitted(ingest.stream);
  const { rows } = await database.owner.query(
    `select login, organization_no, object from audit_log where action = 'replay'`,
  );
  expect(rows).toEqual([{ login: `${database.name}_operator`, organization_no: null, object: 'stream' }]);
  expect((await operator('status')).stdout).toMatch(
    /^waiting_messages: 0\nmessages: 3\nbytes: \d+\nmax_bytes: 268435456\noldest_at: 20.*Z\n/,
  );
});

test('after a restore, a replay of the stream records the same events with the same ids', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['B']);
  const startMs = Date.now() - 10 * HOUR_MS;
  const levels = [60, 60, 60, 60, 15, 15, 15, 15, 15];
  for (const [n, level] of levels.entries()) {
    await streamReadings(ingest.stream, [{ organizationNo, deviceId: 'B', atMs: startMs + n * HOUR_MS, level }]);
  }
  await untilCommitted(ingest.stream);
  const events = async () =>
    (
      await database.owner.query(
        'select id, type, occurred_at, data from events where tank_no = $1 order by id',
        tankNos,
      )
    ).rows;
  const before = await events();
  expect(before.map(({ type }) => type)).toContain('tank.low_fill');

  // The tables are now as a backup from before the readings would restore them.
  for (const table of ['telemetry', 'telemetry_month_counters', 'tank_states', 'tank_checkpoints', 'events']) {
    await database.owner.query(`delete from ${table} where tank_no = $1`, tankNos);
  }
  await operatorOf(ingest.environment)('replay', '--since', new Date(startMs).toISOString());
  await untilCommitted(ingest.stream);
  expect(await events()).toEqual(before);
});

test('reading the status changes nothing, also before any writer has run', async ({ database }) => {
  const environment = ingestEnvironment(database, { STREAM_MAX_MIB: '7' });
  const stream = await openStream(environment);
  const status = async () => JSON.parse((await operatorOf(environment)('status', '--json')).stdout);
  expect(await status()).toMatchObject({ waiting_messages: 0, messages: 0, oldest_at: null });
  await streamReadings(stream, [{ organizationNo: 1, deviceId: 'A', atMs: 0, level: 5 }]);
  expect(await status()).toMatchObject({ waiting_messages: 1, messages: 1, max_bytes: 7 * 1_048_576 });
  expect((await stream.status()).maxBytes).toBe(7 * 1_048_576);
  await stream.close();
});

test('mistakes end with 1 and a sentence', async ({ environment }) => {
  const mistakes: [Environment, string[], string][] = [
    [{ ...environment, NATS_STREAM: 'nothing' }, ['status'], 'the stream nothing does not exist'],
    [
      { ...environment, NATS_URL: 'nats://127.0.0.1:1' },
      ['status'],
      'nothing listens at 127.0.0.1:1, where nats-server should be (ECONNREFUSED); start nats-server, or correct host and port in NATS_URL',
    ],
    [{ ...environment, NATS_URL: 'http://x' }, ['status'], 'NATS_URL must be an address such as nats://'],
    [environment, ['replay'], "required option '--since <time>'"],
    [
      environment,
      ['replay', '--since', 'yesterday'],
      'Not a valid time. Write it like 2026-01-01T00:00:00Z, or like 2026-01-01.',
    ],
  ];
  const outcomes = await Promise.all(mistakes.map(([settings, args]) => operatorOf(settings)(...args)));
  for (const [index, { code, stderr }] of outcomes.entries()) {
    expect([code, stderr]).toEqual([1, expect.stringContaining(mistakes[index]?.[2] ?? '')]);
    expect(stderr).not.toMatch(/ {4}at /);
  }
});
