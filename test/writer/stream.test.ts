import { expect, onTestFinished } from 'vitest';
import type { Stream } from '../../src/stream/stream.ts';
import type { OrganizationReading } from '../../src/telemetry/stream_message.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { trimStream } from '../../src/writer/trim.ts';
import {
  counterFaults,
  type Environment,
  givenSender,
  ingestEnvironment,
  openStream,
  rejectedOf,
  startWriter,
  streamReadings,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

const START_MS = Date.UTC(2025, 4, 30); // the readings go over the end of this month

interface Given {
  environment: Environment;
  stream: Stream;
  readings: (from: number, to: number) => OrganizationReading[];
  countStored: () => Promise<number>;
  organizationNo: number;
}

/** A stream without a writer, and readings to publish: four devices by turns, each with a reading every ten minutes. */
async function givenStream(database: TestDatabase, changes: Environment = {}): Promise<Given> {
  const environment = ingestEnvironment(database, changes);
  const stream = await untilTestEnds(openStream(environment));
  const devices = ['S0', 'S1', 'S2', 'S3'];
  const { organizationNo, tankNos } = await givenSender(database, devices);
  return {
    environment,
    stream,
    organizationNo,
    readings: (from, to) =>
      Array.from({ length: to - from }, (_, index) => from + index).map((n) => ({
        organizationNo,
        deviceId: devices[n % 4] ?? '',
        atMs: START_MS + Math.floor(n / 4) * 600_000,
        level: 50 + (n % 10) / 10,
      })),
    countStored: async () =>
      (
        await database.owner.query<{ n: number }>('select count(*) as n from telemetry where tank_no = any ($1)', [
          tankNos,
        ])
      ).rows[0]?.n ?? 0,
  };
}

async function givenWriter(environment: Environment): Promise<{ close: () => Promise<void> }> {
  const writer = await startWriter(environment);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await writer.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { close };
}

test('two writers with overlapping messages store each reading once, with exact counters', async ({ database }) => {
  const { environment, stream, readings, countStored, organizationNo } = await givenStream(database, {
    WRITER_LANES: '3',
  });
  const writers = [await givenWriter(environment), await givenWriter(environment)];
  // Every reading is in three different messages. Every hundredth also arrives with another level, which is a conflict.
  const messages = Array.from({ length: 120 }, (_, n) => readings(n * 100, n * 100 + 300));
  const contradictions = readings(0, 12_000).filter((_, n) => n % 100 === 50);
  await Promise.all(messages.map((message, n) => streamReadings(stream, n % 2 ? message : message.toReversed())));
  await untilCommitted(stream);
  await Promise.all(contradictions.map((reading) => streamReadings(stream, [{ ...reading, level: 99.5 }])));
  await untilCommitted(stream);
  await Promise.all(writers.map((writer) => writer.close()));
  expect(await countStored()).toBe(12_200);
  expect(await counterFaults(database)).toEqual([]);
  expect((await rejectedOf(database, organizationNo)).map(({ code }) => code)).toEqual(Array(120).fill('conflict'));
});

test('a writer that stops leaves its messages to the other writer, which stores each reading once', async ({
  database,
}) => {
  const { environment, stream, readings, countStored } = await givenStream(database);
  const [first, second] = [await givenWriter(environment), await givenWriter(environment)];
  const sending = Promise.all(
    Array.from({ length: 100 }, (_, n) => streamReadings(stream, readings(n * 40, n * 40 + 40))),
  );
  await first.close(); // during the work
  await sending;
  await untilCommitted(stream);
  await second.close();
  expect(await countStored()).toBe(4_000);
  expect(await counterFaults(database)).toEqual([]);
});

test('uncommitted messages are never trimmed, regardless of their age and the size of the stream', async ({
  database,
}) => {
  const { environment, stream, readings, countStored } = await givenStream(database, { STREAM_MAX_MIB: '1' });
  for (let n = 0; n < 50; n++) await streamReadings(stream, readings(n * 500, n * 500 + 500));
  const before = await stream.status();
  expect(before).toMatchObject({ messages: 50, waiting: 50, firstSequence: 1 });
  expect(before.bytes / before.maxBytes).toBeGreaterThan(0.8);
  await trimStream(stream, 0, Date.now() + 365 * DAY_MS); // no writer has used this stream yet
  expect((await stream.status()).messages).toBe(50);
  for await (const message of stream.fetch(2, 1_000)) message.ack(); // two messages count as committed
  await expect.poll(async () => (await stream.status()).committedSequence).toBe(2);
  await trimStream(stream, 0, Date.now() + 365 * DAY_MS);
  expect(await stream.status()).toMatchObject({ messages: 48, waiting: 48, firstSequence: 3 });

  const writer = await givenWriter(environment);
  await untilCommitted(stream);
  await writer.close();
  await streamReadings(stream, readings(25_000, 25_010)); // this message is not committed
  await trimStream(stream, 365 * DAY_MS, Date.now()); // deletes old committed messages until 60 % is used
  const relieved = await stream.status();
  expect(relieved.bytes / relieved.maxBytes).toBeLessThan(0.65);
  expect(relieved.messages).toBeGreaterThan(20);
  await trimStream(stream, 0, Date.now() + 1_000); // all committed messages are too old
  expect(await stream.status()).toMatchObject({ messages: 1, waiting: 1 });
  const again = await givenWriter(environment);
  await untilCommitted(stream);
  await again.close();
  expect(await countStored()).toBe(24_010);
});

test('committed messages are kept for replays until they are too old', async ({ database }) => {
  const { environment, stream, readings } = await givenStream(database);
  for (let n = 0; n < 3; n++) await streamReadings(stream, readings(n * 10, n * 10 + 10));
  const betweenMs = Date.now() + 1;
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let n = 3; n < 5; n++) await streamReadings(stream, readings(n * 10, n * 10 + 10));
  const writer = await givenWriter(environment);
  await untilCommitted(stream);
  await writer.close();
  await trimStream(stream, 7 * DAY_MS, Date.now());
  expect((await stream.status()).messages).toBe(5);
  await trimStream(stream, 7 * DAY_MS, betweenMs + 7 * DAY_MS);
  expect(await stream.status()).toMatchObject({ messages: 2, firstSequence: 4, waiting: 0 });
});

