import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { answering, hanging, type Receiver, startReceiver } from '../../engines/webhook_receiver.ts';
import { parseRetryAfter } from '../../src/http/outgoing_address.ts';
import { RETRY_DELAYS_MS, retryDelayMs } from '../../src/webhooks/retry_delays.ts';
import { WebhookSender } from '../../src/webhooks/sender.ts';
import { makeSecret, signatureHeaders } from '../../src/webhooks/signature.ts';

const receiverThat = async (answer: Receiver['answer']): Promise<Receiver> => {
  const receiver = await startReceiver(answer);
  onTestFinished(() => receiver.close());
  return receiver;
};

const senderWith = (timeoutMs: number): WebhookSender => {
  const sender = new WebhookSender({ allowHttp: true, allowPrivate: true, timeoutMs });
  onTestFinished(() => sender.close());
  return sender;
};

test('the Standard Webhooks library verifies our signatures, with either secret during a rotation', () => {
  const [old, fresh, foreign] = [makeSecret(), makeSecret(), makeSecret()];
  const body = JSON.stringify({ type: 'tank.low_fill', name: 'María ⛽' });
  const headers = signatureHeaders([fresh, old], '0198-id', Date.now(), body);
  for (const secret of [old, fresh]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(foreign).verify(body, headers)).toThrow('No matching signature');
  expect(() => new Webhook(fresh).verify(`${body} `, headers)).toThrow('No matching signature');
  const stale = signatureHeaders([fresh], '0198-id', Date.now() - 600_000, body);
  expect(() => new Webhook(fresh).verify(body, stale)).toThrow('too old');
});

test('a redirect is not followed, and its status is the result', async () => {
  const inner = await receiverThat(answering(204));
  const outer = await receiverThat(answering(307, { location: inner.url }));
  expect(await senderWith(5_000).post(outer.url, {}, '{}')).toMatchObject({ status: 307 });
  expect([outer.received.length, inner.received.length]).toEqual([1, 0]);
});

test('a receiver that hangs times out, and the status of a response counts although its body never ends', async () => {
  const silent = await receiverThat(hanging);
  const first = await senderWith(300).post(silent.url, {}, '{}');
  expect(first).toMatchObject({ status: null, error: 'no response in time' });
  expect(first.ms).toBeLessThan(10_000); // without a limit, it never ends

  const endless = await receiverThat((response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
    response.once('close', () => clearInterval(timer));
  });
  const before = process.memoryUsage().arrayBuffers;
  expect(await senderWith(5_000).post(endless.url, {}, '{}')).toMatchObject({ status: 200 });
  await sleep(100);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8e6);
});

test('error texts contain no address and no secret', async () => {
  const gone = await startReceiver();
  await gone.close();
  const { error } = await senderWith(2_000).post(`${gone.url}?token=hidden`, {}, '{}');
  expect(error).toBe('the connection was refused');
});

test('Retry-After is a number of seconds or a date, and other values are ignored', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  expect(parseRetryAfter('120', nowMs)).toBe(120_000);
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', nowMs)).toBe(60_000);
  expect(parseRetryAfter('Wed, 31 Dec 2025 00:01:00 GMT', nowMs)).toBe(0);
  for (const nonsense of ['soon', '-5', '', undefined]) expect(parseRetryAfter(nonsense, nowMs)).toBeNull();
});

test('ten attempts are made within three days, each up to 20 % later than planned, and Retry-After adds up to one day', () => {
  const planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000);
  expect(RETRY_DELAYS_MS.length).toBe(10);
  expect(planned.map((_, index) => retryDelayMs(index + 1, null, 0))).toEqual(planned);
  expect(retryDelayMs(1, null, 1)).toBe(6_000);
  expect(retryDelayMs(10, 60_000)).toBeNull();
  expect(retryDelayMs(1, 60_000, 0)).toBe(60_000);
  expect(retryDelayMs(2, 60_000, 0)).toBe(300_000);
  expect(retryDelayMs(1, 10 * 86_400_000, 0)).toBe(86_400_000);
});
