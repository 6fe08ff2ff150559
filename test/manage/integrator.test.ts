import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { Tankwatch } from '../../packages/client/src/client.ts';
import { codeBlocks } from '../support/client.ts';
import { givenKey } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { CUSTOMER, givenManagedOrganization, type ManageApi, TANK, test } from '../support/manage.ts';

const put = (manage: ManageApi, key: string, name: string, body: object = CUSTOMER) =>
  manage.call(key, 'PUT', `/customers/external_key/${name}`, { body });

test('what GET returned can be sent back with PUT, PATCH and in a bulk, as long as nothing has changed', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { json: owner } = await put(manage, key, 'A');
  const customerPath = `/customers/${owner.id}`;
  const tankPath = `${customerPath}/tanks/custom_id/T-1`;
  await manage.call(key, 'PUT', tankPath, { body: TANK });
  const { json: customer } = await manage.call(key, 'GET', customerPath);
  const { json: tank } = await manage.call(key, 'GET', tankPath);
  expect(tank.assigned_device_id).toMatch(/^pending-/);

  for (const [method, path, body] of [
    ['PUT', '/customers/external_key/A', customer],
    ['PATCH', customerPath, customer],
    ['PUT', tankPath, tank],
    ['PATCH', `/tanks/${tank.id}`, tank],
  ] as const) {
    const { status, json } = await manage.call(key, method, path, { body, ifMatch: body.etag });
    expect([path, status, json]).toEqual([path, 200, body]);
  }
  for (const [path, line] of [
    ['/customers/bulk', customer],
    ['/tanks/bulk', tank],
  ] as const) {
    const { text } = await manage.call(key, 'POST', path, { body: JSON.stringify(line) });
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ status: 'unchanged', etag: line.etag, errors: [] });
  }

  // The customer has changed meanwhile.
  await manage.call(key, 'PATCH', customerPath, { body: { name: 'Other' }, ifMatch: '*' });
  const late = await put(manage, key, 'A', { ...customer, phone: '5', phones: undefined });
  expect([late.status, late.json.detail]).toEqual([
    412,
    'The object has changed since you read it (updated_at, etag). Read it again, and repeat the change.',
  ]);
  const { text } = await manage.call(key, 'POST', '/customers/bulk', { body: JSON.stringify(customer) });
  expect(JSON.parse(text.split('\n')[0] ?? '').errors.map(({ code }: { code: string }) => code)).toEqual([
    'changed',
    'changed',
  ]);
  // The id of another object, and an id for an object that does not exist yet.
  expect((await put(manage, key, 'A', { ...CUSTOMER, id: tank.id })).json.errors).toMatchObject([
    { param: 'id', code: 'contradiction' },
  ]);
  expect((await put(manage, key, 'NEW', { ...CUSTOMER, id: owner.id })).json.errors).toMatchObject([
    { param: 'id', code: 'read_only' },
  ]);
  expect((await put(manage, key, 'A', { ...CUSTOMER, tank_count: 1 })).json.errors).toMatchObject([
    { param: 'tank_count', code: 'unknown' },
  ]);
  // A new tank cannot name a placeholder.
  const other = { ...TANK, assigned_device_id: 'pending-abcdefghjkmn' };
  expect((await manage.call(key, 'PUT', tankPath.replace('T-1', 'T-2'), { body: other })).status).toBe(422);
  expect((await manage.call(key, 'PUT', tankPath, { body: other })).status).toBe(409);
});

