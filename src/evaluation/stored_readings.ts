import { arrayLiteral, type Db } from '../db/pool.ts';
import type { EvaluationInput } from './pure/alerts/tank_state.ts';

export type ReadingInput = Extract<EvaluationInput, { kind: 'reading' }>;

/** A time before every reading. */
export const BEFORE_ALL_READINGS_MS = 0;

export interface ReadingChunk {
  readings: readonly ReadingInput[];
  /** Time of the last reading; null for the last chunk. */
  untilMs: number | null;
}

/** Limits memory for a tank with millions of readings. */
const CHUNK_READINGS = 20_000;

/** Reads the stored readings of a tank after a time as evaluation inputs, oldest first. The last chunk may be empty. */
export async function* readStoredReadings(db: Db, tankNo: number, afterMs: number): AsyncGenerator<ReadingChunk> {
  let at = new Date(afterMs).toISOString();
  for (;;) {
    // The statement is named, so that it is planned once.
    const { rows } = await db.query<{ created_at: string; fill_percentage: number }>({
      name: 'read_readings',
      text: `select created_at, fill_percentage
        from oldest_telemetry($1, $2::timestamptz + interval '1 millisecond', 'infinity', $3)`,
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

/** Reads the stored readings of many tanks, for each tank the first `limit` readings after a time, oldest first. */
export const readReadingsOfTanks = (
  db: Db,
  starts: readonly { tankNo: number; atMs: number }[],
  limit: number,
): Promise<Map<number, ReadingInput[]>> =>
  readPeriods(
    db,
    starts.map(({ tankNo, atMs }) => ({ tankNo, fromMs: atMs + 1, toMs: Number.POSITIVE_INFINITY })),
    limit,
  );

const MAX_INT4 = 2_147_483_647;

/** Reads all stored readings of many tanks, for each tank those before a time, oldest first. */
export const readReadingsBefore = (
  db: Db,
  ends: readonly { tankNo: number; beforeMs: number }[],
): Promise<Map<number, ReadingInput[]>> =>
  readPeriods(
    db,
    ends.map(({ tankNo, beforeMs }) => ({ tankNo, fromMs: Number.NEGATIVE_INFINITY, toMs: beforeMs })),
    MAX_INT4,
  );

async function readPeriods(
  db: Db,
  periods: readonly { tankNo: number; fromMs: number; toMs: number }[],
  limit: number,
): Promise<Map<number, ReadingInput[]>> {
  const readings = new Map<number, ReadingInput[]>(periods.map(({ tankNo }) => [tankNo, []]));
  if (periods.length === 0) return readings;
  const { rows } = await db.query<{ tank_no: number; at_ms: number; fill_percentage: number }>(
    `select p.tank_no, date_part('epoch', t.created_at) * 1000 as at_ms, t.fill_percentage
     from unnest($1::int[], $2::float8[], $3::float8[]) as p (tank_no, from_ms, to_ms)
     cross join lateral oldest_telemetry(p.tank_no, to_timestamp(p.from_ms / 1000), to_timestamp(p.to_ms / 1000), $4) as t`,
    [
      arrayLiteral(periods.map(({ tankNo }) => tankNo)),
      arrayLiteral(periods.map(({ fromMs }) => fromMs)),
      arrayLiteral(periods.map(({ toMs }) => toMs)),
      limit,
    ],
  );
  for (const { tank_no, at_ms, fill_percentage } of rows) {
    readings.get(tank_no)?.push({ kind: 'reading', atMs: Math.round(at_ms), fillPercentage: fill_percentage });
  }
  return readings;
}
