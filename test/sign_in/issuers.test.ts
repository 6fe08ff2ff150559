import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { removeContact, updateContact } from '../../src/mail/contacts.ts';
import { removeIssuer } from '../../src/oidc/issuers.ts';
import { newSubscription } from '../support/push.ts';
import { givenSession } from '../support/sessions.ts';
import { cookiesOf, givenDispatcher, newAddress, TestBrowser } from '../support/sign_in.ts';
import { within } from '../support/stopwatch.ts';
import type { TestDatabase } from '../support/test.ts';
import { givenAccount, type IssuerService, open, returnFrom, signInWith, test } from './issuer_test.ts';

const SESSION = '__Host-tankwatch';
const STARTED = '__Host-tankwatch-issuer';

const countBrowsers = async ({ owner }: TestDatabase, email: string): Promise<number | null> =>
  (
    await owner.query('select from push_subscriptions s join contacts c on c.no = s.contact_no where c.email = $1', [
      email,
    ])
  ).rowCount;

test('a verified address of the domain signs its contact in for an hour, and then mails no longer sign it in', async ({
  database,
  service,
}) => {
  const email = await givenDispatcher(database, service.organizationNo, newAddress('ana'), ['dispatcher']);
  const { sub } = givenAccount(service, { email: email.toUpperCase() });
  expect(await mayAskForMail(database, email)).toBe(true);
  // The sign-in page offers this issuer to addresses of its domain, and the other issuer to everybody.
  const offered = async (query = '') => (await new TestBrowser(service.url).call(`/session/issuers${query}`)).json;
  const labelled = { id: service.other.issuerId, label: 'The other one' };
  expect(await offered()).toEqual({ object: 'list', data: [labelled], by_domain: true });
  expect((await offered('?domain=Example.com')).data).toMatchObject([{ id: service.issuerId }]);
  expect((await offered('?domain=elsewhere.example')).data).toEqual([]);
  const { browser, answer } = await signInWith(service, sub, { body: { return_to: '/tanks?range=90d', email } });
  expect([answer.status, answer.headers['location']]).toEqual([303, '/console/tanks?range=90d']);
  expect(cookiesOf(answer)).toEqual([
    expect.stringMatching(/^__Host-tankwatch-issuer=; Max-Age=0; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(/^__Host-tankwatch=\w{12}\.[\w-]{48}; /),
    expect.stringContaining('__Host-tankwatch-sign-in=;'),
  ]);
  const { json } = await browser.call('/session');
  expect(json).toMatchObject({ person: { email }, roles: ['dispatcher'], issuer: { id: service.issuerId } });
  expect(json.issuer.seconds_left).toBeGreaterThan(3_580);
  expect(await browser.status()).toBe(200);
  expect(await mayAskForMail(database, email)).toBe(false);
  const { rows: audit } = await database.owner.query(
    `select fields, actor from audit_log where object = 'contact' and organization_no = $1 order by no desc limit 1`,
    [service.organizationNo],
  );
  expect(audit).toEqual([{ fields: ['identity'], actor: `issuer ${service.provider.url}` }]);
});

/** Whether a mail would let the address in. */
const mayAskForMail = async ({ owner }: { owner: { query: Query } }, email: string): Promise<boolean> =>
  (await owner.query('select from sign_in_identities where address = $1', [email])).rowCount === 1;
type Query = (sql: string, values: unknown[]) => Promise<{ rowCount: number | null }>;

test('issuer and subject identify a person, whatever the address is', async ({ database, service }) => {
  const [ana, boss] = [newAddress('ana'), newAddress('boss')];
  await givenDispatcher(database, service.organizationNo, ana, ['viewer']);
  await givenDispatcher(database, service.organizationNo, boss, ['administrator']);
  const account = givenAccount(service, { email: ana });
  await signInWith(service, account.sub);
  service.provider.accounts.set(account.sub, { ...account, email: boss });
  const { browser } = await signInWith(service, account.sub);
  expect((await browser.call('/session')).json).toMatchObject({ person: { email: ana }, roles: ['viewer'] });

  // The provider gives Ana's address to somebody else.
  const stranger = givenAccount(service, { email: ana });
  expect(await refusalOf(service, stranger.sub)).toMatch(/nobody has given you access/);
});

/** The text of the page for a person who is refused. */
async function refusalOf(service: Pick<IssuerService, 'url' | 'issuerId'>, sub: string): Promise<string> {
  const { browser, answer } = await signInWith(service, sub);
  expect([answer.status, browser.cookies.has(SESSION), browser.cookies.has(STARTED)]).toEqual([403, false, false]);
  return answer.text;
}

test('an address that is not verified, not of the domain or unknown is refused', async ({ database, service }) => {
  const email = await givenDispatcher(database, service.organizationNo);
  const elsewhere = await givenDispatcher(database, service.organizationNo, 'ana@elsewhere.example', ['viewer']);
  for (const claims of [
    { email, email_verified: false },
    { email, email_verified: 'true' },
    { email, email_verified: undefined },
    { email: elsewhere },
    { email: newAddress('unknown') },
    { email: `${email}.attacker.example` },
  ]) {
    expect(await refusalOf(service, givenAccount(service, claims).sub)).toMatch(/nobody has given you access/);
  }
  // The other issuer has no domain, so that its addresses prove nothing.
  const { provider, issuerId } = service.other;
  const { sub } = givenAccount({ provider }, { email });
  expect(await refusalOf({ url: service.url, issuerId }, sub)).toMatch(/nobody has given you access/);
  expect(await mayAskForMail(database, email)).toBe(true);
});

test('an ID token of another issuer, client or sign-in, without a valid signature or expired is refused', async ({
  database,
  service,
}) => {
  const email = await givenDispatcher(database, service.organizationNo);
  const { sub } = givenAccount(service, { email });
  const nowS = Math.floor(Date.now() / 1_000);
  for (const [attack, forgery] of Object.entries({
    'another issuer': { claims: { iss: service.other.provider.url } },
    'another client': { claims: { aud: 'another-client' } },
    'another sign-in': { claims: { nonce: 'a nonce of another sign-in' } },
    expired: { claims: { iat: nowS - 7_200, exp: nowS - 3_600 } },
    'a bad signature': { signedWith: 'another key' },
    'no signature': { signedWith: 'nothing' },
  } as const)) {
    service.provider.forge(forgery);
    const { answer, browser } = await signInWith(service, sub);
    expect([attack, answer.status, browser.cookies.has(SESSION)]).toEqual([attack, 403, false]);
    expect(answer.text).toContain('could not be verified');
  }
  // A token that the forger signs without a wrong claim is accepted.
  service.provider.forge({ claims: { extra: 1 } });
  expect((await signInWith(service, sub)).answer.status).toBe(303);
  service.provider.forge(null);
});

test('a code works once, in the browser that asked for it', async ({ database, service }) => {
  const email = await givenDispatcher(database, service.organizationNo);
  const { sub } = givenAccount(service, { email });
  const { browser, callback } = await returnFrom(service, sub);
  const started = browser.cookies.get(STARTED) ?? '';
  // Another browser has no cookie of this sign-in, and its own cookie does not fit.
  const stranger = new TestBrowser(service.url);
  expect((await open(stranger, callback)).status).toBe(400);
  await stranger.call(`/session/issuers/${service.issuerId}`, { json: {} });
  expect((await open(stranger, callback)).status).toBe(403);
  expect([...stranger.cookies.keys()]).toEqual([]);

  expect((await open(browser, callback)).status).toBe(303);
  expect((await open(browser, callback)).status).toBe(400);
  // The provider refuses a repeated code, also from an attacker who has kept the cookie.
  const thief = new TestBrowser(service.url);
  thief.cookies.set(STARTED, started);
  const replayed = await open(thief, callback);
  expect([replayed.status, thief.cookies.has(SESSION)]).toEqual([403, false]);
});

test('a code of another person is refused in a sign-in', async ({ database, service }) => {
  const [victim, attacker] = [newAddress('victim'), newAddress('attacker')];
  for (const email of [victim, attacker]) await givenDispatcher(database, service.organizationNo, email, ['viewer']);
  const ofAttacker = await returnFrom(service, givenAccount(service, { email: attacker }).sub);
  const ofVictim = await returnFrom(service, givenAccount(service, { email: victim }).sub);
  const injected = new URL(ofVictim.callback);
  injected.searchParams.set('code', ofAttacker.callback.searchParams.get('code') ?? '');
  const answer = await open(ofVictim.browser, injected);
  expect([answer.status, ofVictim.browser.cookies.has(SESSION)]).toEqual([403, false]);
});

test('a callback is refused if its cookie, path and iss name different issuers', async ({ database, service }) => {
  const email = await givenDispatcher(database, service.organizationNo);
  const { sub } = givenAccount(service, { email });
  givenAccount(service.other, { sub, email });
  const { url, other } = service;
  // The answer of one issuer arrives at the address of the other.
  const first = await returnFrom(service, sub);
  const moved = new URL(first.callback.href.replace(service.issuerId, other.issuerId));
  expect((await open(first.browser, moved)).status).toBe(400);
  // The answer names the other issuer, or no issuer.
  for (const change of [
    (params: URLSearchParams) => params.set('iss', other.provider.url),
    (params: URLSearchParams) => params.delete('iss'),
  ]) {
    const { browser, callback } = await returnFrom(service, sub);
    change(callback.searchParams);
    expect((await open(browser, callback)).status).toBe(403);
  }
  // The callback has a code of the other issuer and the state of this sign-in.
  const here = await returnFrom(service, sub);
  const there = await returnFrom({ url, issuerId: other.issuerId }, sub);
  here.callback.searchParams.set('code', there.callback.searchParams.get('code') ?? '');
  expect((await open(here.browser, here.callback)).status).toBe(403);
});

test('groups create contacts and set their roles at each sign-in, and unreadable groups change nothing', async ({
  database,
  service,
}) => {
  await service.update({ groupRoles: { Dispatch: ['dispatcher'], Boss: ['administrator', 'viewer'] } });
  const account = givenAccount(service, { groups: ['Dispatch', 'Lunch'], email_verified: false });
  const rolesOf = async (): Promise<unknown> =>
    (await database.owner.query('select roles, name from contacts where email = $1', [account.email])).rows;
  const signIn = async (claims: object) => {
    service.provider.accounts.set(account.sub, { ...account, ...claims });
    return signInWith(service, account.sub);
  };
  const first = await signIn({});
  expect([first.answer.status, await rolesOf()]).toEqual([303, [{ roles: ['dispatcher'], name: 'Ana' }]]);
  expect((await signIn({ groups: ['Boss', 'Dispatch'] })).answer.status).toBe(303);
  await within(1_000, () =>
    expect
      .poll(async () => (await first.browser.call('/session')).json.roles)
      .toEqual(['viewer', 'dispatcher', 'administrator']),
  );
  // The groups are missing, too many for the token, or not a list.
  for (const claims of [
    { groups: undefined },
    { groups: ['Dispatch'], _claim_names: { groups: 'src1' } },
    { groups: { Dispatch: true } },
  ]) {
    const { answer } = await signIn(claims);
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('did not name your groups')]);
  }
  expect(await rolesOf()).toMatchObject([{ roles: ['viewer', 'dispatcher', 'administrator'] }]);
  // Without a group that has a role the access ends, also in open sessions.
  const gone = await signIn({ groups: ['Lunch', 'constructor'] });
  expect([gone.answer.status, gone.answer.text]).toEqual([403, expect.stringContaining('You have no role here')]);
  await within(1_000, () => expect.poll(() => first.browser.status()).toBe(401));
  expect(await rolesOf()).toMatchObject([{ roles: [] }]);

  // A group does not give a person the contact of another one, if the address is not verified or has an identity already.
  const colleague = await givenDispatcher(database, service.organizationNo, newAddress('colleague'), ['viewer']);
  for (const email of [colleague, account.email]) {
    const stranger = givenAccount(service, { email, email_verified: email !== colleague, groups: ['Boss'] });
    expect(await refusalOf(service, stranger.sub)).toMatch(/belongs to somebody here/);
  }
  expect(await refusalOf(service, givenAccount(service, { email: undefined, groups: ['Boss'] }).sub)).toMatch(
    /did not give your email address/,
  );
  await service.update({ groupRoles: {} });
});

