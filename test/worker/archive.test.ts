import { randomUUID } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { expireTelemetry } from '../../src/worker/expire_telemetry.ts';
import { settle } from '../support/evaluation.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { givenFleet, iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

/** Reads all archived readings of an organization, by file. */
async function readArchive(folder: string, code: string): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>();
  for (const name of await readdir(join(folder, code), { recursive: true })) {
    if (name.endsWith('.gz')) {
      const text = gunzipSync(await readFile(join(folder, code, name))).toString();
      files.set(name, text.split('\n').slice(0, -1));
    }
  }
  return files;
}

async function givenArchive(database: TestDatabase, deviceIds: string[]) {
  const folder = await givenFolder();
  const { organizationNo, tanks } = await givenFleet(database, deviceIds);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const ingester = new BatchIngester(database.writer);
  return {
    folder,
    tankNo: tanks[0]?.no ?? 0,
    /** Stores readings of the first tank at these times. */
    async store(...times: string[]): Promise<void> {
      const readings = times.map((time, n) => ({
        tankNo: tanks[0]?.no ?? 0,
        atMs: Date.parse(time),
        fillPercentage: 50 + n,
      }));
      await ingester.ingestReadings(readings);
      await settle(database);
    },
    expire: () => expireTelemetry(database.worker, { telemetryDays: 365, archiveFolder: folder }),
    files: () => readArchive(folder, code),
    /** The times of all archived readings, in order. */
    async times(): Promise<string[]> {
      const lines = [...(await readArchive(folder, code)).values()].flat();
      return lines.map((line) => /"created_at":"(.{19})/.exec(line)?.[1] ?? line).toSorted();
    },
  };
}

test('a late reading of an archived month gets its own file in a later night, and the first file stays', async ({
  database,
}) => {
  const archive = await givenArchive(database, ['N1']);
  await archive.store('2020-01-05T00:00:00Z', '2020-01-06T00:00:00Z', iso(Date.now()));
  expect(await archive.expire()).toMatchObject({ readings: 2, files: 1 });
  const first = await archive.files();
  await archive.store('2020-01-07T00:00:00Z');
  expect(await archive.expire()).toMatchObject({ readings: 1, files: 1 });
  expect(await archive.times()).toEqual(['2020-01-05T00:00:00', '2020-01-06T00:00:00', '2020-01-07T00:00:00']);
  const second = await archive.files();
  expect([...second]).toEqual(expect.arrayContaining([...first]));
  expect(second.size).toBe(2);
  // A night without expired readings writes nothing.
  expect(await archive.expire()).toEqual({ tanks: 0, readings: 0, files: 0 });
});

test('a tank with more readings than one file holds is archived in several nights without a loss', async ({
  database,
}) => {
  const archive = await givenArchive(database, ['M1']);
  await archive.store('2020-01-31T00:00:00Z', '2020-02-28T00:00:00Z', iso(Date.now()));
  // One file holds whole months with at most 500,000 readings by their counters.
  await database.owner.query(
    `update telemetry_month_counters set n = 300000 where tank_no = $1 and month < '2020-03-01'`,
    [archive.tankNo],
  );
  for (const _ of ['January', 'February']) expect(await archive.expire()).toMatchObject({ tanks: 1, files: 1 });
  expect((await archive.files()).size).toBe(2);
  expect(await archive.times()).toEqual(['2020-01-31T00:00:00', '2020-02-28T00:00:00']);
});

test('a worker that ends after it wrote the file and before the drop loses no reading, and the next run works', async ({
  database,
}) => {
  const { owner } = database;
  const archive = await givenArchive(database, ['C1']);
  await archive.store('2020-01-05T00:00:00Z', '2020-01-06T00:00:00Z', iso(Date.now()));
  const interruptExpiry = async (): Promise<void> => {
    await owner.query(`create function refuse_drop() returns trigger language plpgsql as $$
      begin raise exception 'the worker ends here'; end $$`);
    await owner.query(`create trigger refuse_drop before delete on telemetry_month_counters
      for each row execute function refuse_drop()`);
    await expect(archive.expire()).rejects.toThrow('the worker ends here');
    await owner.query('drop function refuse_drop() cascade');
  };
  await interruptExpiry();
  const written = await archive.files();
  expect(await archive.expire()).toMatchObject({ readings: 2 });
  expect(await archive.files()).toEqual(written);

  // A reading that arrives before the next run is in a second file, together with the readings of the interrupted run.
  await archive.store('2020-02-05T00:00:00Z');
  await interruptExpiry();
  await archive.store('2020-02-06T00:00:00Z');
  expect(await archive.expire()).toMatchObject({ readings: 2 });
  expect([...new Set(await archive.times())]).toEqual([
    '2020-01-05T00:00:00',
    '2020-01-06T00:00:00',
    '2020-02-05T00:00:00',
    '2020-02-06T00:00:00',
  ]);
  expect([...(await archive.files())]).toEqual(expect.arrayContaining([...written]));
});

test('a part of a file that a killed worker has left is deleted a day later', async ({ database }) => {
  const archive = await givenArchive(database, ['P1']);
  await archive.store('2020-01-05T00:00:00Z', iso(Date.now()));
  await archive.expire();
  const [first = ''] = (await archive.files()).keys();
  const [code = ''] = await readdir(archive.folder);
  const folder = join(archive.folder, code, dirname(first));
  const [old, fresh] = [1, 2].map((no) => `telemetry-${no}-${no}-0123456789abcdef.ndjson.gz.${randomUUID()}.part`);
  for (const name of [old, fresh]) await writeFile(join(folder, name ?? ''), 'cut off');
  await utimes(join(folder, old ?? ''), 0, 0);
  await archive.store('2020-01-06T00:00:00Z');
  await archive.expire();
  const names = await readdir(folder);
  expect([names.includes(old ?? ''), names.includes(fresh ?? ''), names.length]).toEqual([false, true, 3]);
});

test('nothing is dropped if the file that already has the readings is damaged', async ({ database }) => {
  const archive = await givenArchive(database, ['D1']);
  const stored = ['2020-01-05T00:00:00Z', iso(Date.now())];
  await archive.store(...stored);
  await archive.expire();
  const [name = ''] = (await archive.files()).keys();
  const { rows } = await database.owner.query<{ code: string }>(
    'select o.code from tanks t join organizations o on o.no = t.organization_no where t.no = $1',
    [archive.tankNo],
  );
  const file = join(archive.folder, rows[0]?.code ?? '', name);
  await writeFile(file, (await readFile(file)).subarray(0, 30));
  await archive.store(...stored);
  await expect(archive.expire()).rejects.toThrow(`${file} does not have the readings that its name says`);
  const { rows: kept } = await database.owner.query('select from telemetry where tank_no = $1', [archive.tankNo]);
  expect(kept).toHaveLength(2);
});
