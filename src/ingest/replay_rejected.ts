import type { Tx } from '../db/pool.ts';
import { parseRejectedPayload } from '../telemetry/payload_formats.ts';
import { isReadingError, type ReadingError } from '../telemetry/reading.ts';
import { filterValues, REJECTED_FILTER_SQL, type RejectedFilter } from '../telemetry/rejected_readings.ts';
import { findTanks } from '../telemetry/tank_lookup.ts';
import { storeReadings } from './store_readings.ts';

export interface ReplayResult {
  stored: number;
  /** Stored meanwhile, with the same value. */
  known: number;
  /** ReadingError again, with the reason of now. */
  refused: (ReadingError & { no: number })[];
  /** The last one looked at; undefined where none was left. */
  lastNo: number | undefined;
}

/** Tries rejected readings again, from the number after this one on: as they were sent, against the catalog of now. */
export async function replayRejected(
  tx: Tx,
  filter: RejectedFilter,
  { afterNo, limit }: { afterNo: number; limit: number },
): Promise<ReplayResult> {
  const { rows } = await tx.query<{
    no: number;
    organization_no: number;
    device_id: string | null;
    raw: Buffer;
    format: string;
    received_at: string;
  }>(
    `select no, organization_no, device_id, raw, format, received_at from rejected_readings
     where ${REJECTED_FILTER_SQL} and settled_at is null and organization_no is not null and no > $6
     order by no limit $7 for update`,
    [...filterValues(filter), afterNo, limit],
  );
  const refused: ReplayResult['refused'] = [];
  const readable = rows.flatMap(
    ({ no, organization_no: organizationNo, device_id: deviceId, received_at, ...sent }) => {
      const reading = parseRejectedPayload({ deviceId, ...sent }, Date.parse(received_at), Date.now());
      if (!isReadingError(reading)) return [{ no, reading: { ...reading, organizationNo } }];
      refused.push({ no, ...reading });
      return [];
    },
  );
  const placed = await findTanks(
    tx,
    readable.map(({ reading }) => reading),
  );
  const storable = readable.flatMap(({ no }, at) => {
    const found = placed[at];
    if (found !== undefined && !isReadingError(found)) return [{ no, reading: found }];
    if (found !== undefined) refused.push({ no, ...found });
    return [];
  });
  for (const { reading } of storable)
    await tx.query('select ensure_telemetry_month($1)', [new Date(reading.atMs).toISOString()]);
  const { stored, known, conflicts } = await storeReadings(
    tx,
    storable.map(({ reading }) => reading),
  );
  for (const { index, kept } of conflicts) {
    const no = storable[index]?.no;
    if (no !== undefined) refused.push({ no, code: 'conflict', detail: `The tank has ${kept} at that time.` });
  }

  const stillRefused = new Set(refused.map(({ no }) => no));
  await tx.query(
    `update rejected_readings set settled_at = now(), settlement = 'replayed', settled_by = current_actor()
     where no = any ($1)`,
    [rows.map(({ no }) => no).filter((no) => !stillRefused.has(no))],
  );
  return { stored, known, refused, lastNo: rows.at(-1)?.no };
}
