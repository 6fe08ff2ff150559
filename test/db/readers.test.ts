import { expect } from 'vitest';
import { TcpProxy } from '../../faults/tcp_proxy.ts';
import { Readers, type ReadersOptions } from '../../src/db/readers.ts';
import { MAX_NAMES, MIN_USES_FOR_NAME, RepeatedStatements } from '../../src/db/repeated_statements.ts';
import { DatabaseBusyError, DatabaseUnavailableError } from '../../src/db/shared_connections.ts';
import { errorCode } from '../../src/values/error_code.ts';
import { senderAlone } from '../../src/values/fair_queue.ts';
import { type TestDatabase, test, untilTestEnds } from '../support/test.ts';

const ONE = { text: 'select 1 as n' };
const SLEEP = { text: 'select pg_sleep($1)' };
const LOCK = { text: 'select pg_advisory_xact_lock_shared(1)' };
const CANCELLED = '57014';

async function givenReaders({ urls }: TestDatabase, options: Partial<ReadersOptions> = {}): Promise<Readers> {
  return untilTestEnds(
    Readers.open({
      url: urls.api,
      applicationName: 'tests',
      statementTimeoutMs: 1_000,
      ...options,
    }),
  );
}

const codeOf = (query: Promise<unknown>): Promise<unknown> => query.then(() => 'answered', errorCode);

test('after seven cancelled statements on a connection the statement behind them is answered', async ({ database }) => {
  // The time limit of the driver, 3 s, would also count the time behind other statements, and close the connection.
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
  const slow = Array.from({ length: 4 }, () => readers.as(senderAlone('a')).query(LOCK, []));
  expect(await readers.as(senderAlone('b')).query(ONE, [])).toEqual([{ n: 1 }]);
  await holder.query('select pg_advisory_unlock(1)');
  holder.release();
  await Promise.all(slow);
});

test('slow reads of all sessions of one organization leave a connection for another organization', async ({
  database,
}) => {
  const readers = await givenReaders(database, { connections: 3, areSlow: true, statementTimeoutMs: 60_000 });
  const holder = await database.owner.connect();
  await holder.query('select pg_advisory_lock(1)');
  const slow = Array.from({ length: 50 }, (_, n) =>
    readers.as({ group: 'organization 1', member: `session ${n}` }).query(LOCK, []),
  );
  expect(await readers.as({ group: 'organization 2', member: 'session 51' }).query(ONE, [])).toEqual([{ n: 1 }]);
  await holder.query('select pg_advisory_unlock(1)');
  holder.release();
  await Promise.all(slow);
});

test('a sender with too many waiting reads is refused at once', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1, areSlow: true, statementTimeoutMs: 60_000 });
  const reads = Array.from({ length: 300 }, () =>
    readers
      .as(senderAlone('a'))
      .query(ONE, [])
      .then(
        () => 'answered',
        (error) => error,
      ),
  );
  const results = await Promise.all(reads);
  expect(results.filter((result) => result instanceof DatabaseBusyError).length).toBeGreaterThan(0);
  expect(results.filter((result) => result === 'answered').length).toBeGreaterThanOrEqual(257);
  expect(await readers.as(senderAlone('a')).query(ONE, [])).toEqual([{ n: 1 }]);
});

test('readers cannot write', async ({ database }) => {
  const readers = await givenReaders(database);
  expect(await codeOf(readers.query({ text: 'select end_session($1)' }, ['a0']))).toBe('25006');
});

test('a server that does not answer costs its connection, and the next read works', async ({ database }) => {
  const proxy = await untilTestEnds(TcpProxy.listen(() => Number(new URL(database.urls.api).port)));
  const url = new URL(database.urls.api);
  url.port = String(proxy.port);
  const readers = await givenReaders(database, { url: url.href, connections: 1 });
  await readers.query(ONE, []);
  proxy.blackHole();
  await expect(readers.query(ONE, [])).rejects.toThrow(DatabaseUnavailableError);
  await proxy.pass();
  await expect.poll(() => codeOf(readers.query(ONE, []))).toBe('answered');
});

