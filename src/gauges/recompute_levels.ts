import { arrayLiteral, type Tx } from '../db/pool.ts';
import { decodeMeasure } from '../telemetry/stored_measure.ts';
import { type GaugePeriod, gaugeAt, levelOfMeasure, readGauges } from './gauges_of_tanks.ts';

/** The limits of a transaction, which locks the tank: new readings of the tank wait for its end. */
export interface RecomputationLimits {
  /** The number of plain rows that are read at once. */
  rows: number;
  /** After this time, no more rows are read. */
  maxMs: number;
}
/** 10,000 rows at once took 0.5 s on two cores with a load of 15. */
export const RECOMPUTATION_LIMITS: RecomputationLimits = { rows: 5_000, maxMs: 300 };

export interface RecomputedLevels {
  /** The number of readings whose level has changed. */
  changed: number;
  /** The time up to which the levels are computed; Infinity if all of them are. */
  toMs: number;
}

/**
 * Computes the levels of a tank after a time again from its stored measures, oldest first, in the caller's transaction.
 * The caller has locked the tank. Measures, times and counters do not change. Plain and packed readings are computed up
 * to the same time, so that a month may be packed or unpacked before the next transaction.
 */
export async function recomputeLevels(
  tx: Tx,
  tankNo: number,
  afterMs: number,
  { rows, maxMs }: RecomputationLimits = RECOMPUTATION_LIMITS,
): Promise<RecomputedLevels> {
  const endMs = performance.now() + maxMs;
  const levels = new Levels((await readGauges(tx, [tankNo])).get(tankNo) ?? []);
  const packedMonths = await readPackedMonths(tx, tankNo);
  let [changed, toMs] = [0, afterMs];
  do {
    const page = await readPage(tx, tankNo, toMs, rows);
    changed += await saveParts(tx, tankNo, page, levels);
    changed += await saveRows(tx, tankNo, page, levels, packedMonths);
    toMs = page.toMs;
  } while (toMs < Number.POSITIVE_INFINITY && performance.now() < endMs);
  await saveUnreadable(tx, tankNo, levels.unreadable, afterMs === Number.NEGATIVE_INFINITY);
  return { changed, toMs };
}

/** Computes levels in hundredths of a percent, and counts the measures that each gauge cannot read. */
class Levels {
  readonly #periods: readonly GaugePeriod[];
  readonly unreadable: Map<number, number>;

  constructor(periods: readonly GaugePeriod[]) {
    this.#periods = periods;
    this.unreadable = new Map(periods.map(({ fromMs }) => [fromMs, 0]));
  }

