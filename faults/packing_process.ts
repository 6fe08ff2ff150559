import { setTimeout as sleep } from 'node:timers/promises';
import { openPool } from '../src/db/pool.ts';
import { dropPackedPartitions, FULL_BUDGET, packMonths } from '../src/telemetry/pack_months.ts';

/** Packs months and drops partitions until it is killed. It continues after PostgreSQL was killed. */
const pool = openPool({ url: process.argv[2] ?? '', applicationName: 'packing' });
for (;;) {
  try {
    await packMonths(pool, { ...FULL_BUDGET, tanks: 10 });
    // Partitions are dropped at once instead of after ten minutes, so that a lost packed row is noticed.
    await pool.query(`update packed_months set packed_at = now() - interval '11 minutes'`);
    await dropPackedPartitions(pool);
  } catch {
    await sleep(20);
  }
}