test('after a restore, a replay stores the readings that the backup lacks, with a running and with a new writer', async ({
  database,
}) => {
  const { environment, stream, readings, countStored, organizationNo } = await givenStream(database);
  const writer = await givenWriter(environment);
  await streamReadings(stream, readings(0, 400));
  await untilCommitted(stream);
  const backupMs = Date.now();
  for (let n = 4; n < 10; n++) await streamReadings(stream, readings(n * 100, n * 100 + 100));
  await untilCommitted(stream);
  await database.owner.query(
    `delete from telemetry t using device_assignments a where a.organization_no = $1 and a.tank_no = t.tank_no
       and t.created_at >= $2`,
    [organizationNo, new Date(START_MS + 100 * 600_000).toISOString()],
  );
  await database.owner.query(
    `with left_over as (
       select tank_no, utc_month(created_at) as month, count(*) as n, max(created_at) as latest_at
       from telemetry group by 1, 2
     ), counted as (
       update telemetry_month_counters m set n = coalesce((select n from left_over l where (l.tank_no, l.month) = (m.tank_no, m.month)), 0)
     )
     update tank_states s set latest_at = (select max(latest_at) from left_over l where l.tank_no = s.tank_no)
     where exists (select from left_over l where l.tank_no = s.tank_no)`,
  );
  expect([await countStored(), await counterFaults(database)]).toEqual([400, []]);

  await stream.replaySince(backupMs);
  await untilCommitted(stream);
  expect([await countStored(), await counterFaults(database)]).toEqual([1_000, []]);

  await writer.close();
  await streamReadings(stream, readings(1_000, 1_100)); // no writer runs, so that it waits
  // A replay of later messages does not skip the waiting message.
  await stream.replaySince(Date.now() + DAY_MS);
  await givenWriter(environment);
  await untilCommitted(stream);
  expect([await countStored(), await counterFaults(database)]).toEqual([1_100, []]);
  expect(await stream.status()).toMatchObject({ messages: 8, waiting: 0 });
});
