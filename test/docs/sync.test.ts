import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import type { TankReading } from '../../src/telemetry/reading.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { givenCustomers, givenKey, givenOrganization, givenTanks } from '../support/fleet.ts';
import { copiedReadings, type Guide, openGuide, type Snippet } from '../support/guide.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { isWhole } from '../support/whole_tests.ts';

function syncIn(guide: Guide): Snippet {
  const sync = guide.snippets.find(({ file }) => file === 'sync.ts');
  if (sync === undefined) throw new Error('the guide has no sync.ts');
  return sync;
}

describe('the program that copies an organization', () => {
  test('has at most 40 lines', async () => {
    await using guide = await openGuide();
    const lines = syncIn(guide).code.trim().split('\n').slice(1); // without its name
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  test.runIf(isWhole('docs/sync'))(
    'has all readings of the service up to its start and no others, if it runs twice while new and late readings arrive',
    async ({ database, api }) => {
      await using guide = await openGuide();
      const fleet = await givenReportingFleet(database);
      const env = { TANKWATCH_URL: api.url, TANKWATCH_KEY: fleet.key, MIRROR: join(guide.folder, 'copy.db') };
      await using writer = keepWriting(database, fleet.tankNos);
      for (const runs of [1, 2]) {
        const [startMs, before] = [Date.now(), await storedReadings(database, fleet.tankNos)];
        const { code, stderr } = await guide.run(syncIn(guide), env);
        expect([code, stderr]).toEqual([0, '']);
        const after = await storedReadings(database, fleet.tankNos);
        const mirror = new DatabaseSync(env.MIRROR, { readOnly: true });
        const copied = copiedReadings(env.MIRROR);

        const due = before.filter(({ atMs }) => atMs <= startMs);
        expect(
          due.filter(({ line }) => !copied.has(line)),
          `missing after run ${runs}`,
        ).toEqual([]);
        const stored = new Set(after.map(({ line }) => line));
        expect(
          [...copied].filter((line) => !stored.has(line)),
          `invented by run ${runs}`,
        ).toEqual([]);
        expect(after.length, 'readings arrived meanwhile').toBeGreaterThan(before.length);
        const objects = mirror.prepare('select kind, count(*) as n from objects group by kind order by kind').all();
        expect(objects.map((row) => ({ ...row }))).toEqual([
          { kind: 'customer', n: 150 },
          { kind: 'tank', n: 12 },
        ]);
        mirror.close();
        // Between the runs, a device sends a month of readings that are all older than the copied ones.
        await new BatchIngester(database.writer).ingestReadings(lateMonth(fleet.tankNos[0] ?? 0));
      }
      expect(writer.late()).toBeGreaterThan(50);
    },
  );
});

const TANKS = 12;
const HISTORY_HOURS = 1_500;
const BEGIN_MS = Date.now() - HISTORY_HOURS * HOUR_MS;

/** 150 customers of one time, as an import leaves them, and twelve tanks with two months of hourly readings. */
async function givenReportingFleet(database: TestDatabase): Promise<{ key: string; tankNos: number[] }> {
  const organizationNo = await givenOrganization(database.operator);
  const customers = Array.from({ length: 150 }, () => ({ created_at: '2025-01-01T00:00:00.000Z' }));
  const [owner] = await givenCustomers(database.operator, organizationNo, customers);
  const ownerNo = owner?.no ?? 0;
  const plans = Array.from({ length: TANKS }, () => ({}));
  const tankNos = (await givenTanks(database.operator, organizationNo, ownerNo, plans)).map((tank) => tank.no);
  const ingester = new BatchIngester(database.writer);
  for (const tankNo of tankNos) {
    const hours = Array.from({ length: HISTORY_HOURS }, (_, hour) => BEGIN_MS + hour * HOUR_MS);
    await ingester.ingestReadings(hours.map((ms) => ({ tankNo, atMs: ms, fillPercentage: 50 })));
  }
  return { key: (await givenKey(database.operator, { organizationNo })).text, tankNos };
}

const lateMonth = (tankNo: number): TankReading[] =>
  Array.from({ length: 720 }, (_, hour) => ({
    tankNo,
    atMs: BEGIN_MS + hour * HOUR_MS + 1_800_000,
    fillPercentage: 33.33,
  }));

interface BusyWriter extends AsyncDisposable {
  /** The number of late readings that were stored. */
  late(): number;
}

/** Stores a new reading and a late one for every tank, again and again. */
function keepWriting(database: TestDatabase, tankNos: readonly number[]): BusyWriter {
  const ingester = new BatchIngester(database.writer);
  const end = new AbortController();
  let late = 0;
  const write = async (): Promise<void> => {
    for (let round = 1; !end.signal.aborted; round++) {
      const lateMs = BEGIN_MS + ((round * 7_919) % HISTORY_HOURS) * HOUR_MS + round;
      const reading = (tankNo: number, ms: number) => ({ tankNo, atMs: ms, fillPercentage: round % 100 });
      await ingester.ingestReadings(tankNos.flatMap((no) => [reading(no, Date.now()), reading(no, lateMs)]));
      late += tankNos.length;
      await sleep(15);
    }
  };
  const writing = write();
  return {
    late: () => late,
    async [Symbol.asyncDispose]() {
      end.abort();
      await writing;
    },
  };
}

async function storedReadings(database: TestDatabase, tankNos: readonly number[]) {
  const { rows } = await database.owner.query<{ id: string; created_at: string; fill_percentage: number }>(
    `select id, t.created_at, fill_percentage from telemetry t join tanks on no = tank_no where tank_no = any ($1)`,
    [tankNos],
  );
  return rows.map(({ id, created_at, fill_percentage }) => ({
    atMs: Date.parse(created_at),
    line: `${id} ${created_at} ${fill_percentage}`,
  }));
}