test('frequent statements are prepared once on each connection, at most MAX_NAMES of them', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1 });
  const prepared = { text: 'select count(*)::int as n from pg_prepared_statements' };
  const countPrepared = async (): Promise<unknown> => (await readers.query(prepared, []))[0];
  const repeat = async (text: string): Promise<void> => {
    for (let n = 0; n < MIN_USES_FOR_NAME; n++) expect(await readers.query({ text }, [n])).toEqual([{ n }]);
  };
  await repeat('select $1::int as n');
  expect(await countPrepared()).toEqual({ n: 1 });
  for (let text = 0; text < MAX_NAMES + 5; text++) await repeat(`select $1::int as n -- ${text}`);
  expect(await countPrepared()).toEqual({ n: MAX_NAMES });
});

test('a frequent statement gets a name even if all names went to less frequent statements', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1 });
  for (let text = 0; text < 40; text++)
    for (let n = 0; n < MIN_USES_FOR_NAME; n++) await readers.query({ text: `select $1::int as n -- ${text}` }, [n]);
  const often = 'select $1::int as n -- often';
  for (let n = 0; n < 200; n++) expect(await readers.query({ text: often }, [n])).toEqual([{ n }]);
  const prepared = { text: 'select name from pg_prepared_statements where statement = $1' };
  const [named] = await readers.query<{ name: string }>(prepared, [often]);
  expect(named).toEqual({ name: `repeated_${MAX_NAMES + 1}` });

  // Giving up a name frees its plan, and the statements behind it work.
  const names = { text: 'select count(*)::int as n from pg_prepared_statements' };
  expect(await readers.query(names, [])).toEqual([{ n: MAX_NAMES + 1 }]);
  readers.connections.forget('repeated_1');
  readers.connections.forget('repeated_1');
  readers.connections.forget('never_prepared');
  expect(await readers.query(names, [])).toEqual([{ n: MAX_NAMES }]);
  expect(await readers.query({ text: often }, [7])).toEqual([{ n: 7 }]);
});

test('names go to the most frequent texts, at most one a minute, and a name is not used twice', () => {
  let nowMs = 0;
  const givenUp: string[] = [];
  const statements = new RepeatedStatements(
    (name) => givenUp.push(name),
    () => nowMs,
  );
  const use = (text: string, times: number): string | undefined => {
    for (let n = 1; n < times; n++) statements.nameOf(text);
    return statements.nameOf(text);
  };
  for (let n = 1; n <= MAX_NAMES; n++) expect(use(`text ${n}`, 20 + n)).toBe(`repeated_${n}`);
  expect(use('rare', 41)).toBeUndefined();
  expect(use('often', 42)).toBe('repeated_33');
  expect(givenUp).toEqual(['repeated_1']);
  // The count of text 1 begins again. It gets a new name a minute later.
  expect(use('text 1', 100)).toBeUndefined();
  nowMs += 60_000;
  expect(use('text 1', 1)).toBe('repeated_34');
  expect(givenUp).toEqual(['repeated_1', 'repeated_2']);

  // 5,000 texts that come once do not displace the count of a text that comes repeatedly.
  for (let n = 0; n < 5_000; n++) {
    use(`once ${n}`, 1);
    if (n % 100 === 0) use('now', 1);
  }
  nowMs += 60_000;
  expect(use('now', 1)).toBe('repeated_35');

  // After hours without use, a name goes to a text that comes a few times.
  for (let n = 0; n < 12; n++) {
    nowMs += 600_000;
    use('clock', 1);
  }
  expect(use('new', MIN_USES_FOR_NAME)).toBe('repeated_36');

  // A client that always varies a filter gets a limited number of names.
  for (let n = 0; n < 3_000; n++) {
    nowMs += 600_000;
    use(`varied ${n}`, 50);
  }
  expect(new Set(givenUp).size).toBe(givenUp.length);
  expect(givenUp.length).toBe(1_000 - MAX_NAMES);
});

test('a prepared statement works after a migration of its table', async ({ database }) => {
  const readers = await givenReaders(database, { connections: 1 });
  await database.owner.query(
    'create table grown (n int); grant select on grown to public; insert into grown values (7)',
  );
  const read = () =>
    readers.query({ text: 'with page as materialized (select g.* from grown g) select n from page' }, []);
  for (let n = 0; n <= MIN_USES_FOR_NAME; n++) expect(await read()).toEqual([{ n: 7 }]);
  await database.owner.query('alter table grown add column added text');
  expect(await read()).toEqual([{ n: 7 }]);
});
