import { expect, onTestFinished } from 'vitest';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { openPool, transaction } from '../../src/db/pool.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function givenPoolThroughProxy(database: TestDatabase) {
  const proxy = await TcpProxy.listen(() => Number(new URL(database.urls.writer).port));
  const url = new URL(database.urls.writer);
  url.port = String(proxy.port);
  const pool = openPool({
    url: url.href,
    applicationName: 'tests',
    maxConnections: 1,
    statementTimeoutMs: 1_000,
    idleInTransactionTimeoutMs: 2_000,
  });
  onTestFinished(async () => {
    await pool.end();
    await proxy.close();
  });
  return { proxy, pool };
}

test('a statement without an answer fails soon after its time limit, and its connection is replaced', async ({
  database,
}) => {
  const { proxy, pool } = await givenPoolThroughProxy(database);
  await pool.query('select');
  proxy.blackHole();
  await within(4_000, () => expect(transaction(pool, (tx) => tx.query('select'))).rejects.toThrow(/timeout/));
  await proxy.pass();
  expect((await pool.query<{ n: number }>('select 1 as n')).rows).toEqual([{ n: 1 }]);
});

test('connections set keepalives, a user timeout and time limits, so that the server notices a client that has vanished', async ({
  database,
}) => {
  const { pool } = await givenPoolThroughProxy(database);
  const { rows } = await pool.query<Record<string, string>>(
    `select name, current_setting(name) as value from unnest($1::text[]) as name order by name`,
    [
      [
        'client_connection_check_interval',
        'idle_in_transaction_session_timeout',
        'statement_timeout',
        'tcp_keepalives_count',
        'tcp_keepalives_idle',
        'tcp_keepalives_interval',
        'tcp_user_timeout',
      ],
    ],
  );
  expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual({
    client_connection_check_interval: '5s',
    idle_in_transaction_session_timeout: '2s',
    statement_timeout: '1s',
    tcp_keepalives_count: '3',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '5',
    tcp_user_timeout: '20000',
  });
});