test('a line whose two owners differ is refused, and a line with an ID creates no second tank of another owner', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { json: a } = await put(manage, key, 'A');
  const { json: b } = await put(manage, key, 'B');
  const { json: tank } = await manage.call(key, 'PUT', `/customers/${a.id}/tanks/custom_id/T-1`, { body: TANK });
  const lines = [
    { ...TANK, custom_id: 'T-2', owner_id: a.id, owner_external_key: 'B' },
    { ...tank, owner_id: b.id, assigned_device_id: undefined },
    { ...TANK, custom_id: 'T-3', owner_id: b.id, assigned_device_id: tank.assigned_device_id },
    { ...TANK, custom_id: 'T-4', owner_id: a.id, owner_external_key: 'A' },
    ...['', ' ', '\u00a0'].flatMap((custom_id) => [{ ...TANK, custom_id, owner_external_key: 'A' }]),
    { ...TANK, custom_id: 'T-5', owner_external_key: ' ' },
  ];
  const { text } = await manage.call(key, 'POST', '/tanks/bulk', {
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  const results = text
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(results.map(({ status, errors }) => [status, errors[0]?.param])).toEqual([
    ['refused', 'owner_external_key'],
    ['refused', 'id'],
    ['refused', 'assigned_device_id'],
    ['created', undefined],
    ['refused', 'custom_id'],
    ['refused', 'custom_id'],
    ['refused', 'custom_id'],
    ['refused', 'owner_external_key'],
  ]);
  expect(results[1].errors[0].detail).toContain('To change the key or the owner of an object, use PATCH with its ID.');
});

test('a missing, compressed or broken body is refused with the reason', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const path = '/customers/external_key/A';
  const send = async (body: string | Uint8Array | undefined, headers: Record<string, string> = {}) => {
    const { status, json } = await callApi(manage.url, `/manage/v1${path}`, {
      key,
      method: 'PUT',
      ...(body === undefined ? {} : { body }),
      headers: { 'content-type': 'application/json', ...headers },
    });
    return [status, json.detail];
  };
  const text = JSON.stringify(CUSTOMER);
  expect(await send('')).toEqual([400, 'The request has no body. Send one of the type application/json.']);
  expect(await send(undefined)).toEqual([400, 'The request has no body. Send one of the type application/json.']);
  const compressed = [415, 'The body is compressed. Send it uncompressed, and without the header Content-Encoding.'];
  expect(await send(gzipSync(text))).toEqual(compressed);
  expect(await send(gzipSync(text), { 'content-encoding': 'gzip' })).toEqual(compressed);
  expect(await send(`\uFEFF${text}`)).toEqual([201, undefined]);
  expect(await send(text, { 'content-type': 'text/plain' })).toEqual([
    415,
    'The body must have the type application/json.',
  ]);
  // Broken JSON, JSON that is not an object, and other encodings.
  expect(await send(text.slice(0, -1))).toEqual([
    400,
    `The body is not valid JSON: it ends too early, after ${text.length - 1} characters.`,
  ]);
  expect(await send('{"name": "a" x}')).toEqual([
    400,
    'The body is not valid JSON: see the character at position 13, counted from 0.',
  ]);
  expect(await send('secret')).toEqual([
    400,
    'The body is not valid JSON: a character is wrong. Check its quotes, commas and braces.',
  ]);
  expect(await send('[]')).toEqual([400, 'The body must be a JSON object, such as {"name": "House"}.']);
  for (const utf16 of [Buffer.from(text, 'utf16le'), Buffer.from(`\uFEFF${text}`, 'utf16le')])
    expect(await send(utf16)).toEqual([400, 'The body is not valid JSON: it is not UTF-8. Send it in UTF-8.']);
  expect(await send(Buffer.from('{"name":"María","email":"m@example.com"}', 'latin1'))).toEqual([
    422,
    'name: Has a character that an earlier conversion has broken. Send the body in UTF-8.',
  ]);
  const line = await manage.call(key, 'POST', '/customers/bulk', { body: '{"external_key":' });
  expect(line.text).toContain('The line is not valid JSON: it ends too early, after 16 characters.');
  const bulk = `\uFEFF${JSON.stringify({ ...CUSTOMER, external_key: 'A' })}\n`;
  expect((await manage.call(key, 'POST', '/customers/bulk', { body: bulk })).status).toBe(200);

  const { json: customer } = await manage.call(key, 'GET', path);
  const patch = { body: { name: 'New' }, ifMatch: customer.etag };
  const type = (name: string) => ({ headers: { 'content-type': name } });
  const json = await manage.call(key, 'PATCH', `/customers/${customer.id}`, { ...patch, ...type('application/json') });
  expect([json.status, json.json.name]).toEqual([200, 'New']);
  const wrong = await manage.call(key, 'PATCH', `/customers/${customer.id}`, {
    ...patch,
    ...type('application/json-patch+json'),
  });
  expect([wrong.status, wrong.json.detail]).toEqual([
    415,
    'The body must have the type application/merge-patch+json or application/json.',
  ]);
});

