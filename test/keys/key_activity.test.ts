import { pino } from 'pino';
import { expect } from 'vitest';
import { startApi } from '../../engines/api.ts';
import { deleteCustomer } from '../../src/catalog/customers.ts';
import { transaction } from '../../src/db/pool.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { RECORD_KEY_ACTIVITY } from '../../src/keys/key_activity.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { deleteExpiredRows } from '../../src/worker/retention.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenOrganization, organizationCodeOf } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { FOREVER } from '../support/retention.ts';
import { type TestDatabase, test } from '../support/test.ts';

const activityOf = async (database: TestDatabase, ...args: string[]) => {
  const { stdout, stderr, code } = await runCommand(['keys', 'activity', ...args, '--json'], {
    OPERATOR_DATABASE_URL: database.urls.operator,
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

const issue = (database: TestDatabase, organizationNo: number, customerNo: number | null = null) =>
  transaction(database.operator, (tx) => issueKey(tx, { organizationNo, customerNo, name: 'ERP', scopes: ['read'] }));

const countRows = async (database: TestDatabase, keyNo: number): Promise<number> =>
  (await database.owner.query('select from key_activity where key_no = $1', [keyNo])).rows.length;

/** Writes 2 requests from each address, with the statement that the processes use. */
const record = (database: TestDatabase, keyNo: number, addresses: readonly string[], at = new Date().toISOString()) =>
  database.gateway.query(RECORD_KEY_ACTIVITY.text, [
    addresses.map(() => keyNo),
    addresses,
    addresses.map(() => 2),
    addresses.map(() => at),
    addresses.map(() => at),
  ]);

test('keys activity shows how often each address used a key, and LOG_ADDRESSES=on logs the address of each request', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const [stolen, other] = [await issue(database, organizationNo), await issue(database, organizationNo)];
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const api = await startApi(database.urls.api, { TRUSTED_PROXIES: '127.0.0.1', LOG_ADDRESSES: 'on' }, logger);
  const call = (key: string, from: string) =>
    callApi(api.url, '/v1/tanks', { key, headers: { 'x-forwarded-for': from } });
  for (const from of ['192.0.2.7', '192.0.2.7', '198.51.100.9', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9'])
    expect((await call(stolen.text, from)).status).toBe(200);
  await call(other.text, '192.0.2.7');
  await call('not a key', '203.0.113.1');
  const refused = makeKey('a0');
  await call(refused.text, '203.0.113.2');
  await api.close();

  const uses = await activityOf(database, stolen.text); // people paste the whole key
  expect(uses.map(({ address, requests }: { address: string; requests: number }) => [address, requests])).toEqual(
    expect.arrayContaining([
      ['192.0.2.7', 2],
      ['198.51.100.9', 1],
      ['2001:db8:1:2::/64', 2],
    ]),
  );
  expect(uses).toHaveLength(3);
  expect(uses[0]).toMatchObject({ key: stolen.prefix, name: 'ERP', first_at: expect.any(String) });
  const code = await organizationCodeOf(database.owner, organizationNo);
  expect(await activityOf(database, '--organization', code)).toHaveLength(4);
  await expect(activityOf(database, 'a0zzzzzzzzzz')).rejects.toThrow('no key begins with a0zzzzzzzzzz');

  const requests = lines.filter(({ msg }) => msg === 'request');
  expect(requests.map(({ address }) => address)).toContain('2001:db8:1:2:3:4:5:6');
  expect(requests).toContainEqual(expect.objectContaining({ address: '203.0.113.1', status: 401 }));
  expect(requests).toContainEqual(
    expect.objectContaining({ address: '203.0.113.2', status: 401, refused_key: refused.prefix }),
  );
  expect(JSON.stringify(lines)).not.toContain(refused.text);
});

test.for([
  ['', 1],
  ['off', 0],
] as const)(
  'with LOG_ADDRESSES=%j no address is logged, and the number of recorded addresses is %i',
  async ([setting, recorded], { database }) => {
    const key = await issue(database, await givenOrganization(database.operator));
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const api = await startApi(database.urls.api, { TRUSTED_PROXIES: '127.0.0.1', LOG_ADDRESSES: setting }, logger);
    await callApi(api.url, '/v1/tanks', { key: key.text, headers: { 'x-forwarded-for': '192.0.2.77' } });
    await api.close();
    expect(lines.join('')).toContain('"msg":"request"');
    expect(lines.join('')).not.toContain('192.0.2.77');
    expect(await countRows(database, key.no)).toBe(recorded);
  },
);

test('at most 50 addresses of a key are recorded a day, and they are deleted when they expire and with their customer or key', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo);
  const key = await issue(database, organizationNo, customer.no);
  const addresses = Array.from({ length: 70 }, (_, n) => `192.0.2.${n}`);
  await record(database, key.no, addresses.slice(0, 40));
  await record(database, key.no, addresses);
  await record(database, key.no, addresses.slice(60));
  const uses = await activityOf(database, key.prefix);
  expect(uses).toHaveLength(51);
  // Three calls recorded 2 requests each of 40, 70 and 10 addresses. The first 50 addresses are listed, the others are summed up.
  expect(uses.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)).toBe(2 * (40 + 70 + 10));
  expect(uses.find(({ address }: { address: string }) => address === 'other')?.requests).toBe(2 * (20 + 10));

  await record(database, key.no, ['198.51.100.1'], new Date(Date.now() - 31 * 86_400_000).toISOString());
  expect(await countRows(database, key.no)).toBe(52);
  const retention = { ...FOREVER, keyActivityDays: 30 };
  expect(await deleteExpiredRows(database.worker, retention)).toMatchObject({ key_activity: 1 });

  await transaction(database.operator, (tx) => deleteCustomer(tx, organizationNo, customer.no));
  expect(await countRows(database, key.no)).toBe(0);
  const second = await issue(database, organizationNo);
  await record(database, second.no, ['192.0.2.1']);
  await database.owner.query('delete from api_keys where no = $1', [second.no]);
  expect(await countRows(database, second.no)).toBe(0);
});