test('a person who was removed at the provider loses access at the end of the session, also if it is used', async ({
  database,
  service,
}) => {
  const email = await givenDispatcher(database, service.organizationNo);
  const { sub } = givenAccount(service, { email });
  const { browser, atProvider } = await signInWith(service, sub);
  // While the person exists, the session is renewed without a page of the provider, and the old session ends.
  const before = browser.cookies.get(SESSION);
  const renewed = await signInWith(service, sub, { browser, atProvider, body: { silent: true } });
  expect([renewed.answer.status, browser.cookies.get(SESSION) === before]).toEqual([303, false]);
  const old = new TestBrowser(service.url);
  old.cookies.set(SESSION, before ?? '');
  await within(1_000, () => expect.poll(() => old.status()).toBe(401));

  // A provider that removes a person also ends the session there.
  service.provider.accounts.delete(sub);
  const failed = await signInWith(service, sub, { browser, body: { silent: true, return_to: '/tanks' } });
  expect(failed.answer.headers['location']).toBe('/console/tanks');
  expect(await browser.status()).toBe(200);
  // The session is used 59 minutes and 58 seconds later.
  const { rows } = await database.owner.query<{ prefix: string; minutes: number }>(
    `update sessions set expires_at = now() + interval '2 seconds', latest_end = now() + interval '2 seconds'
     where prefix = $1 returning prefix, extract(epoch from expires_at - created_at)::int / 60 as minutes`,
    [browser.cookies.get(SESSION)?.split('.')[0]],
  );
  expect(rows).toHaveLength(1);
  await database.api.query('select record_session_use($1, array[now()])', [rows.map(({ prefix }) => prefix)]);
  await within(5_000, () => expect.poll(() => browser.status()).toBe(401));
});

