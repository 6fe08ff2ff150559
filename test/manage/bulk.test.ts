import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { nextBatchSize } from '../../src/api/manage/bulk.ts';
import { MANAGE_OPERATIONS } from '../../src/api/manage/operations.ts';
import { CUSTOMER, givenManagedOrganization, type ManageApi, TANK, test } from '../support/manage.ts';

interface Result {
  line: number;
  status: string;
  id: string | null;
  etag: string | null;
  errors: { param: string; code: string; detail: string }[];
}

async function put(manage: ManageApi, key: string, path: string, lines: readonly unknown[]) {
  const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const { status, text, json } = await manage.call(key, 'POST', path, { body });
  if (status >= 300) return { status, code: json?.code, results: [], summary: null };
  const parsed: unknown[] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const summary = Reflect.get(Object(parsed.pop()), 'summary');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the lines of an answer
  return { status, results: parsed as Result[], summary };
}

const statuses = ({ results }: { results: readonly Result[] }): string[] =>
  results.map(({ status, errors: [error] }) => [status, error?.param, error?.code].filter(Boolean).join(' '));

test('each line has its own result, bad lines do not stop others, and sending all again changes nothing', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const customers = Array.from({ length: 4_500 }, (_, n) => ({
    ...CUSTOMER,
    external_key: `C${n}`,
    name: `Name ${n}`,
  }));
  const first = await put(manage, key, '/customers/bulk', customers);
  expect([first.status, first.summary]).toEqual([200, { created: 4_500, updated: 0, unchanged: 0, refused: 0 }]);
  expect(first.results.map(({ line }) => line)).toEqual(customers.map((_, n) => n + 1));
  const again = await put(manage, key, '/customers/bulk', customers);
  expect(again.summary).toEqual({ created: 0, updated: 0, unchanged: 4_500, refused: 0 });
  expect(again.results.map(({ id, etag }) => [id, etag])).toEqual(first.results.map(({ id, etag }) => [id, etag]));

  const mixed = await put(manage, key, '/customers/bulk', [
    { ...customers[0], phone: '5', is_verified: true },
    'not json',
    { ...CUSTOMER, external_key: 'C1', email: 'nobody' },
    { ...CUSTOMER, external_key: 'C0' },
    { ...CUSTOMER, external_key: 'new', color: 'red' },
    // U+2028 is a line end for some programs, and part of a JSON text.
    { ...CUSTOMER, external_key: 'C2', name: 'One\u2028Name' },
    customers[3],
  ]);
  expect([mixed.status, mixed.summary]).toEqual([207, { created: 0, updated: 2, unchanged: 1, refused: 4 }]);
  expect(
    mixed.results.map(({ status, errors }) => [status, ...errors.map(({ param, code }) => `${param} ${code}`)]),
  ).toEqual([
    ['updated'],
    ['refused', ' malformed'],
    ['refused', 'email invalid'],
    ['refused', ' invalid'], // repeats line 1
    ['refused', 'color unknown'],
    ['updated'],
    ['unchanged'],
  ]);
  expect(JSON.stringify(mixed.results)).not.toContain('nobody');
  const { rows } = await database.owner.query(
    `select count(*) as customers, count(request_id) as with_request from customers c
     left join lateral (select request_id from audit_log where object = 'customer' and c.no = any (object_nos) limit 1) a on true
     where organization_no = $1`,
    [organizationNo],
  );
  expect(rows).toEqual([{ customers: 4_500, with_request: 4_500 }]);
});

test('tanks are matched by owner and custom_id, keep their device, and a dry run has the same result', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  await put(manage, key, '/customers/bulk', [{ ...CUSTOMER, external_key: 'A' }]);
  const { json: owner } = await manage.call(key, 'GET', '/customers/external_key/A');
  const lines = [
    { ...TANK, owner_external_key: 'A', custom_id: '1', assigned_device_id: 'DEV-1' },
    { ...TANK, owner_id: owner.id, custom_id: '2', location: { city: 'Puebla' } },
    { ...TANK, owner_external_key: 'nobody', custom_id: '3' },
  ];
  const tried = await put(manage, key, '/tanks/bulk?dry_run=true', lines);
  expect(tried.summary).toEqual({ created: 2, updated: 0, unchanged: 0, refused: 1 });
  const stored = await put(manage, key, '/tanks/bulk', lines);
  expect(stored.summary).toEqual(tried.summary);
  expect(stored.results[2]?.errors).toMatchObject([{ param: 'owner_external_key', code: 'invalid' }]);
  const path = `/customers/${owner.id}/tanks/custom_id/2`;
  const { json: second } = await manage.call(key, 'GET', path);
  expect([second.etag, second.location.city]).toEqual([stored.results[1]?.etag, 'Puebla']);
  const changed = await put(manage, key, '/tanks/bulk', [
    { ...TANK, owner_external_key: 'A', custom_id: '1', name: 'New name' },
    { ...TANK, owner_external_key: 'A', custom_id: '2', assigned_device_id: 'DEV-2' },
  ]);
  expect(changed.results.map(({ status }) => status)).toEqual(['updated', 'refused']);
  expect((await manage.call(key, 'GET', path)).json).toEqual(second);
  const { json: first } = await manage.call(key, 'GET', `/customers/${owner.id}/tanks/custom_id/1`);
  expect([first.name, first.assigned_device_id]).toEqual(['New name', 'DEV-1']);
});

