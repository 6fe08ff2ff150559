import type { Pool } from 'pg';
import { transaction } from '../db/pool.ts';
import type { TankReading } from '../telemetry/reading.ts';
import { recordRejections } from '../telemetry/rejected_readings.ts';
import { uuid7 } from '../values/uuid7.ts';
import { conflictError, type IngestOptions, ingestReadings } from './ingest_batch.ts';
import { MonthPartitions } from './month_partitions.ts';

/** Dips in one transaction, which locks their tanks. */
const BATCH_DIPS = 200;

interface WaitingDip {
  organization_no: number;
  tank_no: number;
  at_ms: number;
  fill_percentage: number;
  device_id: string | null;
}

/**
 * Moves dips that wait into telemetry, with the transaction of readings: the row of the queue is deleted and the reading stored
 * together, so each dip is stored exactly once. Of two writers, the second waits for the first and finds nothing.
 */
export class DipStore {
  readonly #pool: Pool;
  readonly #options: Pick<IngestOptions, 'isEvaluating'>;
  readonly #partitions = new MonthPartitions();

  constructor(pool: Pool, options: Pick<IngestOptions, 'isEvaluating'> = {}) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Returns whether more may wait. */
  async storeBatch(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ at_ms: number }>(
      `select round(date_part('epoch', at) * 1000) as at_ms from waiting_dips order by no limit ${BATCH_DIPS}`,
    );
    if (rows.length === 0) return false;
    await this.#partitions.withPartitions(
      this.#pool,
      rows.map((row) => row.at_ms),
      () => this.#storeWaiting(),
    );
    return rows.length === BATCH_DIPS;
  }

  #storeWaiting(): Promise<void> {
    return transaction(this.#pool, async (tx) => {
      const { rows: dips } = await tx.query<WaitingDip>(
        `with taken as (
           delete from waiting_dips where no in (select no from waiting_dips order by no limit ${BATCH_DIPS})
           returning no, organization_no, tank_no, at, fill_percentage
         )
         select t.organization_no, t.tank_no, round(date_part('epoch', t.at) * 1000) as at_ms, t.fill_percentage,
                (select a.device_id from device_assignments a where a.tank_no = t.tank_no and a.to_at = 'infinity') as device_id
         from taken t order by t.no`,
      );
      const readings = dips.map(
        (dip): TankReading => ({ tankNo: dip.tank_no, atMs: dip.at_ms, fillPercentage: dip.fill_percentage }),
      );
      const { conflicts } = await ingestReadings(tx, readings, this.#options);
      // Another level at the same millisecond: an operator sees it among the rejected readings.
      await recordRejections(
        tx,
        conflicts.flatMap((conflict) => {
          const [dip, reading] = [dips[conflict.index], readings[conflict.index]];
          if (dip === undefined || reading === undefined) return [];
          const created_at = new Date(reading.atMs).toISOString();
          return {
            ...conflictError(reading, conflict),
            organizationNo: dip.organization_no,
            deviceId: dip.device_id,
            raw: Buffer.from(JSON.stringify({ fill_percentage: reading.fillPercentage, created_at })),
            format: '',
            messageId: uuid7(),
            position: 0,
            receivedAtMs: Date.now(),
          };
        }),
      );
    });
  }
}
