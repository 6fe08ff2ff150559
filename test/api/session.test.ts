import { expect } from 'vitest';
import { newSession } from '../../src/api/sign_in/new_session.ts';
import { transaction } from '../../src/db/pool.ts';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { makeKey } from '../../src/keys/key_format.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';

async function givenSignedIn({ operator }: TestDatabase, api: TestApi, isNarrowed = false) {
  const organizationNo = await givenOrganization(operator);
  const customer = await givenCustomer(operator, organizationNo, { name: 'Ana' });
  await givenCustomer(operator, organizationNo, { name: 'Other' });
  await givenTank(operator, organizationNo, customer.no);
  const key = await givenKey(operator, { organizationNo, ...(isNarrowed ? { customerNo: customer.no } : {}) });
  const response = await signIn(api, key.text);
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { organizationNo, customer, key, response, cookie };
}

const signIn = (api: TestApi, apiKey: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ api_key: apiKey }),
  });

const get = (api: TestApi, path: string, cookie: string) => api.call(path, { headers: { cookie } });

test('a key is exchanged for a cookie that no script can read, and the cookie reads what the key reads', async ({
  database,
  api,
}) => {
  const { response, cookie } = await givenSignedIn(database, api);
  expect(response.status).toBe(204);
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-tankwatch=a0[a-z0-9]{10}\.[\w-]{48}; Max-Age=604800; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  );
  const tanks = await get(api, '/v1/tanks', cookie);
  expect([tanks.status, tanks.json.total_items]).toEqual([200, 1]);
  expect(tanks.headers['vary']).toContain('Cookie');
  expect((await get(api, '/fleet/v1/tanks', cookie)).status).toBe(200);
  expect((await get(api, '/session', cookie)).json).toMatchObject({
    object: 'session',
    organization: { time_zone: 'UTC' },
    customer: null,
  });
});

test('new keys and sessions begin with the route tag of their organization, and earlier keys stay valid', async ({
  database,
  api,
}) => {
  const { organizationNo, key, cookie } = await givenSignedIn(database, api);
  const { rows } = await database.owner.query<{ beginning: string }>('select key_beginning($1) as beginning', [
    organizationNo,
  ]);
  const beginning = rows[0]?.beginning ?? '';
  expect(beginning).toMatch(/^a0[01][a-km-np-z2-9]{3}$/);
  expect(key.prefix.startsWith(beginning)).toBe(true);
  expect(cookie.startsWith(`__Host-tankwatch=${beginning}`)).toBe(true);

  const earlier = makeKey('a0');
  await database.owner.query(
    `insert into api_keys (prefix, secret_sha256, organization_no, name, scopes) values ($1, $2, $3, 'earlier', '{read}')`,
    [earlier.prefix, earlier.secretSha256, organizationNo],
  );
  const answer = await signIn(api, earlier.text);
  expect([answer.status, answer.headers.get('set-cookie')?.slice(0, 23)]).toEqual([
    204,
    `__Host-tankwatch=${beginning}`,
  ]);
});

test('a session whose prefix is taken gets another one', async () => {
  const tried: string[] = [];
  const { result } = await newSession('a00abc', async (prefix) => {
    tried.push(prefix);
    if (tried.length < 3) throw Object.assign(new Error('taken'), { code: '23505' });
    return 'begun';
  });
  expect([result, new Set(tried).size]).toEqual(['begun', 3]);
});

test('a session of a narrowed key sees only its customer', async ({ database, api }) => {
  const { customer, cookie } = await givenSignedIn(database, api, true);
  expect((await get(api, '/session', cookie)).json.customer).toMatchObject({ id: customer.id, name: 'Ana' });
  const { data } = (await get(api, '/v1/customers', cookie)).json;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([customer.id]);
});

test('a session ends within a second after its key is revoked or may no longer read, or the person signs out', async ({
  database,
  api,
}) => {
  const revoked = await givenSignedIn(database, api);
  const ingestOnly = await givenSignedIn(database, api);
  const signedOut = await givenSignedIn(database, api);
  expect((await get(api, '/v1/tanks', revoked.cookie)).status).toBe(200);
  await transaction(database.operator, (tx) => revokeKey(tx, revoked.key.prefix));
  await database.owner.query(`update api_keys set scopes = '{ingest}' where prefix = $1`, [ingestOnly.key.prefix]);
  const out = await fetch(`${api.url}/session`, { method: 'DELETE', headers: { cookie: signedOut.cookie } });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  for (const { cookie } of [revoked, ingestOnly, signedOut])
    await expect.poll(async () => (await get(api, '/v1/tanks', cookie)).status).toBe(401);
  expect((await get(api, '/session', revoked.cookie)).status).toBe(401);
});

