import { expect, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../src/values/time.ts';
import {
  givenSender,
  ingestEnvironment,
  openStream,
  startWriter,
  streamReadings,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import type { TestDatabase } from '../support/test.ts';

async function markForReevaluation({ owner }: TestDatabase, tankNo: number): Promise<void> {
  await owner.query(`update tank_states set reevaluate_from = '2000-01-01' where tank_no = $1`, [tankNo]);
}

async function untilReevaluated({ owner }: TestDatabase, tankNo: number): Promise<void> {
  const isMarked = async (): Promise<boolean> => {
    const { rowCount } = await owner.query(
      'select from tank_states where tank_no = $1 and reevaluate_from is not null',
      [tankNo],
    );
    return rowCount !== 0;
  };
  await expect.poll(isMarked, { timeout: 20_000 }).toBe(false);
}

test('a writer that has just started does not retract that a device is silent', { timeout: 60_000 }, async ({
  database,
}) => {
  const environment = ingestEnvironment(database);
  const stream = await openStream(environment);
  onTestFinished(() => stream.close());
  const { organizationNo, tankNos } = await givenSender(database, ['Q1']);
  const tankNo = tankNos[0] ?? 0;
  const readings = Array.from({ length: 12 }, (_, n) => ({
    organizationNo,
    deviceId: 'Q1',
    atMs: Date.now() - (72 + n) * HOUR_MS,
    level: 50,
  }));
  await streamReadings(stream, readings.toReversed());
  const eventsOfTank = async (): Promise<object[]> =>
    (
      await database.owner.query<object>(
        'select type, retracted_at is not null as is_retracted from events where tank_no = $1 order by no',
        [tankNo],
      )
    ).rows;
  const isSilent = [{ type: 'tank.device_silent', is_retracted: false }];

  const first = await startWriter(environment);
  await untilCommitted(stream);
  await markForReevaluation(database, tankNo);
  await untilReevaluated(database, tankNo);
  expect(await eventsOfTank()).toEqual(isSilent);
  await first.close();

  await markForReevaluation(database, tankNo);
  const second = await startWriter(environment);
  onTestFinished(() => second.close());
  await untilReevaluated(database, tankNo);
  expect(await eventsOfTank()).toEqual(isSilent);
});