test('a line with an own number of the organization creates, changes and transfers its tank as PUT does', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  await put(
    manage,
    key,
    '/customers/bulk',
    ['A', 'B'].map((external_key) => ({ ...CUSTOMER, external_key })),
  );
  const ofA = { ...TANK, owner_external_key: 'A' };
  const lines = [
    { ...ofA, external_key: 'T-1', custom_id: '1', assigned_device_id: 'DEV-1' },
    { ...ofA, external_key: 'T-2', assigned_device_id: 'manual' },
    { ...ofA, external_key: 'T-3', assigned_device_id: 'manual' },
    { ...TANK, external_key: 'T-4' },
    { ...ofA, external_key: ' T-2 ' },
    { ...ofA, external_key: ' ' },
    ofA,
    { ...ofA, custom_id: '2' },
  ];
  const expected = [
    'created',
    'created',
    'created',
    'refused owner_id invalid',
    'refused invalid',
    'refused custom_id missing',
    'refused custom_id missing',
    'created',
  ];
  expect(statuses(await put(manage, key, '/tanks/bulk?dry_run=true', lines))).toEqual(expected);
  const created = await put(manage, key, '/tanks/bulk', lines);
  expect(statuses(created)).toEqual(expected);
  const again = await put(manage, key, '/tanks/bulk', [lines[0], lines[1], lines[7]]);
  expect(statuses(again)).toEqual(['unchanged', 'unchanged', 'unchanged']);

  // Missing fields stay: the owner and the custom_id. An object that GET returned can be sent.
  const [first, second] = created.results;
  const { json: read } = await manage.call(key, 'GET', '/tanks/external_key/T-2');
  const changed = await put(manage, key, '/tanks/bulk', [
    { ...TANK, external_key: 'T-1', name: 'New name' },
    { ...read, name: 'Other name' },
    { ...read, external_key: 'T-3', id: second?.id },
  ]);
  expect(statuses(changed)).toEqual(['updated', 'updated', 'refused id contradiction']);
  const { json: unmoved } = await manage.call(key, 'GET', '/tanks/external_key/T-1');
  expect(unmoved).toMatchObject({ id: first?.id, name: 'New name', custom_id: '1', assigned_device_id: 'DEV-1' });

  // The first line gives its tank to another owner. The custom_id of the second line belongs to another tank.
  const ofB = { ...TANK, owner_external_key: 'B' };
  const moved = await put(manage, key, '/tanks/bulk', [
    { ...ofB, external_key: 'T-1', custom_id: '1' },
    { ...ofA, external_key: 'T-3', custom_id: '2' },
    { ...ofB, external_key: 'T-2', assigned_device_id: 'DEV-9' },
    { ...ofB, external_key: 'T-2', owner_id: unmoved.owner_id },
    { ...ofA, external_key: 'T-6', assigned_device_id: 'DEV-1' },
    { ...ofA, external_key: 'T-5', custom_id: '1' },
  ]);
  expect(statuses(moved)).toEqual([
    'updated',
    'refused custom_id conflict',
    'refused assigned_device_id conflict',
    'refused owner_external_key contradiction',
    'refused assigned_device_id invalid',
    'refused conflict', // its custom_id names the tank of the first line
  ]);
  expect(moved.results[1]?.errors[0]?.detail).toBe(`Is that of the tank ${created.results[7]?.id}.`);
  // Lines by custom_id are refused with the same errors.
  const byCustomId = await put(manage, key, '/tanks/bulk', [
    { ...ofA, custom_id: '2', assigned_device_id: 'DEV-9' },
    { ...ofA, custom_id: '3', assigned_device_id: 'DEV-1' },
  ]);
  expect(byCustomId.results.map(({ errors }) => errors)).toEqual([2, 4].map((index) => moved.results[index]?.errors));
  const { json: now } = await manage.call(key, 'GET', '/tanks/external_key/T-1');
  expect([now.id, now.owner_id === unmoved.owner_id, now.etag]).toEqual([first?.id, false, moved.results[0]?.etag]);
  const late = await put(manage, key, '/tanks/bulk', [{ ...ofA, external_key: 'T-5', custom_id: '1' }]);
  expect(statuses(late)).toEqual(['created']);
});

