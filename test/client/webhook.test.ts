import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, test } from 'vitest';
import { type ClientProject, installClient } from '../support/client.ts';

let client: ClientProject['client'];
beforeAll(async () => {
  ({ client } = await installClient());
});

const SECRET = `whsec_${Buffer.from('a secret of 32 bytes, or nearly.').toString('base64')}`;
const EVENT = { type: 'tank.refilled', timestamp: '2025-11-02T06:00:00.000Z', data: { note: 'lleno · 満タン' } };
const BODY = JSON.stringify(EVENT);

/** Signed by the reference implementation of Standard Webhooks. */
function headersOf(given: { secret?: string; body?: string; ageSeconds?: number } = {}): Record<string, string> {
  const at = new Date(Date.now() - (given.ageSeconds ?? 0) * 1_000);
  const signature = new Webhook(given.secret ?? SECRET).sign('msg_1', at, given.body ?? BODY);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

const OTHER = `whsec_${Buffer.from('somebody else').toString('base64')}`;

test('messages signed by the reference implementation are accepted, as text, as bytes, and with any kind of headers', async () => {
  const headers = headersOf();
  const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)]) {
    for (const form of [headers, new Headers(headers), upperCase, { ...headers, cookie: undefined, via: ['a', 'b'] }]) {
      expect(await client.verifyWebhook({ body, headers: form, secret: SECRET })).toEqual(EVENT);
    }
  }
});

test('one valid signature of several is enough', async () => {
  const headers = headersOf();
  const right = headers['webhook-signature'];
  const wrong = headersOf({ secret: OTHER })['webhook-signature'];
  for (const signatures of [`${wrong} ${right}`, `${right} ${wrong}`, `v2,AAAA v1,!!! v1 , ${right}`]) {
    const signed = { ...headers, 'webhook-signature': signatures };
    expect(await client.verifyWebhook({ body: BODY, headers: signed, secret: SECRET })).toEqual(EVENT);
  }
});

test('the timestamp may differ by five minutes, or by toleranceSeconds', async () => {
  const verify = (ageSeconds: number, toleranceSeconds?: number) =>
    client.verifyWebhook({ body: BODY, headers: headersOf({ ageSeconds }), secret: SECRET, toleranceSeconds });
  for (const age of [290, -290]) expect(await verify(age)).toEqual(EVENT);
  for (const age of [310, -310]) await expect(verify(age)).rejects.toThrow('the timestamp is too old or too new');
  expect(await verify(310, 600)).toEqual(EVENT);
});

test('a modified message is rejected', async () => {
  const headers = headersOf();
  const { 'webhook-signature': right = '' } = headers;
  const attempts: [string, Record<string, string>][] = [
    [BODY.replace('lleno', 'vacío'), headers],
    [`${BODY} `, headers],
    [BODY, { ...headers, 'webhook-id': 'msg_2' }],
    [BODY, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }],
    [BODY, { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}.0` }],
    [BODY, { ...headers, 'webhook-timestamp': 'now' }],
    [BODY, { ...headers, 'webhook-signature': right.replace('v1,', 'v2,') }],
    [BODY, { ...headers, 'webhook-signature': right.slice(0, -4) }],
    [BODY, { ...headers, 'webhook-signature': 'v1,' }],
    [BODY, headersOf({ secret: OTHER })],
    ...Object.keys(headers).map((name): [string, Record<string, string>] => [BODY, { ...headers, [name]: '' }]),
    [BODY, {}],
    ['[]', headersOf({ body: '[]' })], // a valid signature, but not an event
  ];
  for (const [body, tampered] of attempts) {
    await expect(client.verifyWebhook({ body, headers: tampered, secret: SECRET })).rejects.toBeInstanceOf(
      client.WebhookVerificationError,
    );
  }
});

test('an invalid secret is a TypeError', async () => {
  for (const secret of ['', 'whsec_', 'whsec_!']) {
    await expect(client.verifyWebhook({ body: BODY, headers: headersOf(), secret })).rejects.toThrow(TypeError);
  }
});
