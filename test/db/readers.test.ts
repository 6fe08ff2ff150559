import { expect, onTestFinished } from 'vitest';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { Readers, type ReadersOptions } from '../../src/db/readers.ts';
import { MAX_NAMES, USES } from '../../src/db/repeated_statements.ts';
import { DatabaseBusy, DatabaseUnavailable } from '../../src/db/shared_connections.ts';
import { errorCode } from '../../src/values/error_code.ts';
import { type TestDatabase, test } from '../support/test.ts';

const ONE = { text: 'select 1 as n' };
const SLEEP = { text: 'select pg_sleep($1)' };
const LOCK = { text: 'select pg_advisory_xact_lock_shared(1)' };
const CANCELLED = '57014';

async function givenReaders({ urls }: TestDatabase, options: Partial<ReadersOptions> = {}): Promise<Readers> {
  const readers = await Readers.open({
    url: urls.api,
    applicationName: 'tests',
    statementTimeoutMs: 1_000,
    ...options,
  });
  onTestFinished(() => readers.close());
  return readers;
}

const codeOf = (query: Promise<unknown>): Promise<unknown> => query.then(() => 'answered', errorCode);

test('statements that are cancelled one after the other on a connection hurt no statement behind them', async ({
  database,
}) => {
  // The driver's own time limit of 3 s would count the time behind the others, and close the connection.
  const readers = await givenReaders(database, { connections: 1 });
  const slow = Array.from({ length: 7 }, () => codeOf(readers.query(SLEEP, [30])));
  const behind = readers.query(ONE, []);
  expect(await Promise.all(slow)).toEqual(slow.map(() => CANCELLED));
  expect(await behind).toEqual([{ n: 1 }]);
});

test('slow reads of one sender leave a connection for another one', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 3, areSlow: true, statementTimeoutMs: 60_000 });
  const holder = await database.owner.connect();
  await holder.query('select pg_advisory_lock(1)');
  const slow = Array.from({ length: 4 }, () => readers.as('a').query(LOCK, []));
  expect(await readers.as('b').query(ONE, [])).toEqual([{ n: 1 }]);
  await holder.query('select pg_advisory_unlock(1)');
  holder.release();
  await Promise.all(slow);
});

test('a sender with too many waiting reads is refused at once', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1, areSlow: true, statementTimeoutMs: 60_000 });
  const reads = Array.from({ length: 300 }, () =>
    readers
      .as('a')
      .query(ONE, [])
      .then(
        () => 'answered',
        (error) => error,
      ),
  );
  const results = await Promise.all(reads);
  expect(results.filter((result) => result instanceof DatabaseBusy).length).toBeGreaterThan(0);
  expect(results.filter((result) => result === 'answered').length).toBeGreaterThanOrEqual(257);
  expect(await readers.as('a').query(ONE, [])).toEqual([{ n: 1 }]);
});

test('readers cannot write', async ({ database }) => {
  const readers = await givenReaders(database);
  expect(await codeOf(readers.query({ text: 'select end_session($1)' }, ['a0']))).toBe('25006');
});

test('a server that does not answer costs its connection, and the next read works', async ({ database }) => {
  const proxy = await TcpProxy.listen(() => Number(new URL(database.urls.api).port));
  onTestFinished(() => proxy.close());
  const url = new URL(database.urls.api);
  url.port = String(proxy.port);
  const readers = await givenReaders(database, { url: url.href, connections: 1 });
  await readers.query(ONE, []);
  proxy.blackHole();
  await expect(readers.query(ONE, [])).rejects.toThrow(DatabaseUnavailable);
  await proxy.pass();
  await expect.poll(() => codeOf(readers.query(ONE, []))).toBe('answered');
});

test('statements that come often are planned once for each connection, up to a limit', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1 });
  const prepared = { text: 'select count(*)::int as n from pg_prepared_statements' };
  const countPrepared = async (): Promise<unknown> => (await readers.query(prepared, []))[0];
  const repeat = async (text: string): Promise<void> => {
    for (let n = 0; n < USES; n++) expect(await readers.query({ text }, [n])).toEqual([{ n }]);
  };
  await repeat('select $1::int as n');
  expect(await countPrepared()).toEqual({ n: 1 });
  for (let text = 0; text < MAX_NAMES + 5; text++) await repeat(`select $1::int as n -- ${text}`);
  expect(await countPrepared()).toEqual({ n: MAX_NAMES });
});

test('a statement that comes often survives a migration of its table', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1 });
  await database.owner.query(
    'create table grown (n int); grant select on grown to public; insert into grown values (7)',
  );
  const read = () =>
    readers.query({ text: 'with page as materialized (select g.* from grown g) select n from page' }, []);
  for (let n = 0; n <= USES; n++) expect(await read()).toEqual([{ n: 7 }]);
  await database.owner.query('alter table grown add column added text');
  expect(await read()).toEqual([{ n: 7 }]);
});