test('removing the contact, its roles or the issuer ends the sessions within a second', async ({
  database,
  service,
}) => {
  const { organizationNo, other, url } = service;
  const begin = async (from: Pick<IssuerService, 'provider' | 'issuerId'>) => {
    const email = await givenDispatcher(database, organizationNo);
    const { sub } = givenAccount(from, { email });
    return { email, sub, ...(await signInWith({ url, issuerId: from.issuerId }, sub)) };
  };
  const [removed, demoted] = [await begin(service), await begin(service)];
  await transaction(database.operator, async (tx) => {
    await removeContact(operatorChange(tx, organizationNo), removed.email);
    await updateContact(operatorChange(tx, organizationNo), demoted.email, { roles: [] });
  });
  await within(1_000, async () => {
    for (const { browser } of [removed, demoted]) await expect.poll(() => browser.status()).toBe(401);
  });
  const { rows } = await database.owner.query('select from identities where subject = $1', [removed.sub]);
  expect(rows).toEqual([]);
  expect(await refusalOf(service, demoted.sub)).toMatch(/You have no role here/);

  await transaction(database.operator, (tx) =>
    updateContact(operatorChange(tx, organizationNo), demoted.email, { roles: ['viewer'] }),
  );
  const again = await signInWith(service, demoted.sub);
  expect(again.answer.status).toBe(303);
  await database.operator.query(`update issuers set domains = '{example.com}' where id = $1`, [other.issuerId]);
  const elsewhere = await begin(other);
  expect(await elsewhere.browser.status()).toBe(200);
  const storeBrowser = async ({ browser }: { browser: TestBrowser }) =>
    expect((await browser.call('/session/push', { json: newSubscription() })).status).toBe(201);
  await storeBrowser(again);
  await storeBrowser(elsewhere);
  const gone = await transaction(database.operator, (tx) =>
    removeIssuer(tx, organizationNo, other.issuerId, { keepsRoles: false }),
  );
  expect(gone.people).toBe(1);
  await within(1_000, () => expect.poll(() => elsewhere.browser.status()).toBe(401));
  expect(await mayAskForMail(database, elsewhere.email)).toBe(false);
  expect(await again.browser.status()).toBe(200);
  // The browsers of persons of the removed issuer get no more notifications.
  expect(await countBrowsers(database, elsewhere.email)).toBe(0);
  expect(await countBrowsers(database, demoted.email)).toBe(1);
  expect((await elsewhere.browser.call(`/session/issuers/${other.issuerId}`, { json: {} })).status).toBe(404);
});

