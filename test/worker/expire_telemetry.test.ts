import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect } from 'vitest';
import { listTelemetryOperation } from '../../src/api/v1/telemetry.ts';
import { updateOrganization } from '../../src/catalog/organizations.ts';
import type { CatalogRef } from '../../src/catalog/upsert_rows.ts';
import { transaction } from '../../src/db/pool.ts';
import { checkTelemetryCounters } from '../../src/doctor/telemetry_drift.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { dropPackedPartitions, FULL_BUDGET, packMonths } from '../../src/telemetry/pack_months.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { expireTelemetry } from '../../src/worker/expire_telemetry.ts';
import { evaluationsOf, settle } from '../support/evaluation.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { askList } from '../support/lists.ts';
import { givenFleet, importText, iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

const KEEP_YEAR = { telemetryDays: 365, archiveFolder: '' };
const YEARS = 3;

/** Readings at noon over three years: gas is used, refilled at 15 %, and once a year a gauge is silent for three weeks. */
function threeYears(tankNo: number): TankReading[] {
  const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let level = 80;
  return Array.from({ length: YEARS * 365 }, (_, day) => {
    level = level < 15 ? 82 : level - 0.9;
    return {
      tankNo,
      atMs: todayMs - (YEARS * 365 - day) * DAY_MS + 12 * HOUR_MS,
      fillPercentage: Math.round(level * 10) / 10,
    };
  }).filter((_, day) => day % 365 < 200 || day % 365 > 221);
}

/** Reads the first time whose readings are kept. */
async function readKeptFromMs({ owner }: TestDatabase, days: number): Promise<number> {
  const { rows } = await owner.query<{ at: string }>('select utc_month(now() - make_interval(days => $1)) as at', [
    days,
  ]);
  return Date.parse(rows[0]?.at ?? '');
}

const findDrifts = ({ owner }: TestDatabase) => checkTelemetryCounters({ pool: owner, fix: false, progress: () => {} });

async function countEvents({ owner }: TestDatabase, tankNo: number) {
  const { rows } = await owner.query<{ all: number; retracted: number }>(
    'select count(*) as all, count(retracted_at) as retracted from events where tank_no = $1',
    [tankNo],
  );
  return rows[0];
}

test('dropping old readings retracts no event, and late readings are evaluated as if nothing had been dropped', async ({
  database,
}) => {
  const expiring = await givenFleet(database, ['E1']);
  const keeping = await givenFleet(database, ['K1']);
  await transaction(database.operator, (tx) => updateOrganization(tx, keeping.organizationNo, { telemetryDays: 0 }));
  const tankNos = [expiring, keeping].map(({ tanks }) => tanks[0]?.no ?? 0);
  const [expiringNo = 0, keepingNo = 0] = tankNos;
  const ingester = new BatchIngester(database.writer);
  for (const tankNo of tankNos) await ingester.ingestReadings(threeYears(tankNo));
  await settle(database);
  const before = await evaluationsOf(database, tankNos);
  const eventsBefore = await countEvents(database, expiringNo);
  expect(Number(eventsBefore?.all)).toBeGreaterThan(30);
  expect(before.get(expiringNo)).toBe(before.get(keepingNo));

  await packMonths(database.worker, FULL_BUDGET);
  const result = await expireTelemetry(database.worker, KEEP_YEAR);
  expect([result.tanks, result.readings > 650]).toEqual([1, true]);
  expect(await findDrifts(database)).toEqual([]);
  expect(await evaluationsOf(database, tankNos)).toEqual(before);

  // Late readings of the dropped time are stored and change no event.
  const keptMs = await readKeptFromMs(database, 365);
  const storeLate = async (tankNo: number, atMs: number): Promise<void> => {
    await ingester.ingestReadings([{ tankNo, atMs, fillPercentage: 33 }]);
    await settle(database);
  };
  for (const atMs of [keptMs - 100 * DAY_MS, keptMs - 2 * DAY_MS]) await storeLate(expiringNo, atMs);
  expect(await countEvents(database, expiringNo)).toEqual(eventsBefore);
  expect(await evaluationsOf(database, tankNos)).toEqual(before);
  // Readings after the last dropped one are evaluated as if all earlier readings were still there.
  for (const atMs of [keptMs - 1, keptMs + HOUR_MS, keptMs + 90 * DAY_MS, Date.now() - 40 * DAY_MS]) {
    for (const tankNo of tankNos) await storeLate(tankNo, atMs);
    const after = await evaluationsOf(database, tankNos);
    expect(after.get(expiringNo)).toBe(after.get(keepingNo));
  }
  // The next run drops the three late readings of the dropped months, and changes nothing else.
  const settled = await evaluationsOf(database, tankNos);
  expect(await expireTelemetry(database.worker, KEEP_YEAR)).toMatchObject({ tanks: 1, readings: 3 });
  await storeLate(expiringNo, keptMs - 2 * DAY_MS);
  expect(await evaluationsOf(database, tankNos)).toEqual(settled);
  expect(await expireTelemetry(database.worker, KEEP_YEAR)).toMatchObject({ tanks: 1, readings: 1 });
  for (const tankNo of tankNos) await storeLate(tankNo, keptMs + 2 * HOUR_MS);
  const after = await evaluationsOf(database, tankNos);
  expect(after.get(expiringNo)).toBe(after.get(keepingNo));
  expect(await findDrifts(database)).toEqual([]);
  expect(await expireTelemetry(database.worker, KEEP_YEAR)).toMatchObject({ tanks: 0, readings: 0 });
});

test('the partition of a packed year is dropped when retention has removed its last readings', async ({ database }) => {
  const { tanks } = await givenFleet(database, ['Y1', 'Y2']);
  const ingester = new BatchIngester(database.writer);
  const store = (n: number, at: string) =>
    ingester.ingestReadings([{ tankNo: tanks[n]?.no ?? 0, atMs: Date.parse(at), fillPercentage: 50 }]);
  const dropAndListPartitions = async (): Promise<string[]> => {
    await dropPackedPartitions(database.worker);
    const { rows } = await database.owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'packed_telemetry'::regclass and inhrelid::regclass::text < 'packed_telemetry_2015' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  await store(0, '2011-06-01');
  await store(1, '2012-06-01'); // its only month, which it keeps
  await store(0, '2013-06-01');
  await packMonths(database.worker, FULL_BUDGET);
  expect(await dropAndListPartitions()).toEqual([
    'packed_telemetry_2011',
    'packed_telemetry_2012',
    'packed_telemetry_2013',
  ]);

  await store(0, iso(Date.now()));
  await expireTelemetry(database.worker, KEEP_YEAR);
  await store(0, '2013-07-01'); // late, and not packed yet
  await settle(database);
  expect(await dropAndListPartitions()).toEqual(['packed_telemetry_2012', 'packed_telemetry_2013']);
  await packMonths(database.worker, FULL_BUDGET);
  await expireTelemetry(database.worker, KEEP_YEAR);
  expect(await dropAndListPartitions()).toEqual(['packed_telemetry_2012']);
  expect(await findDrifts(database)).toEqual([]);
});

test('the events of the dropped time stay after an upgrade that cannot read the stored state', async ({ database }) => {
  const { tanks } = await givenFleet(database, ['U1']);
  const tankNo = tanks[0]?.no ?? 0;
  await new BatchIngester(database.writer).ingestReadings(threeYears(tankNo));
  await settle(database);
  await expireTelemetry(database.worker, KEEP_YEAR);
  const keptMs = await readKeptFromMs(database, 365);
  const oldEvents = `select type, occurred_at, data from events
    where tank_no = $1 and retracted_at is null and occurred_at < $2 order by occurred_at, type`;
  const events = async () =>
    (await database.owner.query(oldEvents, [tankNo, new Date(keptMs + 30 * DAY_MS).toISOString()])).rows;
  const before = await events();
  await database.owner.query(`update tank_checkpoints set encoded_state = '1:old' where tank_no = $1`, [tankNo]);
  await database.owner.query('update tank_states set reevaluate_from = to_timestamp(0) where tank_no = $1', [tankNo]);
  await database.owner.query(
    'insert into reevaluations (tank_no, organization_no) select no, organization_no from tanks where no = $1',
    [tankNo],
  );
  await settle(database);
  expect((await database.owner.query('select from reevaluations where tank_no = $1', [tankNo])).rowCount).toBe(0);
  expect(await events()).toEqual(before);
});

test('lists equal the kept readings, filtered and sliced in memory, and counters equal a recount', async ({
  database,
  readers,
}) => {
  const keptMs = await readKeptFromMs(database, 365);
  const borders = [-400 * DAY_MS, -31 * DAY_MS, -1, 0, 1, 31 * DAY_MS, 200 * DAY_MS];
  const minutes = fc.array(fc.tuple(fc.constantFrom(...borders), fc.nat({ max: 50_000 })), {
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(minutes, { minLength: 1, maxLength: 3 }), fc.boolean(), async (series, isPacked) => {
      const { organizationNo, tanks } = await givenFleet(
        database,
        series.map((_, n) => `P${n}`),
      );
      const ingester = new BatchIngester(database.writer);
      const readingsOf = new Map<CatalogRef, number[]>();
      for (const [n, tank] of tanks.entries()) {
        const times = [...new Set((series[n] ?? []).map(([border, minute]) => keptMs + border + minute * 60_000))];
        readingsOf.set(
          tank,
          times.toSorted((a, b) => a - b),
        );
        await ingester.ingestReadings(times.map((atMs) => ({ tankNo: tank.no, atMs, fillPercentage: 50 })));
      }
      await settle(database);
      if (isPacked) await packMonths(database.worker, FULL_BUDGET);
      await expireTelemetry(database.worker, KEEP_YEAR);
      for (const [tank, times] of readingsOf) {
        // A tank keeps the month of its latest reading.
        const latest = new Date(times.at(-1) ?? 0);
        const fromMs = Math.min(keptMs, Date.UTC(latest.getUTCFullYear(), latest.getUTCMonth()));
        const kept = times.filter((atMs) => atMs >= fromMs).toReversed();
        for (const [page, size] of [
          [1, 100],
          [2, 7],
          [3, 3],
        ] as const) {
          const query = `page=${page}&size=${size}`;
          const answer = await askList(readers, listTelemetryOperation, { organizationNo, id: tank.id }, query);
          expect([answer.total_items, answer.data.map((item) => Date.parse(String(item['created_at'])))]).toEqual([
            kept.length,
            kept.slice((page - 1) * size, page * size),
          ]);
        }
      }
      expect(await findDrifts(database)).toEqual([]);
    }),
    { numRuns: 8 },
  );
});

test('readings are in the archive before they are dropped, and can be imported again', async ({ database }) => {
  const folder = await givenFolder();
  const { organizationNo, tanks } = await givenFleet(database, ['A1', 'A2']);
  for (const { no } of tanks) await new BatchIngester(database.writer).ingestReadings(threeYears(no));
  const code = await organizationCodeOf(database.owner, organizationNo);
  const countStored = async (): Promise<number> =>
    Number(
      (
        await database.owner.query<{ n: number }>(
          'select coalesce(sum(n), 0) as n from telemetry_month_counters where tank_no = any ($1)',
          [tanks.map(({ no }) => no)],
        )
      ).rows[0]?.n,
    );
  const before = await countStored();

  // The archive cannot be written, because its folder is a file. Nothing is dropped.
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, '');
  await expect(expireTelemetry(database.worker, { telemetryDays: 365, archiveFolder: blocked })).rejects.toThrow(
    /ENOTDIR|EEXIST/,
  );
  expect(await countStored()).toBe(before);

  const { readings, files } = await expireTelemetry(database.worker, { telemetryDays: 365, archiveFolder: folder });
  expect([files, await countStored()]).toEqual([1, before - readings]);
  const [month = ''] = await readdir(join(folder, code));
  expect(month).toMatch(/^before-\d{4}-\d\d$/);
  const archive = join(folder, code, month);
  const [name = ''] = await readdir(archive);
  const text = gunzipSync(await readFile(join(archive, name))).toString();
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  expect(await readdir(archive)).toEqual([`telemetry-${tanks[0]?.no}-${tanks[1]?.no}-${hash}.ndjson.gz`]);
  expect(text.trim().split('\n').length).toBe(readings);
  const imported = await importText(database, organizationNo, text, { format: 'ndjson' });
  expect(imported).toMatchObject({ stored: readings, rejections: [] });
  expect(await countStored()).toBe(before);
});

test('a worker cannot drop readings that are younger than 60 days, or a part of a month', async ({ database }) => {
  const drop = (keptFrom: string): Promise<unknown> =>
    database.worker.query(`select drop_expired_telemetry('{1}', array[${keptFrom}], array[now()], '{x}')`);
  await expect(drop('utc_month(now())')).rejects.toThrow('readings that are so young cannot be dropped');
  await expect(drop(`now() - interval '100 days'`)).rejects.toThrow('cannot be dropped');
});
