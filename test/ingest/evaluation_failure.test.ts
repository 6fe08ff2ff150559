import { expect } from 'vitest';
import { reevaluateAllTanks } from '../../src/evaluation/reevaluator.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { ReceivedBatch } from '../../src/ingest/ingest_batch.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { uuid7 } from '../../src/values/uuid7.ts';
import { counterFaults, givenSender, rejectedOf, streamReadings, test, untilCommitted } from '../support/ingest.ts';
import type { TestDatabase } from '../support/test.ts';

const HOURS = 40;
const START_MS = Date.now() - HOURS * HOUR_MS;
/** A state that no release can decode. Its quotes and backslashes would break an array literal of PostgreSQL. */
const UNREADABLE_STATE = '{"v": 99, "text": "a \\\\ b"}';

/** A level that falls below the threshold of 20 in the second half. */
const series = (organizationNo: number, deviceId: string) =>
  Array.from({ length: HOURS }, (_, n) => ({
    organizationNo,
    deviceId,
    atMs: START_MS + n * HOUR_MS,
    level: 30 - n / 2,
  }));

function batchOf(readings: ReturnType<typeof series>): ReceivedBatch {
  const messageId = uuid7();
  return {
    readings: readings.map((reading, position) => ({ reading, messageId, position, receivedAtMs: Date.now() })),
    rejections: [],
  };
}

async function tankOf(database: TestDatabase, tankNo: number | undefined) {
  const { rows } = await database.owner.query<{
    encoded_state: string;
    reevaluate_from: string | null;
    n: number;
    events: string[];
  }>(
    `select encoded_state, reevaluate_from,
            (select count(*) from telemetry t where t.tank_no = s.tank_no) as n,
            array(select e.type from events e where e.tank_no = s.tank_no order by e.occurred_at) as events
     from tank_states s where tank_no = $1`,
    [tankNo],
  );
  return rows[0];
}

const makeUnreadable = (database: TestDatabase, tankNo: number | undefined) =>
  database.owner.query('update tank_states set encoded_state = $2 where tank_no = $1', [tankNo, UNREADABLE_STATE]);

test('an unreadable state does not stop its tank from storing readings, nor other tanks from raising events', async ({
  database,
}) => {
  const devices = ['BAD', 'GOOD', 'ALSO_GOOD'];
  const { organizationNo, tankNos } = await givenSender(database, devices);
  const [bad, ...good] = tankNos;
  const all = devices.map((deviceId) => series(organizationNo, deviceId));
  const ingester = new BatchIngester(database.writer);
  await ingester.ingestBatch(batchOf(all.flatMap((readings) => readings.slice(0, 10))));
  await makeUnreadable(database, bad);

  const middle = await ingester.ingestBatch(batchOf(all.flatMap((readings) => readings.slice(10, 35))));
  expect(middle).toMatchObject({ stored: 75, duplicates: 0, rejected: {} });
  expect(middle.evaluationFailures).toEqual([{ tankNo: bad, error: expect.any(Error) }]);
  expect(await tankOf(database, bad)).toEqual({
    encoded_state: UNREADABLE_STATE,
    reevaluate_from: new Date(START_MS + 10 * HOUR_MS).toISOString(),
    n: 35,
    events: [],
  });
  for (const tankNo of good) {
    expect(await tankOf(database, tankNo)).toMatchObject({ reevaluate_from: null, events: ['tank.low_fill'] });
  }

  // The failure is reported only once, because a marked tank is not evaluated before its re-evaluation.
  const last = await ingester.ingestBatch(batchOf(all.flatMap((readings) => readings.slice(35))));
  expect(last).toMatchObject({ stored: 15, evaluationFailures: [] });
  expect(await tankOf(database, bad)).toMatchObject({ encoded_state: UNREADABLE_STATE, n: HOURS });

  expect(await reevaluateAllTanks(database.writer)).toBe(1);
  const [repaired, other] = [await tankOf(database, bad), await tankOf(database, good[0])];
  expect(repaired).toEqual(other);
  expect(await counterFaults(database)).toEqual([]);
});

test('a result of evaluation that the database rejects does not make the reading a rejected reading', async ({
  database,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['EVENT', 'BESIDE']);
  await database.owner.query(`alter table events add constraint no_low_fill check (tank_no <> ${tankNos[0]})`);
  const both = [...series(organizationNo, 'EVENT'), ...series(organizationNo, 'BESIDE')];
  const result = await new BatchIngester(database.writer).ingestBatch(batchOf(both));
  await database.owner.query('alter table events drop constraint no_low_fill');
  expect(result).toMatchObject({ stored: 2 * HOURS, rejected: {} });
  expect(result.evaluationFailures).toEqual([
    { tankNo: tankNos[0], error: expect.objectContaining({ constraint: 'no_low_fill' }) },
  ]);
  expect(await rejectedOf(database, organizationNo)).toEqual([]);
  expect(await tankOf(database, tankNos[1])).toMatchObject({ n: HOURS, events: ['tank.low_fill'] });
  await reevaluateAllTanks(database.writer);
  expect(await tankOf(database, tankNos[0])).toEqual(await tankOf(database, tankNos[1]));
});

test('a writer acknowledges the readings of a tank with an unreadable state, and re-evaluation repairs it', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['S']);
  const readings = series(organizationNo, 'S');
  await streamReadings(ingest.stream, readings.slice(0, 10));
  await untilCommitted(ingest.stream);
  await makeUnreadable(database, tankNos[0]);
  await streamReadings(ingest.stream, readings.slice(10));
  await untilCommitted(ingest.stream);
  expect(await ingest.writer.notReadyReasons()).toEqual([]);
  await expect
    .poll(() => tankOf(database, tankNos[0]))
    .toMatchObject({ n: HOURS, reevaluate_from: null, events: ['tank.low_fill'] });
  const metrics = await ingest.writer.registry.metrics();
  expect(metrics).toContain('tankwatch_evaluation_failures_total{reason="error"} 1');
  expect(metrics).toContain('tankwatch_evaluation_failing_tanks 0');
});

test('a writer evaluates other tanks while one tank cannot be evaluated, and counts that tank', async ({
  database,
  ingest,
}) => {
  const { organizationNo, tankNos } = await givenSender(database, ['FAILING', 'HEALTHY']);
  const [failing, healthy] = tankNos;
  await database.owner.query(`alter table events add constraint failing check (tank_no <> ${failing})`);
  // The late readings mark both tanks, the failing one first.
  for (const deviceId of ['FAILING', 'HEALTHY']) {
    await streamReadings(ingest.stream, series(organizationNo, deviceId).slice(-1));
    await untilCommitted(ingest.stream);
    await streamReadings(ingest.stream, series(organizationNo, deviceId).slice(0, -1));
  }
  await expect
    .poll(() => tankOf(database, healthy))
    .toMatchObject({ n: HOURS, reevaluate_from: null, events: ['tank.low_fill'] });
  await expect
    .poll(() => ingest.writer.registry.getSingleMetricAsString('tankwatch_evaluation_failing_tanks'))
    .toContain('tankwatch_evaluation_failing_tanks 1');
  expect(await tankOf(database, failing)).toMatchObject({ n: HOURS, events: [] });

  await database.owner.query('alter table events drop constraint failing');
  await database.owner.query('update reevaluations set next_attempt_at = now()');
  await expect
    .poll(() => tankOf(database, failing))
    .toMatchObject({ reevaluate_from: null, events: ['tank.low_fill'] });
});
