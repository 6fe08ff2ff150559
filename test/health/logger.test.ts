import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { createLogger, loggedError } from '../../src/health/logger.ts';
import { JobQueue, openQueuePool } from '../../src/worker/job_queue.ts';
import { workerMetrics } from '../../src/worker/metrics.ts';
import { CUSTOMER, givenManagedOrganization, manageApi, manageSettings, test } from '../support/manage.ts';

const VALUE = 'maria.lopez@example.com';

test('a violated constraint is logged with its name, and without the values of the row', async ({ database }) => {
  const { key } = await givenManagedOrganization(database);
  await database.owner.query(`alter table customers add constraint never_maria check (email <> '${VALUE}')`);
  const lines: string[] = [];
  const logger = createLogger('api', 'trace', { write: (line) => void lines.push(line) });
  const api = await startApi(database.urls.api, manageSettings(database), logger);
  const { status, json } = await manageApi(api.url).call(key, 'POST', '/customers', {
    body: { ...CUSTOMER, email: VALUE },
  });
  await api.close();
  expect(status).toBe(500);
  const line = lines.find((text) => text.includes('internal_error')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({
    request_id: json.request_id,
    err: {
      type: 'DatabaseError',
      code: '23514',
      constraint: 'never_maria',
      table: 'customers',
      message: 'new row for relation "customers" violates check constraint "never_maria"',
      stack: expect.stringContaining('customers.ts'),
    },
  });
  expect(lines.join('')).not.toContain(VALUE);
  expect(lines.join('')).not.toContain(CUSTOMER.name);
});

test('the message of a data exception is not logged, also if it is a cause or one of several errors', async ({
  database,
}) => {
  const lines: string[] = [];
  const logger = createLogger('api', 'trace', { write: (line) => void lines.push(line) });
  for (const text of ['select $1::uuid', 'select $1::int', 'select $1::timestamptz']) {
    const cause: unknown = await database.owner
      .query(text, [`${VALUE}\n    at ${VALUE}`])
      .catch((error: unknown) => error);
    expect(String(cause)).toContain(VALUE);
    logger.error({ err: cause }, 'alone');
    logger.error({ err: new Error('wrapped', { cause }) }, 'as a cause');
    logger.error({ err: new AggregateError([cause], 'several') }, 'one of several');
  }
  expect(lines).toHaveLength(9);
  expect(lines.join('')).not.toContain(VALUE);
  for (const line of lines) expect(line).toMatch(/"code":"22P02|22007"/);
  expect(lines[0]).toContain('logger.test.ts');
});

test('a job that fails is logged with its error, and without the value in its message', async ({ database }) => {
  const lines: string[] = [];
  const queuePool = openQueuePool(database.urls.worker, 2);
  const queue = await JobQueue.start({
    databaseUrl: database.urls.worker,
    queuePool,
    tasks: {
      async fails() {
        await database.owner.query('select $1::uuid', [VALUE]);
      },
    },
    concurrency: 1,
    name: 'tests',
    pollMs: 100,
    logger: createLogger('worker', 'trace', { write: (line) => void lines.push(line) }),
    metrics: workerMetrics(new Registry()),
  });
  await database.owner.query(`select graphile_worker.add_job('fails', max_attempts => 1)`);
  await expect.poll(() => lines.find((line) => line.includes('Failed task')), { timeout: 10_000 }).toBeDefined();
  await queue.close();
  await queuePool.end();
  const line: unknown = JSON.parse(lines.find((text) => text.includes('Failed task')) ?? '{}');
  expect(line).toMatchObject({
    level: 50,
    msg: expect.stringMatching(/^Failed task \d+ \(fails, .*, attempt 1 of 1\)$/),
    err: { code: '22P02' },
  });
  expect(lines.join('')).not.toContain(VALUE);
});

test('an error that is its own cause is logged', () => {
  const error = new Error('first');
  error.cause = error;
  expect(loggedError(error)).toMatchObject({ message: 'first', cause: { cause: { message: 'first' } } });
});
