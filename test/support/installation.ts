import { diagnose } from '../../src/cli/doctor.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { givenCustomer, givenOrganization, givenTanks } from './fleet.ts';
import { test as base, shippedServer } from './test.ts';

export const FEBRUARY = Date.parse('2025-02-01T00:00:00.000Z');
export const iso = (ms: number): string => new Date(ms).toISOString();

export interface Installation {
  organizationNo: number;
  ownerNo: number;
  /** Has 2,300 readings in 2025-02, in two buckets, and 3 in 2025-01. */
  tankNo: number;
  /** Has one reading. */
  quietTankNo: number;
  deviceId: string;
  /** Runs the doctor as an operator does. */
  ask: (fix?: boolean) => Promise<Finding[]>;
}

/** A healthy installation to break: its lists and one tank are long enough for buckets, and this month has partitions. */
export const test = base.extend<{ $file: { serverUrl: string; installation: Installation } }>({
  serverUrl: shippedServer,
  installation: [
    async ({ database }, use) => {
      const organizationNo = await givenOrganization(database.operator);
      const owner = await givenCustomer(database.operator, organizationNo, { created_at: iso(FEBRUARY) });
      const tanks = await givenTanks(
        database.operator,
        organizationNo,
        owner.no,
        Array.from({ length: 2_300 }, (_, n) => ({ created_at: iso(FEBRUARY + n * 60_000) })),
      );
      const [tankNo = 0, quietTankNo = 0] = tanks.map((tank) => tank.no);
      const readings = Array.from({ length: 2_303 }, (_, n) => ({
        tankNo,
        atMs: FEBRUARY + (n - 3) * 600_000,
        fillPercentage: 50,
      }));
      const quiet = { tankNo: quietTankNo, atMs: FEBRUARY, fillPercentage: 7 };
      await new BatchIngester(database.writer).ingestReadings([...readings, quiet]);
      await database.operator.query(
        'select ensure_telemetry_month(now()), ensure_telemetry_month(next_utc_month(now()))',
      );
      const { rows } = await database.owner.query<{ id: string }>(
        'select assigned_device_id as id from tanks where no = $1',
        [tankNo],
      );
      // A worker holds this lock while it runs.
      const worker = await database.owner.connect();
      await worker.query(`select pg_advisory_lock(hashtext('tankwatch worker'), hashtext('test'))`);
      const ask = (fix = false): Promise<Finding[]> => examineAs(database.urls.operator, fix);
      await use({ organizationNo, ownerNo: owner.no, tankNo, quietTankNo, deviceId: rows[0]?.id ?? '', ask });
      worker.release(true);
    },
    { scope: 'file' },
  ],
});

export const examineAs = (url: string, fix = false): Promise<Finding[]> =>
  diagnose({ DATABASE_URL: url }, { fix, onChecked: () => {}, onProgress: () => {} });

export const problems = (findings: readonly Finding[]): string[] =>
  findings.map(({ check, problem, fixed }) => `${fixed ? 'fixed ' : ''}${check}: ${problem}`);
