import type { Pool } from 'pg';
import { isDataRefused } from '../db/permanent_failures.ts';
import { type Tx, transaction } from '../db/pool.ts';
import { checkReadingTime, isReadingError, type ReadingError, type TankReading } from '../telemetry/reading.ts';
import { type NewRejection, recordRejections } from '../telemetry/rejected_readings.ts';
import { uuid7 } from '../values/uuid7.ts';
import { conflictError, type IngestOptions, ingestReadings, unstorableError } from './ingest_batch.ts';
import { MonthPartitions } from './month_partitions.ts';

/** The number of dips in one transaction, which locks their tanks. */
const BATCH_DIPS = 200;

/**
 * Takes dips of all organizations in turn, so that the 50,000 dips of an import do not delay other organizations. Each organization
 * with waiting dips is found by one index lookup.
 */
const NEXT_DIPS = `
  with recursive waiting (organization_no) as (
    (select organization_no from waiting_dips order by organization_no limit 1)
    union all
    select (select organization_no from waiting_dips
            where organization_no > waiting.organization_no order by organization_no limit 1)
    from waiting where organization_no is not null
  )
  select no, at, round(date_part('epoch', at) * 1000) as at_ms
  from waiting, lateral (
    select no, at, row_number() over (order by no) as turn from waiting_dips
    where organization_no = waiting.organization_no order by no limit ${BATCH_DIPS}
  ) dips
  order by turn, no limit ${BATCH_DIPS}`;

interface QueuedDip {
  no: number;
  at_ms: number;
}

interface WaitingDip extends QueuedDip {
  organization_no: number;
  tank_no: number;
  at: string;
  fill_percentage: number;
  device_id: string | null;
}

/**
 * Moves waiting dips into telemetry. One transaction deletes the row of the queue and stores the reading, so each dip
 * is stored exactly once. A second writer waits for the first and finds nothing to do.
 */
export class DipStore {
  readonly #pool: Pool;
  readonly #options: Pick<IngestOptions, 'isEvaluating'>;
  readonly #partitions = new MonthPartitions();

  constructor(pool: Pool, options: Pick<IngestOptions, 'isEvaluating'> = {}) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Returns true if more dips may wait. A dip that cannot be stored becomes a rejected reading, so that it does not block others. */
  async storeBatch(): Promise<boolean> {
    const { rows } = await this.#pool.query<QueuedDip & { at: string }>(NEXT_DIPS);
    const nowMs = Date.now();
    const checked = rows.map((row) => ({ ...row, time: checkReadingTime(row.at_ms, row.at, nowMs) }));
    for (const { no, time } of checked) if (isReadingError(time)) await this.#reject(no, time);
    const dips = checked.filter(({ time }) => !isReadingError(time));
    if (dips.length > 0) await this.#store(dips);
    return rows.length === BATCH_DIPS;
  }

  async #store(dips: readonly QueuedDip[]): Promise<void> {
    try {
      await this.#storeTogether(dips);
    } catch (error) {
      if (!isDataRefused(error)) throw error;
      for (const dip of dips) await this.#storeAlone(dip);
    }
  }

  /** Tries again without evaluation, because the database may have rejected only the result of the evaluation. */
  async #storeAlone(dip: QueuedDip, evaluationError?: Error): Promise<void> {
    try {
      await this.#storeTogether([dip], evaluationError && { evaluationError });
    } catch (error) {
      if (!isDataRefused(error)) throw error;
      if (evaluationError === undefined) await this.#storeAlone(dip, error);
      else await this.#reject(dip.no, unstorableError(error));
    }
  }

  #storeTogether(dips: readonly QueuedDip[], more: Pick<IngestOptions, 'evaluationError'> = {}): Promise<void> {
    return this.#partitions.withPartitions(
      this.#pool,
      dips.map((dip) => dip.at_ms),
      () =>
        transaction(this.#pool, async (tx) => {
          const taken = await takeDips(
            tx,
            dips.map(({ no }) => no),
          );
          const readings = taken.map(
            (dip): TankReading => ({ tankNo: dip.tank_no, atMs: dip.at_ms, fillPercentage: dip.fill_percentage }),
          );
          const { conflicts } = await ingestReadings(tx, readings, { ...this.#options, ...more });
          // A dip that conflicts with another level at the same millisecond becomes a rejected reading.
          await recordRejections(
            tx,
            conflicts.flatMap((conflict) => {
              const [dip, reading] = [taken[conflict.index], readings[conflict.index]];
              return dip === undefined || reading === undefined
                ? []
                : rejectionOf(dip, conflictError(reading, conflict));
            }),
          );
        }),
    );
  }

  #reject(no: number, error: ReadingError): Promise<void> {
    return transaction(this.#pool, async (tx) => {
      const dips = await takeDips(tx, [no]);
      await recordRejections(
        tx,
        dips.map((dip) => rejectionOf(dip, error)),
      );
    });
  }
}

async function takeDips(tx: Tx, nos: readonly number[]): Promise<WaitingDip[]> {
  const { rows } = await tx.query<WaitingDip>(
    `with taken as (
       delete from waiting_dips where no = any ($1::bigint[])
       returning no, organization_no, tank_no, at, fill_percentage
     )
     select t.no, t.organization_no, t.tank_no, t.at, round(date_part('epoch', t.at) * 1000) as at_ms, t.fill_percentage,
            (select a.device_id from device_assignments a where a.tank_no = t.tank_no and a.to_at = 'infinity') as device_id
     from taken t order by t.no`,
    [nos],
  );
  return rows;
}

const rejectionOf = (dip: WaitingDip, error: ReadingError): NewRejection => ({
  ...error,
  organizationNo: dip.organization_no,
  deviceId: dip.device_id,
  raw: Buffer.from(JSON.stringify({ fill_percentage: dip.fill_percentage, created_at: dip.at })),
  format: '',
  messageId: uuid7(),
  position: 0,
  receivedAtMs: Date.now(),
});
