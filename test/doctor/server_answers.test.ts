import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { runDatabaseChecks } from '../../src/doctor/run_checks.ts';
import { test } from '../support/test.ts';

test('a server that refuses a second connection during a long check is not unresponsive', async ({ database }) => {
  const login = `${database.name}_single`;
  await database.owner.query(`create role ${login} login password 'x' connection limit 1 in role tankwatch_operator`);
  const url = new URL(database.urls.operator);
  [url.username, url.password] = [login, 'x'];
  const pool = openPool({ url: url.href, applicationName: 'tankwatch doctor' });
  const locking = await database.owner.connect();
  await locking.query('begin; lock table schema_migrations in access exclusive mode');
  const checking = runDatabaseChecks(pool, {
    fix: false,
    only: new Set(['migrations']),
    watchMs: 500,
    onChecked: () => {},
    onProgress: () => {},
  });
  await delay(1_500);
  await expect(pool.query('select')).rejects.toThrow('too many connections for role');
  await locking.query('commit');
  locking.release();
  expect(await checking).toEqual([]);
  await pool.end();
  await database.owner.query(`drop role ${login}`);
});
