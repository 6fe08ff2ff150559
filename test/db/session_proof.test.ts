import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { revokeKey } from '../../src/keys/issue_key.ts';
import { makeKey, parseKey } from '../../src/keys/key_format.ts';
import { givenKey, givenOrganization } from '../support/fleet.ts';
import { within } from '../support/stopwatch.ts';
import { type TestApi, type TestDatabase, test } from '../support/test.ts';

/** Revokes the rights that the next release revokes, as docs/operators/upgrade.md lists them. */
async function revokeOldRights({ owner }: TestDatabase): Promise<void> {
  const guide = await readFile(new URL('../../docs/operators/upgrade.md', import.meta.url), 'utf8');
  const [, statements = ''] = /```sql\n(revoke[^`]*)```/.exec(guide) ?? [];
  expect(statements.match(/revoke/g)).toHaveLength(3);
  await owner.query(statements);
}

async function signIn(api: TestApi, apiKey: string): Promise<{ status: number; cookie: string }> {
  const { status, headers } = await api.call('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  });
  return { status, cookie: [headers['set-cookie'] ?? []].flat()[0]?.split(';')[0] ?? '' };
}

test('the api role begins a session only with the hash of the key that it was given, and reads no hash', async ({
  database,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const key = await givenKey(database.operator, { organizationNo });
  await revokeOldRights(database);

  const { prefix, secretSha256 } = parseKey(key.text) ?? makeKey('a0');
  const begin = async (proof: Buffer): Promise<unknown> => {
    const session = makeKey('a0');
    const values = [prefix, proof, session.prefix, session.secretSha256];
    return (await database.api.query('select begin_session($1, $2, $3, $4) as begun', values)).rows[0]?.begun;
  };
  expect([await begin(makeKey('a0').secretSha256), await begin(secretSha256)]).toEqual([false, true]);
  for (const statement of [
    "select create_session('a0aaaaaaaaaa', sha256('x'), no) from api_keys",
    'select secret_sha256 from api_keys',
    'select secret_sha256 from session_credentials',
    'select secret_sha256 from sessions',
    'select browser_sha256 from sign_ins',
  ]) {
    await expect(database.api.query(statement), statement).rejects.toThrow(/permission denied/);
  }
  for (const columns of ['session_changes', "find_key('', '')", "find_session('', '')"]) {
    const { fields } = await database.api.query(`select * from ${columns} limit 0`);
    expect([columns, fields.map(({ name }) => name).filter((name) => name.includes('sha256'))]).toEqual([columns, []]);
  }
});

test('without the rights to read hashes keys and sessions work, wrong secrets are refused, and a revoked key ends both', async ({
  database,
  api,
}) => {
  const organizationNo = await givenOrganization(database.operator);
  const key = await givenKey(database.operator, { organizationNo });
  await revokeOldRights(database);
  const guessed = makeKey('a0').text;
  const wrong = `${key.text.slice(0, 12)}${guessed.slice(12)}`;
  const get = async (headers: Record<string, string>): Promise<number> =>
    (await api.call('/v1/tanks', { headers })).status;

  // Wrong secrets that arrive at the same time must not keep the right one out.
  const answers = await Promise.all([wrong, key.text, wrong].map((text) => get({ 'x-api-key': text })));
  expect(answers).toEqual([401, 200, 401]);
  expect(await get({ 'x-api-key': wrong })).toBe(401);
  const { status, cookie } = await signIn(api, key.text);
  expect([status, await get({ cookie })]).toEqual([204, 200]);
  expect((await signIn(api, wrong)).status).toBe(401);
  expect(await get({ cookie: cookie.replace(/..$/, (last) => (last === 'AA' ? 'BB' : 'AA')) })).toBe(401);

  await revokeKey(database.operator, key.text.slice(0, 12));
  await within(5_000, async () => {
    await expect.poll(() => get({ 'x-api-key': key.text }), { interval: 20 }).toBe(401);
    await expect.poll(() => get({ cookie }), { interval: 20 }).toBe(401);
  });
});
