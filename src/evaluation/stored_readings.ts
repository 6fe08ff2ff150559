import type { EvaluationInput } from '../alerts/tank_state.ts';
import type { Db } from '../db/pool.ts';

export interface ReadingChunk {
  readings: readonly Extract<EvaluationInput, { kind: 'reading' }>[];
  /** Time of the last reading; null for the last chunk. */
  untilMs: number | null;
}

/** Limits memory for a tank with millions of readings. */
const CHUNK_READINGS = 20_000;

/** Reads the stored readings of a tank after a time as evaluation inputs, oldest first. The last chunk may be empty. */
export async function* readStoredReadings(db: Db, tankNo: number, afterMs: number): AsyncGenerator<ReadingChunk> {
  let at = new Date(afterMs).toISOString();
  for (;;) {
    // The lower bound is a parameter, so that PostgreSQL skips the partitions before it. The statement is named, so that
    // it is planned once: with ten years of partitions this halves the cost of a tank.
    const { rows } = await db.query<{ created_at: string; fill_percentage: number }>({
      name: 'read_readings',
      text: `select created_at, fill_percentage from telemetry where tank_no = $1 and created_at > $2
        order by created_at limit $3`,
      values: [tankNo, at, CHUNK_READINGS],
    });
    const readings = rows.map((row) => ({
      kind: 'reading' as const,
      atMs: Date.parse(row.created_at),
      fillPercentage: row.fill_percentage,
    }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK_READINGS) return yield { readings, untilMs: null };
    yield { readings, untilMs: Date.parse(last.created_at) };
    at = last.created_at;
  }
}