test('sign-in refuses wrong keys, pages of other sites, malformed bodies and keys that may not read', async ({
  database,
  api,
}) => {
  const { key, cookie, organizationNo } = await givenSignedIn(database, api);
  expect((await signIn(api, key.text, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await signIn(api, key.text, { origin: 'null' })).status).toBe(403);
  expect((await signIn(api, key.text, { origin: api.url })).status).toBe(204);
  const wrongKey = key.text.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
  expect((await signIn(api, wrongKey)).status).toBe(401);
  const ingest = await givenKey(database.operator, { organizationNo, scopes: ['ingest'] });
  expect((await signIn(api, ingest.text)).status).toBe(403);
  for (const body of ['', '{}', '[]', '{"api_key": 1}', '{"api_key": "x", "more": 1}']) {
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${api.url}/session`, { method: 'POST', headers, body })).status, body).toBe(400);
  }
  const other = `__Host-tankwatch=${key.text}`;
  expect((await get(api, '/v1/tanks', other)).status).toBe(401);
  const crossSite = { method: 'DELETE', headers: { cookie, origin: 'https://evil.example' } };
  expect((await fetch(`${api.url}/session`, crossSite)).status).toBe(403);
  expect((await get(api, '/v1/tanks', cookie)).status).toBe(200);
});

test('ending a session needs its secret, also beside an API key', async ({ database, api }) => {
  const { cookie, key } = await givenSignedIn(database, api);
  const stranger = await givenSignedIn(database, api);
  const prefix = cookie.slice('__Host-tankwatch='.length).split('.')[0] ?? '';
  const guessed = `__Host-tankwatch=${makeKey(prefix).text}`;
  for (const apiKey of [stranger.key.text, key.text]) {
    const headers = { cookie: guessed, 'x-api-key': apiKey };
    expect((await fetch(`${api.url}/session`, { method: 'DELETE', headers })).status).toBe(401);
  }
  const { rows } = await database.owner.query('select ended_at from sessions where prefix = $1', [prefix]);
  expect(rows).toEqual([{ ended_at: null }]);
  const headers = { cookie, 'x-api-key': stranger.key.text };
  expect((await fetch(`${api.url}/session`, { method: 'DELETE', headers })).status).toBe(204);
  await expect.poll(async () => (await get(api, '/v1/tanks', cookie)).status).toBe(401);
});

test('a key has at most 100 sessions, and signing in counts for its rate limit', async ({ database, api }) => {
  const { key, cookie } = await givenSignedIn(database, api);
  expect((await get(api, '/session', cookie)).status).toBe(200);
  await database.owner.query(
    `insert into sessions (prefix, secret_sha256, key_no, organization_no, requests_per_second, burst, expires_at)
     select 'a0' || n, sha256(n::text::bytea), s.key_no, s.organization_no, 1, 1, s.expires_at
     from sessions s, generate_series(1, 150) as n where s.key_no = $1`,
    [key.no],
  );
  const again = await signIn(api, key.text);
  expect([again.status, again.headers.get('ratelimit')]).toEqual([204, expect.stringContaining('"key";r=')]);
  const { rows } = await database.owner.query(
    'select count(*)::int as n from sessions where key_no = $1 and ended_at is null',
    [key.no],
  );
  expect(rows).toEqual([{ n: 100 }]);
  await expect.poll(async () => (await get(api, '/session', cookie)).status).toBe(401);
});

test('the secret of a session is not stored, and an idle session expires', async ({ database, api }) => {
  const { cookie } = await givenSignedIn(database, api);
  const prefix = cookie.slice(cookie.indexOf('=') + 1).split('.')[0] ?? '';
  const { rows } = await database.owner.query('select * from sessions where prefix = $1', [prefix]);
  expect(JSON.stringify(rows)).not.toContain(cookie.split('.')[1]);
  await database.owner.query(
    'update sessions set expires_at = now(), changed_xid = pg_current_xact_id() where prefix = $1',
    [prefix],
  );
  await expect.poll(async () => (await get(api, '/v1/tanks', cookie)).status).toBe(401);
  await get(api, '/session', cookie);
  expect((await get(api, '/v1/tanks', cookie)).status).toBe(401);
});

test('without settings for mails, people sign in with a key only, and / leads to a page', async ({ api }) => {
  const post = (path: string, body: object) =>
    api.call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  expect((await post('/session/mails', { email: 'ana@example.com' })).status).toBe(404);
  expect((await api.call('/session/links/x')).status).toBe(404);
  expect((await post('/session', { code: '123456' })).json.detail).toContain('Send an API key');
  expect((await api.call('/session')).headers['www-authenticate']).toBe('ApiKey');
  expect((await api.call('/session/issuers')).json).toEqual({ object: 'list', data: [], by_domain: false });
  const { status, headers } = await api.call('/');
  expect([status, ['/console/', '/docs/']]).toEqual([302, expect.arrayContaining([headers['location']])]);
  expect((await api.call(String(headers['location']))).status).toBe(200);
});
