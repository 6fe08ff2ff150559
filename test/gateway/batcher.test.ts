import { expect, test } from 'vitest';
import { Batcher } from '../../src/gateway/batcher.ts';
import { StreamUnavailable } from '../../src/stream/unavailable.ts';
import {
  decodeMessage,
  type OrganizationReading,
  type OrganizationRejectedPayload,
} from '../../src/telemetry/stream_message.ts';

const reading = (n: number): OrganizationReading => ({ organizationNo: 1, deviceId: `D${n}`, atMs: n, level: 50 });
const readings = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => reading(from + at));
const rejections = (n: number): OrganizationRejectedPayload[] => Array.from({ length: n }, () => rejection);
const rejection: OrganizationRejectedPayload = {
  organizationNo: 1,
  deviceId: 'D',
  code: 'malformed',
  detail: 'It is so.',
  raw: Buffer.alloc(4_096, 'x'),
  format: '',
};

/** A gatherer, and what it hands on. */
function given(store: (payload: string) => Promise<void> = async () => {}) {
  const payloads: string[] = [];
  const gatherer = new Batcher((_id, payload) => {
    payloads.push(payload);
    return store(payload);
  });
  const messages = () => payloads.map((payload) => decodeMessage(Buffer.from(payload)));
  return { gatherer, payloads, messages };
}

test('what many bring within 20 ms is one message, and each hears when it is stored', async () => {
  const stored = Promise.withResolvers<void>();
  const { gatherer, messages } = given(() => stored.promise);
  let heard = 0;
  const senders = readings(0, 100).map(async (one) => {
    await gatherer.submit([one], []);
    heard++;
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect([messages().length, messages()[0]?.readings, heard]).toEqual([1, readings(0, 100), 0]);
  stored.resolve();
  await Promise.all(senders);
  expect(heard).toBe(100);
});

test('a message holds 500 readings and half a megabyte; whoever brings more fills several', async () => {
  const { gatherer, payloads, messages } = given();
  await gatherer.submit(readings(0, 1_200), rejections(400));
  expect(Math.max(...payloads.map(({ length }) => length))).toBeLessThan(600_000); // nats-server takes 1 MiB
  expect(messages().flatMap((message) => message?.readings ?? [])).toEqual(readings(0, 1_200));
  expect(messages().flatMap((message) => message?.rejections ?? []).length).toBe(400);
  expect(messages().every((message) => (message?.readings.length ?? 501) <= 500)).toBe(true);
  expect(new Set(messages().map((message) => message?.id)).size).toBe(payloads.length);
});

test('a sender of whom one part was not stored hears so, and the others do not', async () => {
  const { gatherer } = given(async (payload) => {
    if (payload.includes('"D700"')) throw new StreamUnavailable('full');
  });
  const [before, across, after] = await Promise.allSettled([
    gatherer.submit(readings(0, 400), []),
    gatherer.submit(readings(400, 600), []), // in the first message and in the second
    gatherer.submit(readings(600, 800), []), // in the second
  ]);
  expect([before?.status, across?.status, after?.status]).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('while 64 MiB wait for the stream, senders are turned away at once', async () => {
  const stored = Promise.withResolvers<void>();
  const { gatherer, payloads } = given(() => stored.promise);
  const waiting = [];
  for (let n = 0; n < 65; n++) waiting.push(gatherer.submit([], rejections(200))); // 1.1 MB each
  const outcomes = await Promise.race([Promise.allSettled(waiting.slice(62)), stored.promise]);
  expect(outcomes).toMatchObject([{ status: 'rejected', reason: expect.any(StreamUnavailable) }, {}, {}]);
  expect(payloads.length).toBeLessThan(160);
  stored.resolve();
  const settled = await Promise.allSettled(waiting);
  expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(50);
  await gatherer.submit([reading(0)], []);
});