test('errors say which values are right: for times in the future, volumes, and the ETag of another answer', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  for (const year of ['2031', '9999'])
    expect((await put(manage, key, 'A', { ...CUSTOMER, created_at: `${year}-01-01T00:00:00Z` })).json.errors).toEqual([
      { param: 'created_at', code: 'invalid', detail: 'Must not be in the future.' },
    ]);
  const { json: customer } = await put(manage, key, 'A', { ...CUSTOMER, created_at: '1999-01-01T00:00:00Z' });
  const note = { at: '2026-01-05', volume: 1e9, customer: 'A' };
  expect((await manage.call(key, 'PUT', '/delivery-notes/-/1', { body: note })).json.errors).toEqual([
    { param: 'volume', code: 'invalid', detail: 'Must be a number greater than 0 and below 1,000,000,000.' },
  ]);

  const detailOf = async (body: object | string, path = '/customers/external_key/A') =>
    (await manage.call(key, 'PUT', path, { body })).json.detail;
  expect(await detailOf({ ...CUSTOMER, name: 'a\0b' })).toBe(
    'name: Must be a text without the character U+0000 and without half characters (lone surrogates). Remove them.',
  );
  expect(await detailOf({ ...CUSTOMER, created_at: 5 })).toMatch(
    /^created_at: Must be an ISO 8601 date and time, such/,
  );
  expect(await detailOf({ ...CUSTOMER, id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90' })).toBe(
    'id: Belongs to another object than the one that the request names. Leave it out, or correct the path or the key.',
  );
  const huge = JSON.stringify({ ...TANK, owner_id: customer.id, capacity: 5 }).replace(
    '"capacity":5',
    '"capacity":1e400',
  );
  expect(await detailOf(huge, '/tanks/external_key/T')).toBe(
    'capacity: Must be a smaller number. This one is too large to be stored.',
  );
  const nothing = await manage.call(key, 'PUT', '/tanks/external_key/T', { body: {} });
  expect(nothing.json.errors.map(({ param }: { param: string }) => param)).toEqual([
    'name',
    'capacity',
    'capacity_unit',
    'min_fill_alert_percentage',
    'owner_id',
  ]);
  const noOwner = { param: 'owner_external_key', detail: expect.stringContaining('ustomer') };
  const bad = { ...TANK, custom_id: 'T', owner_external_key: 'nobody' };
  const { text } = await manage.call(key, 'POST', '/tanks/bulk', { body: JSON.stringify(bad) });
  expect(JSON.parse(text.split('\n')[0] ?? '').errors).toMatchObject([noOwner]);
  expect((await manage.call(key, 'PUT', '/tanks/external_key/T', { body: bad })).json.errors).toMatchObject([noOwner]);
  const { text: readKey } = await givenKey(database.operator, { organizationNo, scopes: ['read'] });
  expect((await manage.call(readKey, 'PUT', '/customers/external_key/A', { body: CUSTOMER })).json.detail).toBe(
    'This API key does not have the scope "manage". Ask the operator of this service for a key that has it.',
  );

  const { headers } = await callApi(manage.url, `/v1/customers/${customer.id}`, { key });
  const path = `/customers/${customer.id}`;
  const wrong = await manage.call(key, 'PATCH', path, { body: { name: 'B' }, ifMatch: String(headers['etag']) });
  expect([wrong.status, wrong.json.detail]).toEqual([
    412,
    'This is the ETag of an answer of /v1 or /fleet/v1. Send the `etag` that /manage/v1 and /fleet/v1/changes return with the object.',
  ]);
});

test('If-None-Match refuses to overwrite, by * and by ETag, and says how to replace or create instead', async ({
  database,
  manage,
}) => {
  const { key } = await givenManagedOrganization(database);
  const { json: customer } = await put(manage, key, 'A');
  const send = async (name: string, headers: Record<string, string>) => {
    const path = `/customers/external_key/${name}`;
    const { status, json } = await manage.call(key, 'PUT', path, { body: { ...CUSTOMER, name: 'New' }, headers });
    return [status, json.title, json.detail];
  };
  const title = 'The condition of the request is not true';
  const same =
    'The object has the ETag in If-None-Match, which means that it must not. To replace this version, send the ETag as If-Match.';
  for (const tags of [customer.etag, `W/${customer.etag}`, `"other", ${customer.etag}`])
    expect(await send('A', { 'if-none-match': tags })).toEqual([412, title, same]);
  expect(await send('A', { 'if-none-match': '*' })).toEqual([
    412,
    title,
    'The object exists already, and If-None-Match: * only creates. To replace it, send the request without If-None-Match.',
  ]);
  expect(await send('B', { 'if-match': '*' })).toEqual([
    412,
    title,
    'There is no such object, and If-Match only replaces one. To create it, send the request without If-Match.',
  ]);
  expect((await send('A', { 'if-none-match': 'unquoted' }))[0]).toBe(400);
  expect((await manage.call(key, 'GET', '/customers/external_key/A')).json).toEqual(customer);
  expect((await send('A', { 'if-none-match': '"other"' }))[0]).toBe(200);
});

test('the calls of client.manage in the README of the client do what the README says', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const readme = await readFile(new URL('../../packages/client/README.md', import.meta.url), 'utf8');
  const code = codeBlocks(readme).find(({ language }) => language === 'js')?.code;
  const program = `export const run = async (client) => { ${code} return { tank, summary }; };`;
  const { run } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(program)}`);
  expect(await run(new Tankwatch({ baseUrl: manage.url, apiKey: key }))).toMatchObject({
    tank: { external_key: 'T-4711' },
    summary: { created: 1, refused: 0 },
  });
  expect((await manage.call(key, 'GET', '/tanks/external_key/T-4711')).json.capacity).toBe(900);
});

test('a conflict names the object that has the value already', async ({ database, manage }) => {
  const { key } = await givenManagedOrganization(database);
  const { json: owner } = await put(manage, key, 'A');
  const { json: tank } = await manage.call(key, 'PUT', `/customers/${owner.id}/tanks/custom_id/1`, {
    body: { ...TANK, assigned_device_id: 'D-1' },
  });
  const create = (path: string, body: object) => manage.call(key, 'POST', path, { body });
  const { json: driver } = await create('/drivers', { name: 'Raúl' });
  const { json: other } = await create('/drivers', { name: 'Ana' });
  const { json: archived } = await create('/drivers', { name: 'Old', is_archived: true });
  const contact = { email: 'ana@example.com', types: [] };
  const { json: person } = await create('/contacts', contact);
  const refused = await Promise.all([
    create('/customers', { ...CUSTOMER, external_key: 'A' }),
    create('/tanks', { ...TANK, owner_id: owner.id, custom_id: '1' }),
    create('/tanks', { ...TANK, owner_id: owner.id, assigned_device_id: 'D-1' }),
    manage.call(key, 'DELETE', `/customers/${owner.id}`, { ifMatch: '*' }),
    create('/drivers', { name: 'RAÚL' }),
    manage.call(key, 'PATCH', `/drivers/${other.id}`, { body: { name: 'Raúl' }, ifMatch: '*' }),
    manage.call(key, 'PATCH', `/drivers/${archived.id}`, { body: { name: 'Raúl', is_archived: false }, ifMatch: '*' }),
    create('/contacts', contact),
  ]);
  expect(refused.map(({ status, json }) => [status, json.conflicting_id])).toEqual(
    [owner.id, tank.id, tank.id, tank.id, driver.id, driver.id, driver.id, person.id].map((id) => [409, id]),
  );
  // A driver does not conflict with its own name.
  const same = await manage.call(key, 'PATCH', `/drivers/${driver.id}`, { body: { name: 'RAÚL' }, ifMatch: '*' });
  expect(same.status).toBe(200);
});

test('a webhook is read and deleted by its ID, and is gone from lists and stored answers', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const body = { url: 'https://1.1.1.1/hook' };
  const first = await manage.call(key, 'POST', '/webhooks', { body, idempotencyKey: 'w' });
  const { secret: _, ...webhook } = first.json;
  const path = `/webhooks/${webhook.id}`;
  expect((await manage.call(key, 'GET', path)).json).toEqual(webhook);
  const { text: foreign } = await givenKey(database.operator, {
    organizationNo: (await givenManagedOrganization(database)).organizationNo,
    scopes: ['manage'],
  });
  expect((await manage.call(foreign, 'GET', path)).status).toBe(404);
  expect((await manage.call(foreign, 'DELETE', path, { ifMatch: '*' })).status).toBe(404);
  expect((await manage.call(key, 'DELETE', path)).status).toBe(428);
  expect((await manage.call(key, 'DELETE', path, { ifMatch: '"other"' })).status).toBe(412);
  expect((await manage.call(key, 'DELETE', `${path}?dry_run=true`, { ifMatch: webhook.etag })).status).toBe(204);
  for (let n = 0; n < 2; n++)
    expect((await manage.call(key, 'DELETE', path, { ifMatch: webhook.etag })).status).toBe(204);
  expect((await manage.call(key, 'GET', path)).status).toBe(404);
  expect((await manage.call(key, 'GET', '/webhooks')).json.data).toEqual([]);
  // The stored answer to its creation is erased, because it has the secret.
  expect((await manage.call(key, 'POST', '/webhooks', { body, idempotencyKey: 'w' })).status).toBe(410);
  const { rows } = await database.owner.query(
    'select url, secret, disabled_because from webhook_endpoints where organization_no = $1',
    [organizationNo],
  );
  expect(rows).toEqual([{ url: 'deleted', secret: '', disabled_because: 'operator' }]);
  const { json: audit } = await manage.call(key, 'GET', '/audit');
  expect(audit.data[0]).toMatchObject({ action: 'delete', object: 'audit_entry', changed_name: null });
});