test('a person who is signed in can link an account, only from our own page, and the mail sessions end', async ({
  database,
  service,
}) => {
  const email = await givenDispatcher(database, service.organizationNo, newAddress('ana'), ['viewer']);
  const { sub } = givenAccount(service, { email: 'private@elsewhere.example', email_verified: false });
  // The browser has a session of a sign-in by mail.
  const browser = new TestBrowser(service.url);
  const { rows } = await database.owner.query<{ id: string }>('select id from contacts where email = $1', [email]);
  const session = await givenSession(database, { contactId: rows[0]?.id ?? '' });
  browser.cookies.set(SESSION, session.text);
  expect((await browser.call('/session/push', { json: newSubscription() })).status).toBe(201);
  expect((await browser.call('/session/issuers')).json.data).toContainEqual({
    id: service.issuerId,
    label: expect.any(String),
  });
  const begin = { json: { link: true }, headers: { origin: 'https://attacker.example' } };
  expect((await browser.call(`/session/issuers/${service.issuerId}`, begin)).status).toBe(403);
  const { answer } = await signInWith(service, sub, { browser, body: { link: true } });
  expect(answer.status).toBe(303);
  expect((await browser.call('/session')).json).toMatchObject({ person: { email }, issuer: { id: service.issuerId } });
  expect(await countBrowsers(database, email)).toBe(0);
  const mailed = new TestBrowser(service.url);
  mailed.cookies.set(SESSION, session.text);
  await within(1_000, () => expect.poll(() => mailed.status()).toBe(401));
  // An account cannot be linked without a session.
  const other = await signInWith(service, sub, { body: { link: true } });
  expect([other.answer.status, other.answer.text]).toEqual([403, expect.stringContaining('was not linked')]);
});

test('signing out ends the session and offers to sign out at the provider', async ({ database, service }) => {
  const email = await givenDispatcher(database, service.organizationNo);
  const { browser } = await signInWith(service, givenAccount(service, { email }).sub);
  const { status, json } = await browser.call('/session', { method: 'DELETE' });
  expect([status, json]).toEqual([200, { object: 'sign_out', end_session_url: expect.any(String) }]);
  const url = new URL(json.end_session_url);
  expect([url.origin, url.searchParams.get('client_id'), url.searchParams.get('post_logout_redirect_uri')]).toEqual([
    service.provider.url,
    'tankwatch',
    `${service.url}/console/`,
  ]);
  expect([browser.cookies.has(SESSION), (await fetch(url)).status]).toEqual([false, 200]);
});

test('the log contains no codes, tokens, secrets or addresses', ({ service }) => {
  const text = service.logs.join('');
  expect(text).toContain('a sign-in with an issuer failed');
  expect(service.provider.secrets.length).toBeGreaterThan(20);
  for (const secret of service.provider.secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/code=|@example\.com/);
});
