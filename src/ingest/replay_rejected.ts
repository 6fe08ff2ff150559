import type { Pool } from 'pg';
import { type Tx, transaction } from '../db/pool.ts';
import { readOrganizationGauges } from '../gauges/gauge_rows.ts';
import { readByProfile } from '../gauges/read_message.ts';
import { OrganizationGauges } from '../gauges/selection.ts';
import { parseRejectedPayload } from '../telemetry/payload_formats.ts';
import { isReadingError, type ReadingError, type RejectionCode } from '../telemetry/reading.ts';
import { filterValues, REJECTED_FILTER_SQL, type RejectedFilter } from '../telemetry/rejected_readings.ts';
import { conflictError, type IngestOptions, ingestReadings } from './ingest_batch.ts';
import { MonthPartitions } from './month_partitions.ts';
import { findTankReadings } from './read_measures.ts';

export interface ReplayResult {
  stored: number;
  /** Readings that were stored in the meantime with the same value. */
  duplicates: number;
  /** Readings that were rejected again, with the current reason. */
  rejected: (ReadingError & { no: number })[];
  /** The number of the last rejected reading that this call read; undefined if it read none. */
  lastNo: number | undefined;
}

interface RejectedRow {
  no: number;
  organization_no: number;
  device_id: string | null;
  code: RejectionCode;
  raw: Buffer;
  format: string;
  received_at: string;
}
const COLUMNS = 'no, organization_no, device_id, code, raw, format, received_at';

/** Ingests rejected readings after the number `afterNo` again, with the current catalog and assignments. */
export async function replayRejected(
  tx: Tx,
  filter: RejectedFilter,
  { afterNo, limit }: { afterNo: number; limit: number },
): Promise<ReplayResult> {
  const { rows } = await tx.query<RejectedRow>(
    // `no_reading` is excluded: the device reported that it has no reading, and a change of the catalog does not change that.
    `select ${COLUMNS} from rejected_readings
     where ${REJECTED_FILTER_SQL} and settled_at is null and organization_no is not null and no > $6 and code <> 'no_reading'
     order by no limit $7 for update`,
    [...filterValues(filter), afterNo, limit],
  );
  const organizations = [...new Set(rows.map(({ organization_no }) => organization_no))];
  return replayRows(tx, rows, await readOrganizationGauges(tx, organizations));
}

const BATCH_READINGS = 500;

/**
 * Ingests the readings that were rejected because the gauge of a tank was missing or wrong. Writers recorded them in the format
 * of readings, so no profile is needed.
 */
export async function replayMeasuresOfTank(
  pool: Pool,
  tankNo: number,
  options: Pick<IngestOptions, 'isEvaluating'> = {},
): Promise<number> {
  let stored = 0;
  let afterNo = 0;
  for (;;) {
    const batch = await transaction(pool, async (tx) => {
      const { rows } = await tx.query<RejectedRow>(
        // Finds the rows by device first. A scan of the primary key would read all rejections of all organizations.
        `with of_tank as materialized (
           select r.no from device_assignments a
           join rejected_readings r on r.device_id = a.device_id and r.organization_no = a.organization_no
           where a.tank_no = $1 and r.code in ('no_gauge', 'out_of_range') and r.format = '' and r.settled_at is null and r.no > $2
         )
         select ${COLUMNS} from rejected_readings
         where no in (select no from of_tank order by no limit $3) and settled_at is null order by no for update`,
        [tankNo, afterNo, BATCH_READINGS],
      );
      return replayRows(tx, rows, new Map(), options);
    });
    stored += batch.stored;
    if (batch.lastNo === undefined) return stored;
    afterNo = batch.lastNo;
  }
}

async function replayRows(
  tx: Tx,
  rows: readonly RejectedRow[],
  gauges: ReadonlyMap<number, OrganizationGauges>,
  options: Pick<IngestOptions, 'isEvaluating'> = {},
): Promise<ReplayResult> {
  const rejected = new Map<number, ReadingError & { no: number }>();
  /** Keeps the first error of a message, which may have several readings. */
  const reject = (no: number, { code, detail }: ReadingError): void => {
    if (!rejected.has(no)) rejected.set(no, { no, code, detail });
  };
  const parsed = rows.flatMap(
    ({ no, organization_no: organizationNo, device_id: deviceId, received_at, ...payload }) => {
      const times = { receivedAtMs: Date.parse(received_at), nowMs: Date.now() };
      const own = gauges.get(organizationNo) ?? new OrganizationGauges();
      const { readings, rejections } = parseRejectedPayload({ deviceId, ...payload }, times, (message) =>
        readByProfile(own, message, times),
      );
      for (const rejection of rejections) reject(no, rejection);
      return readings.map((reading) => ({ no, reading: { ...reading, organizationNo } }));
    },
  );
  const tankReadings = await findTankReadings(
    tx,
    parsed.map(({ reading }) => reading),
  );
  const storable = parsed.flatMap(({ no }, index) => {
    const reading = tankReadings[index];
    if (reading !== undefined && !isReadingError(reading)) return [{ no, reading }];
    if (reading !== undefined) reject(no, reading);
    return [];
  });

  const readings = storable.map(({ reading }) => reading);
  await new MonthPartitions().ensure(
    tx,
    readings.map(({ atMs }) => atMs),
  );
  const { stored, duplicates, conflicts } = await ingestReadings(tx, readings, options);
  for (const conflict of conflicts) {
    const entry = storable[conflict.index];
    if (entry) reject(entry.no, conflictError(entry.reading, conflict));
  }

  await tx.query(
    `update rejected_readings set settled_at = now(), settlement = 'replayed', settled_by = current_actor()
     where no = any ($1)`,
    [rows.map(({ no }) => no).filter((no) => !rejected.has(no))],
  );
  return { stored, duplicates, rejected: [...rejected.values()], lastNo: rows.at(-1)?.no };
}
