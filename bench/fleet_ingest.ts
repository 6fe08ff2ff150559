import type { Pool } from 'pg';
import type { PrivateDatabase } from '../engines/database.ts';
import { cpuSecondsWith } from '../engines/process_use.ts';
import { onlyRow } from '../src/db/only_row.ts';
import { BatchIngester } from '../src/ingest/batch_ingester.ts';
import type { TankReading } from '../src/telemetry/reading.ts';
import { ingestWithoutFleetRows } from './arriving_readings.ts';

import { atLeast, type Check, figure, upperMedian } from './report.ts';

export const BATCH_READINGS = 500;

/** Ingests with and without the statements that change fleet_tanks and fleet_levels, in turns. */
export async function compareIngest(
  { postgres, owner }: PrivateDatabase,
  writer: Pool,
  next: () => TankReading[],
  turns: number,
  log: (line: string) => void,
): Promise<Check[]> {
  log('ingesting with and without fleet_tanks');
  const ingester = new BatchIngester(writer);
  const ways = {
    with: (batch: TankReading[]) => ingester.ingestReadings(batch),
    without: (batch: TankReading[]) => ingestWithoutFleetRows(writer, batch),
  };
  const costs = {
    with: { cpu: [] as number[], wall: [] as number[], wal: [] as number[] },
    without: { cpu: [] as number[], wall: [] as number[], wal: [] as number[] },
  };
  const batchesPerTurn = 8;
  for (let turn = -1; turn < turns; turn++) {
    for (const way of ['with', 'without'] as const) {
      const batches = Array.from({ length: batchesPerTurn }, next);
      const startBytes = await walBytes(owner);
      const [startCpu, startMs] = [await cpuSecondsWith(postgres), performance.now()];
      for (const batch of batches) await ways[way](batch);
      if (turn < 0) continue; // warms up
      costs[way].wall.push(performance.now() - startMs);
      costs[way].cpu.push((await cpuSecondsWith(postgres)) - startCpu);
      costs[way].wal.push((await walBytes(owner)) - startBytes);
    }
  }
  const ratio = (kind: 'cpu' | 'wall' | 'wal') => upperMedian(costs.without[kind]) / upperMedian(costs.with[kind]);
  const perReading = (1e6 * upperMedian(costs.with.cpu)) / (batchesPerTurn * BATCH_READINGS);
  return [
    atLeast('speed of ingest with fleet_tanks, as a fraction of without, by CPU time', ratio('cpu'), 0.9),
    figure('speed of ingest with fleet_tanks, as a fraction of without, by wall-clock time', ratio('wall')),
    figure('bytes of WAL of ingest without fleet_tanks, as a fraction of with', ratio('wal')),
    figure('CPU time per reading with fleet_tanks, us', perReading),
  ];
}

/** Bytes of WAL that the server has written so far. */
async function walBytes(owner: Pool): Promise<number> {
  const { rows } = await owner.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return onlyRow(rows).bytes;
}