test('a line may have blanks around the number of the owner, and a refused line claims no key', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  await put(manage, key, '/customers/bulk', [{ ...CUSTOMER, external_key: 'Caf\u00e9' }]);
  const line = { ...TANK, owner_external_key: 'Cafe\u0301 ', external_key: 'T-1', custom_id: '1' };
  expect(statuses(await put(manage, key, '/tanks/bulk', [line]))).toEqual(['created']);
  expect(statuses(await put(manage, key, '/tanks/bulk', [line]))).toEqual(['unchanged']);
  const other = { ...line, external_key: 'T-2', custom_id: undefined };
  expect(statuses(await put(manage, key, '/tanks/bulk', [other]))).toEqual(['created']);
  const { json } = await manage.call(key, 'PUT', '/tanks/external_key/T-1', { body: line });
  const patched = await manage.call(key, 'PATCH', `/tanks/${json.id}`, {
    body: { owner_external_key: line.owner_external_key },
    headers: { 'if-match': json.etag },
  });
  expect([patched.status, patched.json.etag]).toEqual([200, json.etag]);

  const renamed = await put(manage, key, '/tanks/bulk', [
    { ...other, custom_id: '1' },
    { ...other, custom_id: '2' },
    { ...other, custom_id: '3' },
  ]);
  expect(statuses(renamed)).toEqual(['refused custom_id conflict', 'updated', 'refused invalid']);
});

test('a transaction has at most 100 lines by external_key, and no tank is changed by both of its keys', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  await put(manage, key, '/customers/bulk', [{ ...CUSTOMER, external_key: 'A' }]);
  const ofA = { ...TANK, owner_external_key: 'A' };
  const [first, second] = ['1', '2'].map((custom_id) => ({ ...ofA, custom_id, external_key: `T-${custom_id}` }));
  await put(manage, key, '/tanks/bulk', [first, second]);
  const lines = [
    { ...ofA, custom_id: '1', name: 'By custom_id' },
    { ...TANK, external_key: 'T-2', name: 'By external_key' },
    ...Array.from({ length: 99 }, (_, n) => ({ ...ofA, external_key: `N-${n}` })),
    // The lines of the second transaction.
    { ...TANK, external_key: 'T-1', name: 'Other' },
    { ...ofA, custom_id: '2', name: 'Other' },
    { ...ofA, external_key: 'N-99' },
    { ...ofA, external_key: 'N-0' },
  ];
  const expected = [
    'updated',
    'updated',
    ...Array(99).fill('created'),
    'refused conflict',
    'refused conflict',
    'created',
    'refused invalid',
  ];
  expect(statuses(await put(manage, key, '/tanks/bulk?dry_run=true', lines))).toEqual(expected);
  expect(statuses(await put(manage, key, '/tanks/bulk', lines))).toEqual(expected);
  const { rows } = await database.owner.query(
    'select count(*) as tanks from tanks where organization_no = $1 group by xmin::text order by 1 desc',
    [organizationNo],
  );
  expect(rows).toEqual([{ tanks: 101 }, { tanks: 1 }]);
});

test('a line is limited in bytes, and a line or a body with any number of unknown fields lists 20 errors', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const unknownFields = (bytes: number): string => {
    const fields = Array.from(
      { length: Math.floor(bytes / 10) - 1 },
      (_, n) => `"${n.toString(36).padStart(5, '0')}":1`,
    );
    return `{${fields.join()}}`;
  };
  const { summary, results } = await put(manage, key, '/tanks/bulk?dry_run=true', [
    unknownFields(8_000_000),
    // The same bytes in lines that are short enough.
    ...Array.from({ length: 4 }, () => unknownFields(65_536)),
    { ...CUSTOMER, external_key: 'A', name: 'é'.repeat(32_769) },
  ]);
  expect(summary).toEqual({ created: 0, updated: 0, unchanged: 0, refused: 6 });
  const [tooLong, ...others] = results.map(({ errors }) => errors);
  expect(tooLong?.length).toBe(1);
  expect(tooLong).toMatchObject([
    {
      param: '',
      code: 'malformed',
      detail: expect.stringMatching(/^The line has \d+ bytes, and may have 65536\. Put/),
    },
  ]);
  expect(others.map((errors) => errors.length)).toEqual([20, 20, 20, 20, 1]);
  expect(others[0]?.map(({ detail }) => detail.includes('The fields are'))).toEqual([true, ...Array(19).fill(false)]);

  // A line of 60 KiB is parsed: its text is too long, not the line.
  const long = await put(manage, key, '/customers/bulk', [
    { ...CUSTOMER, external_key: 'A', name: 'x'.repeat(60_000) },
  ]);
  expect(long.results[0]?.errors).toMatchObject([{ param: 'name', code: 'invalid' }]);

  expect((await manage.call(key, 'POST', '/customers', { body: unknownFields(8_000_000) })).status).toBe(413);
  for (const [path, bytes] of [
    ['/customers', 16_384],
    ['/rounds', 262_144],
  ] as const) {
    const { status, json, text } = await manage.call(key, 'POST', path, { body: unknownFields(bytes) });
    expect([status, json.errors.length]).toEqual([422, 20]);
    expect(json.detail).toMatch(/[0-9]+ more errors are not listed\.$/);
    expect(text.length).toBeLessThan(10_000);
  }
});

