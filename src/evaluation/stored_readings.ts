import type { EvaluationInput } from '../alerts/tank_state.ts';
import type { Db } from '../db/pool.ts';

export interface ReadingChunk {
  readings: readonly Extract<EvaluationInput, { kind: 'reading' }>[];
  /** Up to and at this time; null for the last chunk, after which there is nothing. */
  untilMs: number | null;
}

/** So many readings are folded at a time, so that a tank with millions of them fits into memory. */
const CHUNK_READINGS = 20_000;

/** The stored readings of a tank after a time, to be folded, oldest first. The last chunk may be an empty one. */
export async function* readStoredReadings(db: Db, tankNo: number, afterMs: number): AsyncGenerator<ReadingChunk> {
  let at = new Date(afterMs).toISOString();
  for (;;) {
    // The bound is an argument, so that months before it are pruned unopened; named, so that it is planned once: over
    // ten years of partitions that halves what a tank of a year's readings costs, and one of a week's as well.
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
