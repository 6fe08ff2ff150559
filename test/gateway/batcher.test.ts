import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StreamUnavailableError } from '../../src/stream/unavailable.ts';
import { Batcher } from '../../src/telemetry/batcher.ts';
import {
  decodeMessage,
  type OrganizationReading,
  type OrganizationRejectedPayload,
} from '../../src/telemetry/stream_message.ts';

const reading = (n: number): OrganizationReading => ({ organizationNo: 1, deviceId: `D${n}`, atMs: n, level: 50 });
const readings = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => reading(from + index));
const rejections = (n: number): OrganizationRejectedPayload[] => Array.from({ length: n }, () => rejection);
const rejection: OrganizationRejectedPayload = {
  organizationNo: 1,
  deviceId: 'D',
  code: 'malformed',
  detail: 'It is so.',
  raw: Buffer.alloc(4_096, 'x'),
  format: '',
};

/** A batcher and the messages that it publishes. */
function givenBatcher(store: (payload: string) => Promise<void> = async () => {}) {
  const payloads: string[] = [];
  const batcher = new Batcher((_id, payload) => {
    payloads.push(payload);
    return store(payload);
  });
  const messages = () => payloads.map((payload) => decodeMessage(Buffer.from(payload)));
  return { batcher, payloads, messages };
}

test('readings of many senders within 20 ms become one message, and each sender waits until it is stored', async () => {
  const stored = Promise.withResolvers<void>();
  const { batcher, messages } = givenBatcher(() => stored.promise);
  let resolved = 0;
  const senders = readings(0, 100).map(async (submitted) => {
    await batcher.submit([submitted], []);
    resolved++;
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect([messages().length, messages()[0]?.readings, resolved]).toEqual([1, readings(0, 100), 0]);
  stored.resolve();
  await Promise.all(senders);
  expect(resolved).toBe(100);
});

test('a message holds at most 500 readings and half a megabyte; more readings make several messages', async () => {
  const { batcher, payloads, messages } = givenBatcher();
  await batcher.submit(readings(0, 1_200), rejections(400));
  expect(Math.max(...payloads.map(({ length }) => length))).toBeLessThan(600_000); // nats-server takes 1 MiB
  expect(messages().flatMap((message) => message?.readings ?? [])).toEqual(readings(0, 1_200));
  expect(messages().flatMap((message) => message?.rejections ?? []).length).toBe(400);
  expect(messages().every((message) => (message?.readings.length ?? 501) <= 500)).toBe(true);
  expect(new Set(messages().map((message) => message?.id)).size).toBe(payloads.length);
});

test('a sender gets an error if one of its messages was not stored, and other senders do not', async () => {
  const { batcher } = givenBatcher(async (payload) => {
    if (payload.includes('"D700"')) throw new StreamUnavailableError('full');
  });
  const [before, across, after] = await Promise.allSettled([
    batcher.submit(readings(0, 400), []),
    batcher.submit(readings(400, 600), []), // in the first message and in the second
    batcher.submit(readings(600, 800), []), // in the second
  ]);
  expect([before?.status, across?.status, after?.status]).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('while 64 MiB wait for the stream, senders are refused at once', async () => {
  const stored = Promise.withResolvers<void>();
  const { batcher, payloads } = givenBatcher(() => stored.promise);
  const waiting = [];
  for (let n = 0; n < 65; n++) waiting.push(batcher.submit([], rejections(200))); // 1.1 MB each
  const outcomes = await Promise.race([Promise.allSettled(waiting.slice(62)), stored.promise]);
  expect(outcomes).toMatchObject([{ status: 'rejected', reason: expect.any(StreamUnavailableError) }, {}, {}]);
  expect(payloads.length).toBeLessThan(160);
  stored.resolve();
  const settled = await Promise.allSettled(waiting);
  expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(50);
  await batcher.submit([reading(0)], []);
});

test('the limit of 64 MiB also holds within the readings of one sender', async () => {
  const stored = Promise.withResolvers<void>();
  const { batcher, payloads } = givenBatcher(() => stored.promise);
  const outcome = await batcher.submit([], rejections(20_000)).catch((error: unknown) => error); // 110 MB
  expect(outcome).toBeInstanceOf(StreamUnavailableError);
  expect(payloads.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(68_000_000);
  stored.resolve();
});

describe('the time that a message stays open', () => {
  /** A stream that stores one message per millisecond, for all gateways together. */
  function givenStream() {
    let freeAtMs = performance.now();
    const stream = { messages: 0, maxWaitingMs: 0, publish };
    async function publish(): Promise<void> {
      stream.messages++;
      freeAtMs = Math.max(freeAtMs, performance.now()) + 1;
      const waitMs = freeAtMs - performance.now();
      stream.maxWaitingMs = Math.max(stream.maxWaitingMs, waitMs);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    return stream;
  }

  /** Each gateway gets 100 readings a second for five seconds. Returns the sorted times until the readings were acknowledged. */
  async function load(gateways: number, publish: () => Promise<void>): Promise<number[]> {
    const batchers = Array.from({ length: gateways }, () => new Batcher(publish));
    const delaysMs: number[] = [];
    for (let n = 0; n < 500; n++) {
      for (const [index, batcher] of batchers.entries()) {
        const startedAtMs = performance.now();
        void batcher
          .submit([reading(n * gateways + index)], [])
          .then(() => delaysMs.push(performance.now() - startedAtMs));
      }
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    return delaysMs.toSorted((a, b) => a - b);
  }

  test('is 20 ms for a single gateway', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const stream = givenStream();
    const delaysMs = await load(1, stream.publish);
    expect(delaysMs.length).toBe(500);
    expect(delaysMs.at(-1)).toBeLessThanOrEqual(21);
    expect(stream.messages).toBeGreaterThan(160); // a window begins with its first reading, so one in 30 ms
  });

  test('grows with the number of gateways, so that together they send no more than the stream can store', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    // With windows of 20 ms, 100 gateways would send 3,300 messages a second, three times what the stream can store. After
    // five seconds, 11,000 messages would wait, and the last one would be stored 11 seconds later.
    const stream = givenStream();
    const delaysMs = await load(100, stream.publish);
    expect(delaysMs.length).toBe(50_000);
    expect(stream.messages / 5).toBeLessThan(1_000);
    expect(stream.maxWaitingMs).toBeLessThan(250);
    expect(delaysMs.at(-1)).toBeLessThan(500);
  });
});