test('a bulk is limited in lines and bytes, and each organization has one at a time', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const line = { ...CUSTOMER, external_key: 'A' };
  expect(
    await put(
      manage,
      key,
      '/customers/bulk',
      Array.from({ length: 10_001 }, () => line),
    ),
  ).toMatchObject({ status: 400 });
  expect(await put(manage, key, '/customers/bulk', ['x'.repeat(8_388_609)])).toMatchObject({
    code: 'payload_too_large',
  });
  expect((await manage.call(key, 'POST', '/customers/bulk', { body: '' })).json).toMatchObject({
    status: 400,
    detail: 'The request has no body. Send one of the type application/x-ndjson.',
  });
  const lines = Array.from({ length: 3_000 }, (_, n) => ({ ...CUSTOMER, external_key: `B${n}` }));
  const both = await Promise.all([1, 2].map(() => put(manage, key, '/customers/bulk', lines)));
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

test('a bulk whose client is gone stops after the batch in progress, and until then another bulk is refused', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const linesOf = (name: string) =>
    Array.from({ length: 6_000 }, (_, n) => ({ ...CUSTOMER, external_key: `C${n}`, name }));
  await put(manage, key, '/customers/bulk', [{ ...CUSTOMER, external_key: 'C0', name: 'Old' }]);
  const names = async (): Promise<unknown[]> => {
    const { rows } = await database.owner.query(
      'select name, count(*) from customers where organization_no = $1 group by name order by name',
      [organizationNo],
    );
    return rows.map(({ name, count }) => [name, count]);
  };

  const connection = await database.owner.connect();
  try {
    await connection.query('begin');
    await connection.query(`select from customers where organization_no = $1 and external_key = 'C0' for update`, [
      organizationNo,
    ]);
    const client = new AbortController();
    const abandoned = fetch(`${manage.url}/manage/v1/customers/bulk`, {
      method: 'POST',
      body: linesOf('Wrong')
        .map((line) => JSON.stringify(line))
        .join('\n'),
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
      signal: client.signal,
    });
    await expect
      .poll(async () => {
        const { rows } = await connection.query(
          `select from pg_stat_activity where application_name = 'tankwatch manager' and pg_backend_pid() = any (pg_blocking_pids(pid))`,
        );
        return rows.length;
      })
      .toBe(1);
    client.abort();
    await expect(abandoned).rejects.toThrow(/abort/);
    expect((await put(manage, key, '/customers/bulk', linesOf('Right'))).status).toBe(429);
    await connection.query('rollback');
  } finally {
    connection.release();
  }
  await expect.poll(async () => (await put(manage, key, '/customers/bulk', [CUSTOMER])).status).not.toBe(429);
  expect(await names()).toEqual([['Wrong', 500]]);
  expect((await put(manage, key, '/customers/bulk', linesOf('Right'))).status).toBe(200);
  expect(await names()).toEqual([['Right', 6_000]]);
});

test('a transaction of a bulk has as many lines as take about a second', () => {
  expect([
    nextBatchSize(500, 100),
    nextBatchSize(500, 400),
    nextBatchSize(2_000, 20_000),
    nextBatchSize(500, 0),
  ]).toEqual([2_000, 1_250, 100, 2_000]);
});

test('the rule for large bodies of both proxies matches the path of every bulk', async () => {
  const paths = MANAGE_OPERATIONS.filter(({ kind }) => kind === 'bulk').map(({ path }) => path);
  for (const file of ['nginx/tankwatch.conf', 'router/nginx/nginx.conf']) {
    const text = await readFile(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');
    const [, pattern = ''] = /location ~ (\S*bulk\S*) \{/.exec(text) ?? [];
    for (const path of paths) expect(path).toMatch(new RegExp(pattern));
  }
});
