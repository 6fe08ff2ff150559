import { expect } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import { markFromTheBeginning, queueOf } from '../support/evaluation.ts';
import {
  givenSender,
  ingestEnvironment,
  openStream,
  startWriter,
  streamReadings,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { type TestDatabase, untilTestEnds } from '../support/test.ts';

const untilReevaluated = (database: TestDatabase, tankNo: number): Promise<void> =>
  expect.poll(() => queueOf(database, [tankNo])).toEqual([]);

test('a writer that has just started does not retract that a device is silent', async ({ database }) => {
  const environment = ingestEnvironment(database);
  const stream = await untilTestEnds(openStream(environment));
  const { organizationNo, tankNos } = await givenSender(database, ['Q1']);
  const tankNo = tankNos[0] ?? 0;
  const readings = Array.from({ length: 12 }, (_, n) => ({
    organizationNo,
    deviceId: 'Q1',
    atMs: Date.now() - (72 + n) * HOUR_MS,
    level: 50,
  }));
  await streamReadings(stream, readings.toReversed());
  const listEvents = async (): Promise<object[]> =>
    (
      await database.owner.query<object>(
        'select type, retracted_at is not null as is_retracted from events where tank_no = $1 order by no',
        [tankNo],
      )
    ).rows;
  const silentEvents = [{ type: 'tank.device_silent', is_retracted: false }];

  const first = await startWriter(environment);
  await untilCommitted(stream);
  await markFromTheBeginning(database, [tankNo]);
  await untilReevaluated(database, tankNo);
  expect(await listEvents()).toEqual(silentEvents);
  await first.close();

  await markFromTheBeginning(database, [tankNo]);
  await untilTestEnds(startWriter(environment));
  await untilReevaluated(database, tankNo);
  expect(await listEvents()).toEqual(silentEvents);
});

test('a writer with a wrong password is not ready, even before a reading arrives', async ({ database }) => {
  const url = new URL(database.urls.writer);
  url.password = 'wrong';
  const writer = await untilTestEnds(startWriter(ingestEnvironment(database, { WRITER_DATABASE_URL: url.href })));
  await expect
    .poll(() => writer.notReadyReasons())
    .toEqual([
      expect.stringMatching(
        /^readings wait in the stream: PostgreSQL at .* refused the login .* correct user and password in WRITER_DATABASE_URL/,
      ),
    ]);
});