  /** Undefined if the measure keeps its level: the tank had no gauge at that time, or a gauge that cannot read the measure. */
  find(atMs: number, storedMeasure: number, isCounted = true): number | undefined {
    const period = gaugeAt(this.#periods, atMs);
    if (period === undefined) return undefined;
    const level = levelOfMeasure(period, decodeMeasure(storedMeasure));
    if (typeof level === 'number') return Math.round(level * 100);
    if (isCounted) this.unreadable.set(period.fromMs, (this.unreadable.get(period.fromMs) ?? 0) + 1);
    return undefined;
  }
}

interface PackedPart {
  starts_at: string;
  origin_ms: number;
  times: number[];
  levels: number[];
  gauge_values: (number | null)[];
}

interface PlainRow {
  at_ms: number;
  month_ms: number;
  level: number;
  gauge_value: number;
}

/** All readings with measures after one time and up to another. The first and the last part may contain more. */
interface Page {
  afterMs: number;
  toMs: number;
  rows: PlainRow[];
  parts: PackedPart[];
}

/** The number of packed parts that are read at once. A part has at most some thousand readings. */
const PARTS_AT_ONCE = 24;

async function readPage(tx: Tx, tankNo: number, afterMs: number, rowsAtOnce: number): Promise<Page> {
  const { rows } = await tx.query<PlainRow>(
    `select round(date_part('epoch', created_at) * 1000) as at_ms,
            round(date_part('epoch', utc_month(created_at)) * 1000) as month_ms,
            round(fill_percentage * 100)::int as level, gauge_value
     from telemetry
     where tank_no = $1 and created_at > to_timestamp($2::float8 / 1000) and gauge_value is not null
     order by created_at limit $3`,
    [tankNo, afterMs, rowsAtOnce],
  );
  const rowsToMs = rows.length < rowsAtOnce ? Number.POSITIVE_INFINITY : (rows.at(-1)?.at_ms ?? 0);
  // Begins with the part that contains the time.
  const { rows: parts } = await tx.query<PackedPart>(
    `select starts_at::text, round(date_part('epoch', packed_origin(starts_at)) * 1000) as origin_ms, times, levels, gauge_values
     from packed_telemetry
     where tank_no = $1 and gauge_values is not null and starts_at <= to_timestamp($3::float8 / 1000) and starts_at >= coalesce((
       select max(starts_at) from packed_telemetry where tank_no = $1 and starts_at <= to_timestamp($2::float8 / 1000)
     ), '-infinity')
     order by starts_at limit $4`,
    [tankNo, afterMs, rowsToMs, PARTS_AT_ONCE],
  );
  const last = parts.length < PARTS_AT_ONCE ? undefined : parts.at(-1);
  const toMs = last === undefined ? rowsToMs : Math.min(rowsToMs, last.origin_ms + (last.times.at(-1) ?? 0));
  return { afterMs, toMs, rows, parts };
}

/** Saves the levels of packed readings. Returns the number of changed levels. */
async function saveParts(tx: Tx, tankNo: number, { afterMs, toMs, parts }: Page, levels: Levels): Promise<number> {
  let changed = 0;
  for (const { starts_at, origin_ms, times, levels: stored, gauge_values } of parts) {
    const next = stored.map((level, index) => {
      const [atMs, value] = [origin_ms + (times[index] ?? 0), gauge_values[index] ?? null];
      return value === null || atMs <= afterMs || atMs > toMs ? level : (levels.find(atMs, value) ?? level);
    });
    const differences = next.filter((level, index) => level !== stored[index]).length;
    changed += differences;
    if (differences > 0)
      await tx.query('select correct_packed_levels($1, $2, $3)', [tankNo, starts_at, arrayLiteral(next)]);
  }
  return changed;
}

/** Saves the levels of plain rows. Returns the number of changed levels. */
async function saveRows(
  tx: Tx,
  tankNo: number,
  { toMs, rows }: Page,
  levels: Levels,
  packedMonths: ReadonlySet<number>,
): Promise<number> {
  let changed = 0;
  const changedRows: { at_ms: number; level: number }[] = [];
  for (const { at_ms, month_ms, level, gauge_value } of rows) {
    if (at_ms > toMs) break;
    // The left-over plain rows of a packed month are not read, but unpacking requires that they equal the packed readings.
    const isLeftOver = packedMonths.has(month_ms);
    const next = levels.find(at_ms, gauge_value, !isLeftOver);
    if (next === undefined || next === level) continue;
    changedRows.push({ at_ms, level: next });
    if (!isLeftOver) changed++;
  }
  if (changedRows.length > 0)
    await tx.query('select correct_levels($1, $2, $3)', [
      tankNo,
      arrayLiteral(changedRows.map(({ at_ms }) => at_ms)),
      arrayLiteral(changedRows.map(({ level }) => level)),
    ]);
  return changed;
}

/** The packed months of a tank, as the Unix times of their beginnings. */
async function readPackedMonths(tx: Tx, tankNo: number): Promise<Set<number>> {
  const { rows } = await tx.query<{ month_ms: number }>(
    `select round(date_part('epoch', month) * 1000) as month_ms from telemetry_month_counters where tank_no = $1 and is_packed`,
    [tankNo],
  );
  return new Set(rows.map(({ month_ms }) => month_ms));
}

/** Adds to the stored numbers of unreadable measures, or replaces them if the computation has just begun. */
async function saveUnreadable(
  tx: Tx,
  tankNo: number,
  unreadable: ReadonlyMap<number, number>,
  isFirst: boolean,
): Promise<void> {
  await tx.query(
    `update tank_gauges g set unreadable = u.n + case when $4 then 0 else g.unreadable end
     from unnest($2::float8[], $3::int[]) as u (from_ms, n)
     where g.tank_no = $1 and g.from_at = to_timestamp(u.from_ms / 1000)`,
    [tankNo, arrayLiteral([...unreadable.keys()]), arrayLiteral([...unreadable.values()]), isFirst],
  );
}
