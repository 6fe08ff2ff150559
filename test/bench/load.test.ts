import { expect, test } from 'vitest';
import { type LoadOptions, runLoad } from '../../bench/load_client/load.ts';
import type { LoadedReading, LoadRecord } from '../../bench/load_client/load_record.ts';
import { type Published, startBroker } from '../support/broker.ts';
import { startStopwatch } from '../support/stopwatch.ts';

const devices = Array.from({ length: 8 }, (_, n) => ({ organizationCode: 'a0t', deviceId: `D${n}`, password: 'x' }));
const connection = { maxBackoffMs: 20, timeoutMs: 30_000 };

const keyOf = ({ deviceId, createdAt, fillPercentage }: LoadedReading): string =>
  `${deviceId} ${createdAt} ${fillPercentage}`;

const keysOf = (record: LoadRecord, state: 'acknowledged' | 'unknown'): Set<string> =>
  new Set([...record.readings(state)].map(keyOf));

/** The readings that a writer would find in a message. */
function keysIn({ topic, payload }: Published): string[] {
  const parsed: unknown = JSON.parse(payload);
  const readings = (Array.isArray(parsed) ? parsed : [parsed]) as { fill_percentage: number; created_at: string }[];
  return readings.map((reading) => `${topic.split('/')[2]} ${reading.created_at} ${reading.fill_percentage}`);
}

const load = (options: Partial<LoadOptions> & { url: string }) =>
  runLoad({ devices, durationMs: 600, connection, ...options });

/** Long enough for a busy machine. The test ends the run when it has seen enough. */
const LONG_MS = 120_000;

test.concurrent('the record of a run without faults is exactly what the broker received', async () => {
  const enough = new AbortController();
  const broker = await startBroker({
    onPublish(publish) {
      publish.answer();
      if (broker.published.length > 200) enough.abort();
    },
  });
  const reported: string[] = [];
  const result = await load({
    url: broker.url,
    durationMs: LONG_MS,
    signal: enough.signal,
    connections: 12,
    inFlight: 3,
    readingsPerPublish: 5,
    onAcknowledged: (readings) => reported.push(...readings.map(keyOf)),
  });
  expect(result.invoked).toBeGreaterThan(100);
  expect(result).toMatchObject({ acknowledged: result.invoked, unknown: 0, replayed: 0, resent: 0, connects: 12 });
  expect(result.latencyMs.p50).toBeLessThanOrEqual(result.latencyMs.p99);
  const arrived = broker.published.flatMap(keysIn);
  expect([arrived.length, new Set(arrived).size]).toEqual([result.invoked * 5, result.invoked * 5]);
  expect(new Set(arrived)).toEqual(keysOf(result.record, 'acknowledged'));
  expect(new Set(reported)).toEqual(keysOf(result.record, 'acknowledged'));
  expect(new Set(broker.published.map(({ clientId }) => clientId)).size).toBe(12);
});

test.concurrent('lost connections leave unknown readings, and every acknowledged reading has arrived', async () => {
  // The broker ends the connection at each tenth publish. It stores every second of these publishes before.
  const stored = new Set<string>();
  let publishes = 0;
  let enough = new AbortController();
  const broker = await startBroker({
    onPublish(publish) {
      const number = publishes++;
      if (number > 300) enough.abort();
      if (number % 20 !== 0) for (const key of keysIn(publish)) stored.add(key);
      if (number % 10 === 0) publish.connection.destroy();
      else publish.answer();
    },
  });
  for (const isResending of [false, true]) {
    stored.clear();
    publishes = 0;
    enough = new AbortController();
    const { signal } = enough;
    const result = await load({ url: broker.url, inFlight: 2, isResending, durationMs: LONG_MS, signal });
    const [acknowledged, unknown] = [keysOf(result.record, 'acknowledged'), keysOf(result.record, 'unknown')];
    expect(acknowledged.size + unknown.size).toBe(result.invoked);
    expect(result.acknowledged + result.unknown).toBe(result.invoked);
    expect(result.connects).toBeGreaterThan(10);
    expect(acknowledged.difference(stored).size).toBe(0);
    expect(stored.difference(acknowledged).difference(unknown).size).toBe(0);
    if (isResending) expect([result.unknown, result.resent > 5]).toEqual([0, true]);
    else expect([result.unknown > 5, result.resent]).toEqual([true, 0]);
  }
});

test.concurrent('replays are sent later and do not change the record', async () => {
  const enough = new AbortController();
  const seen = new Set<string>();
  let replays = 0;
  const broker = await startBroker({
    onPublish(publish) {
      publish.answer();
      const message = `${publish.topic} ${publish.payload}`;
      if (seen.has(message)) replays++;
      seen.add(message);
      if (replays > 5) enough.abort();
    },
  });
  const result = await load({
    url: broker.url,
    connections: 2,
    publishesPerSecond: 200,
    replayShare: 0.5,
    durationMs: LONG_MS,
    signal: enough.signal,
  });
  expect(result.replayed).toBeGreaterThan(0);
  expect(broker.published.length).toBe(result.invoked + result.replayed);
  expect(new Set(broker.published.flatMap(keysIn))).toEqual(keysOf(result.record, 'acknowledged'));
});

test('the rate is kept, and latency is measured from the time a publish was due', async () => {
  const broker = await startBroker({ onPublish: (publish) => setTimeout(() => publish.answer(), 20) });
  const stopwatch = startStopwatch();
  const steady = await load({ url: broker.url, publishesPerSecond: 100, durationMs: 1_000 });
  expect(steady.invoked).toBeGreaterThan(0.5 * Math.min(100, stopwatch.read().ranMs / 10));
  expect(steady.invoked).toBeLessThanOrEqual(101);
  // Eight connections, each with one unacknowledged publish of 20 ms, send at most 400 publishes a second. At a rate of 1,600, the
  // last publish is sent at the end, but was due after a quarter of the time. Measured from its sending, its latency would be 20 ms.
  const overloaded = await load({ url: broker.url, publishesPerSecond: 1_600, durationMs: 600 });
  expect(overloaded.latencyMs.max).toBeGreaterThan(300);
});

test('readings from the future are refused', async () => {
  const broker = await startBroker();
  await expect(load({ url: broker.url, startAtMs: Date.now() - 5_000 })).rejects.toThrow(/reached the present/);
});
