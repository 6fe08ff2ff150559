import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { PROVIDER_SECRET } from '../../engines/text_provider.ts';
import { readReport, requestOf, TEXT_PROVIDERS } from '../../src/duty/text_providers.ts';
import { mayHaveArrived } from '../../src/http/outgoing_address.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { channelOf, givenProvider } from '../support/duty.ts';
import { givenWorker, SECRETS_KEY } from '../support/events.ts';
import { givenManageApi, givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

const soon = { interval: 50, timeout: 30_000 };

async function givenTextApi(database: TestDatabase, allowsPrivate = true): Promise<ManageApi> {
  const port = await freePort();
  return givenManageApi(database, {
    API_PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    API_SECRETS_KEY: deriveApiSecretsKey(SECRETS_KEY),
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: String(allowsPrivate),
  });
}

async function givenPerson(manage: ManageApi, key: string, language = 'en'): Promise<string> {
  const body = { email: `p${Math.random()}@example.com`, name: 'Ana', types: [], language };
  const { json } = await manage.call(key, 'POST', '/contacts', { body });
  return (json as { id: string }).id;
}

const REACH = { by_text: true, by_mail: true, quiet_from: null, quiet_to: null };

test('a code and a test text are sent through each provider, and its signed reports are counted once', async ({
  database,
}) => {
  const manage = await givenTextApi(database);
  await givenWorker(database, { PUBLIC_URL: manage.url });
  const provider = await givenProvider();
  provider.reportTimes = 2;
  for (const [index, name] of TEXT_PROVIDERS.entries()) {
    const { key, organizationNo } = await givenManagedOrganization(database);
    const stored = await manage.call(key, 'PUT', '/text-channel', { body: channelOf(name, provider.url) });
    expect([name, stored.status]).toEqual([name, 200]);
    expect(JSON.stringify(stored.json)).not.toContain('secret');
    const id = await givenPerson(manage, key, name === 'vonage' ? 'es' : 'en');
    const phone = `+1802555010${index}`;
    const set = await manage.call(key, 'PUT', `/contacts/${id}/reach`, { body: { ...REACH, phone } });
    expect(set.json).toMatchObject({ phone, verified_at: null });
    const textsTo = () => provider.texts.filter(({ to }) => to === phone);
    await expect.poll(() => textsTo().length, soon).toBe(1);
    const code = /\d{6}/.exec(textsTo()[0]?.text ?? '')?.[0] ?? '';
    expect(textsTo()[0]?.text).toContain(name === 'vonage' ? 'es el código' : 'is the code');
    const verify = async (given: string) =>
      (await manage.call(key, 'POST', `/contacts/${id}/reach/verification`, { body: { code: given } })).json;
    const wrong = code === '000000' ? '111111' : '000000';
    expect(await verify(wrong)).toMatchObject({ verified_at: null });
    // A dry run is refused, because it would check a code without counting the attempt.
    const dry = `/contacts/${id}/reach/verification?dry_run=true`;
    expect((await manage.call(key, 'POST', dry, { body: { code } })).status).toBe(422);
    expect(await verify(code)).toMatchObject({ phone, verified_at: expect.any(String) });

    expect((await manage.call(key, 'POST', `/contacts/${id}/reach/texts`, { body: {} })).status).toBe(202);
    const final = name === 'vonage' ? 'sent' : 'delivered';
    const status = async () =>
      (await manage.call(key, 'GET', '/reach')).json as { data: { last_text: { status: string; purpose: string } }[] };
    await expect
      .poll(async () => (await status()).data[0]?.last_text, soon)
      .toMatchObject({ purpose: 'test', status: final });
    expect(textsTo()).toHaveLength(2);
    const usage = await manage.call(key, 'GET', '/text-channel');
    expect(usage.json).toMatchObject({ used_today: 2, provider: name });
    const { rows } = await database.owner.query<{ text: string }>(
      `select n::text as text from text_channels n where organization_no = $1 union all select a::text from audit_log a where organization_no = $1`,
      [organizationNo],
    );
    expect(rows.map(({ text }) => text).join()).not.toContain('secret-of-the-provider');
    const answers = () =>
      database.owner.query('select from idempotency_keys where organization_no = $1 and answer is not null', [
        organizationNo,
      ]);
    expect((await answers()).rowCount).toBeGreaterThan(0);
    const { status: deleted } = await manage.call(key, 'DELETE', `/contacts/${id}`, { ifMatch: '*' });
    expect([deleted, (await answers()).rowCount]).toEqual([204, 0]);
  }
  expect(new Set(provider.reportAnswers)).toEqual(new Set([204]));
});

test('reports that are not signed, and channels of private addresses, are refused', async ({ database }) => {
  const manage = await givenTextApi(database, false);
  const { key, organizationNo } = await givenManagedOrganization(database);
  const refused = await manage.call(key, 'PUT', '/text-channel', { body: channelOf('gateway', 'http://10.1.2.3') });
  expect([refused.status, JSON.stringify(refused.json)]).toEqual([422, expect.stringContaining('private')]);
  for (const provider of ['twilio', 'messagebird', 'gateway', 'vonage'] as const) {
    const body = { ...channelOf(provider, ''), url: provider === 'gateway' ? 'https://1.1.1.1' : undefined };
    expect((await manage.call(key, 'PUT', '/text-channel', { body })).status).toBe(200);
    const { rows } = await database.owner.query<{ id: string }>(
      'select id from text_channels where organization_no = $1 and deleted_at is null',
      [organizationNo],
    );
    const url = `${manage.url}/text-reports/${rows[0]?.id}`;
    const form = new URLSearchParams({ MessageSid: 'SM1', MessageStatus: 'delivered' });
    expect((await fetch(url, { method: 'POST', body: form, headers: { 'x-twilio-signature': 'x' } })).status).toBe(404);
    expect((await fetch(`${url}?status=delivered`, { headers: { 'messagebird-signature-jwt': 'a.b.c' } })).status).toBe(
      404,
    );
    expect((await fetch(url, { method: 'POST', body: '{}', headers: { 'x-signature': 'sha256=00' } })).status).toBe(
      404,
    );
    if (provider !== 'gateway') continue;
    // The id in the URL may be in upper case.
    const signature = `sha256=${createHmac('sha256', PROVIDER_SECRET).update('{}').digest('hex')}`;
    const upper = `${manage.url}/text-reports/${rows[0]?.id.toUpperCase()}`;
    expect((await fetch(upper, { method: 'POST', body: '{}', headers: { 'x-signature': signature } })).status).toBe(
      204,
    );
  }
  expect((await fetch(`${manage.url}/text-reports/nothing`)).status).toBe(404);
  expect((await manage.call(key, 'DELETE', '/text-channel')).status).toBe(204);
  expect((await manage.call(key, 'GET', '/text-channel')).status).toBe(404);
});

test('a text is sent again only if the provider may accept it later or may not have got it, within the daily limit', async ({
  database,
}) => {
  const manage = await givenTextApi(database);
  const { key } = await givenManagedOrganization(database);
  const provider = await givenProvider();
  const put = (limit: number) =>
    manage.call(key, 'PUT', '/text-channel', { body: { ...channelOf('gateway', provider.url), daily_limit: limit } });
  await put(20);
  const id = await givenPerson(manage, key);
  await manage.call(key, 'PUT', `/contacts/${id}/reach`, { body: { ...REACH, phone: '+18025550199' } });
  await database.owner.query('update contact_reach set verified_at = now()');
  await database.owner.query(`update texts set status = 'canceled'`);
  await givenWorker(database);
  const lastText = async () =>
    ((await manage.call(key, 'GET', '/reach')).json as { data: { last_text: unknown }[] }).data[0]?.last_text;
  const send = async () => {
    const before = provider.texts.length;
    expect((await manage.call(key, 'POST', `/contacts/${id}/reach/texts`, { body: {} })).status).toBe(202);
    return before;
  };
  // A text is sent again after 429 and 503. Requests answered with 429 or 400 were certainly not accepted and are not counted.
  provider.faults.push({ status: 429 }, { status: 503 });
  await send();
  await expect.poll(lastText, soon).toMatchObject({ status: 'sent' });
  expect(provider.requests).toBe(3);
  // A slow answer causes no second request.
  provider.faults.push({ slowMs: 2_000 });
  const before = await send();
  await expect.poll(lastText, soon).toMatchObject({ status: 'sent' });
  expect(provider.texts).toHaveLength(before + 1);
  // A refusal is final.
  provider.faults.push({ status: 400 });
  await send();
  await expect.poll(lastText, soon).toMatchObject({ status: 'failed', error: 'the provider answered 400' });
  // The connection ends without an answer, so it is unknown whether the text was accepted. It is sent again with the same reference.
  provider.faults.push({ lost: true });
  const doubled = await send();
  await expect.poll(lastText, soon).toMatchObject({ status: 'sent' });
  const sent = provider.texts.slice(doubled);
  expect(sent).toHaveLength(2);
  expect(new Set(sent.map(({ reference }) => reference)).size).toBe(1);

  const used = ((await manage.call(key, 'GET', '/text-channel')).json as { used_today: number }).used_today;
  const { requests } = provider;
  expect(used).toBe(requests - 2);
  // A quarter of the limit is reserved for losses.
  await put(Math.floor(used / 0.75));
  await send();
  await expect.poll(lastText, soon).toMatchObject({ status: 'failed', error: 'the daily limit of texts is reached' });
  expect(provider.requests).toBe(requests);
});

test('a report of Twilio contains our reference, so that it can arrive before the SID is stored', () => {
  const reportUrl = 'https://tanks.example.com/text-reports/1';
  const reference = '01989f31-7a11-7c55-9d20-6c1f4be0a3d2';
  const text = { to: '+18025550111', text: 'a', reference, reportUrl };
  const { body } = requestOf('twilio', { from: '+18025550100', account: 'AC1' }, { secret: 'token' }, text);
  const url = new URLSearchParams(body).get('StatusCallback') ?? '';
  const signature = createHmac('sha1', 'token').update(`${url}MessageSidSM1MessageStatusdelivered`).digest('base64');
  const request = {
    url,
    query: new URL(url).searchParams,
    headers: { 'x-twilio-signature': signature },
    body: 'MessageSid=SM1&MessageStatus=delivered',
  };
  expect(readReport('twilio', { secret: 'token' }, request, 0)).toMatchObject({ reference, isDelivered: true });
});

test('a request did not arrive if there was no connection or no trusted certificate', () => {
  const errorOf = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall });
  const unreachable = errorOf('EHOSTUNREACH', 'connect');
  for (const error of [
    unreachable,
    errorOf('ETIMEDOUT', 'connect'),
    new AggregateError([unreachable]),
    errorOf('CERT_HAS_EXPIRED'),
  ])
    expect([error.message, mayHaveArrived(error)]).toEqual([error.message, false]);
  for (const error of [errorOf('ETIMEDOUT', 'read'), errorOf('ECONNRESET', 'read')])
    expect([error.message, mayHaveArrived(error)]).toEqual([error.message, true]);
});
