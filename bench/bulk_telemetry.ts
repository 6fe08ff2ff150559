import type { Pool } from 'pg';
import { DAY_MS } from '../src/values/time.ts';
import { type BulkFleet, TEMPLATES } from './bulk_fleet.ts';

/** Creates the partitions of a time range. */
export async function ensurePartitions(owner: Pool, fromMs: number, toMs: number): Promise<void> {
  for (let atMs = fromMs; atMs < toMs + DAY_MS; atMs += DAY_MS)
    await owner.query('select ensure_telemetry_month($1)', [new Date(atMs).toISOString()]);
}

/**
 * Stores readings of the first tanks of a fleet in the order in which they arrive, up to the last reading of each tank. The
 * primary key is built afterwards, which takes a tenth of the time.
 */
export async function fillTelemetry(
  owner: Pool,
  { firstTankNo, cadenceMs, latestOf }: BulkFleet,
  { tanks, readingsPerTank, log }: { tanks: number; readingsPerTank: number; log: (line: string) => void },
): Promise<void> {
  const lasts = Array.from({ length: TEMPLATES }, (_, n) => latestOf(n));
  const timesMs = lasts.map(({ atMs }) => atMs);
  await ensurePartitions(owner, Math.min(...timesMs) - readingsPerTank * cadenceMs, Math.max(...timesMs) + DAY_MS);
  await owner.query('alter table telemetry drop constraint telemetry_pkey');
  for (let age = readingsPerTank - 1; age >= 0; age--) {
    if (age % 50 === 0) log(`storing readings of ${tanks} tanks: ${readingsPerTank - age} of ${readingsPerTank}`);
    // The order of the tanks does not depend on their numbers, and is the same in each round.
    await owner.query(
      `insert into telemetry (tank_no, created_at, fill_percentage)
       select tank_no, to_timestamp(($3::float8[])[tank_no % ${TEMPLATES} + 1] / 1000), ($4::real[])[tank_no % ${TEMPLATES} + 1]
       from (select $1 + (n * 7919::bigint % $2)::int as tank_no from generate_series(0, $2::int - 1) n) as reporting`,
      [
        firstTankNo,
        tanks,
        timesMs.map((ms) => ms - age * cadenceMs),
        lasts.map(({ fillPercentage }) => fillPercentage),
      ],
    );
  }
  log('building the primary key');
  // The pages are filled as those of an index that grew by single readings: 89 bytes per reading.
  await owner.query('alter table telemetry add primary key (tank_no, created_at) with (fillfactor = 60)');
  await countTelemetry(owner);
}

/** Computes the counters that writers would have maintained. */
export async function countTelemetry(owner: Pool): Promise<void> {
  await owner.query(
    `insert into telemetry_month_counters (tank_no, month, n)
     select tank_no, utc_month(created_at), count(*) from telemetry group by 1, 2 order by 1, 2`,
  );
  await owner.query(
    'select split_telemetry_bucket(tank_no, month) from telemetry_month_counters where n > max_bucket_items()',
  );
}
