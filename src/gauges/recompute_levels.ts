import { arrayLiteral, type Tx } from '../db/pool.ts';
import { decodeMeasure } from '../telemetry/stored_measure.ts';
import { type GaugePeriod, gaugeAt, levelOfMeasure, readGauges } from './gauges_of_tanks.ts';

export interface RecomputedTank {
  /** Readings whose level is another one now. */
  changed: number;
}

/**
 * Computes the levels of a tank again from what was measured, in the caller's transaction, so that readers see all old levels
 * or all new ones. The caller has locked the tank. What was measured, times and counters do not change. A packed month is one
 * row to write, so that this touches some thousand rows, however old the tank is.
 */
export async function recomputeLevels(tx: Tx, tankNo: number, rowsAtOnce = ROWS_AT_ONCE): Promise<RecomputedTank> {
  const periods = (await readGauges(tx, [tankNo])).get(tankNo) ?? [];
  const levels = new Levels(periods);
  let changed = 0;
  const packedMonths = new Set<number>();
  for await (const part of packedParts(tx, tankNo)) {
    packedMonths.add(part.month_ms);
    const next = part.gauge_values.map((value, at) => {
      const now = part.levels[at] ?? 0;
      return value === null ? now : (levels.find(part.origin_ms + (part.times[at] ?? 0), value) ?? now);
    });
    const differences = next.filter((level, at) => level !== part.levels[at]).length;
    changed += differences;
    if (differences > 0) await savePart(tx, tankNo, part.starts_at, next);
  }

  for await (const page of plainPages(tx, tankNo, rowsAtOnce)) {
    const changedRows: { at_ms: number; level: number }[] = [];
    for (const { at_ms, month_ms, level, gauge_value } of page) {
      // Plain rows that are left of a packed month are not read, but unpacking relies on their being equal to the packed ones.
      const isLeftOver = packedMonths.has(month_ms);
      const next = levels.find(at_ms, gauge_value, !isLeftOver);
      if (next === undefined || next === level) continue;
      changedRows.push({ at_ms, level: next });
      if (!isLeftOver) changed++;
    }
    await saveRows(tx, tankNo, changedRows);
  }
  await saveUnreadable(tx, tankNo, levels.unreadable);
  return { changed };
}

/** Finds levels in hundredths, and counts for each gauge what it cannot read. */
class Levels {
  readonly #periods: readonly GaugePeriod[];
  readonly unreadable: Map<number, number>;

  constructor(periods: readonly GaugePeriod[]) {
    this.#periods = periods;
    this.unreadable = new Map(periods.map(({ fromMs }) => [fromMs, 0]));
  }

  /** Undefined if the measure keeps its level: the tank had no gauge then, or one that cannot read it. */
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
  month_ms: number;
  origin_ms: number;
  times: number[];
  levels: number[];
  gauge_values: (number | null)[];
}

/** Parts of a busy month have thousands of readings. A few at a time keep memory small. */
const PARTS_AT_ONCE = 24;

async function* packedParts(tx: Tx, tankNo: number): AsyncGenerator<PackedPart> {
  let after = '-infinity';
  for (;;) {
    const { rows } = await tx.query<PackedPart>(
      `select starts_at::text, round(date_part('epoch', utc_month(starts_at)) * 1000) as month_ms,
              round(date_part('epoch', packed_origin(starts_at)) * 1000) as origin_ms, times, levels, gauge_values
       from packed_telemetry
       where tank_no = $1 and starts_at > $2::timestamptz and gauge_values is not null
       order by starts_at limit $3`,
      [tankNo, after, PARTS_AT_ONCE],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PARTS_AT_ONCE) return;
    after = last.starts_at;
  }
}

interface PlainRow {
  at: string;
  at_ms: number;
  month_ms: number;
  level: number;
  gauge_value: number;
}

/** A device can send millions of readings in a month that is not packed. Other work of the process goes on between pages. */
const ROWS_AT_ONCE = 10_000;

async function* plainPages(tx: Tx, tankNo: number, size: number): AsyncGenerator<PlainRow[]> {
  let after = '-infinity';
  for (;;) {
    const { rows } = await tx.query<PlainRow>(
      `select created_at::text as at, round(date_part('epoch', created_at) * 1000) as at_ms,
              round(date_part('epoch', utc_month(created_at)) * 1000) as month_ms,
              round(fill_percentage * 100)::int as level, gauge_value
       from telemetry
       where tank_no = $1 and created_at > $2::timestamptz and gauge_value is not null
       order by created_at limit $3`,
      [tankNo, after, size],
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = last.at;
  }
}

async function savePart(tx: Tx, tankNo: number, startsAt: string, levels: readonly number[]): Promise<void> {
  await tx.query(
    `update packed_telemetry
     set levels = $3::smallint[], checksum = packed_checksum(tank_no, starts_at, times, $3::smallint[], gauge_values)
     where tank_no = $1 and starts_at = $2::timestamptz`,
    [tankNo, startsAt, arrayLiteral(levels)],
  );
}

async function saveRows(tx: Tx, tankNo: number, rows: readonly { at_ms: number; level: number }[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `update telemetry t set fill_percentage = r.level::real / 100::real
     from unnest($2::float8[], $3::int[]) as r (ms, level)
     where t.tank_no = $1 and t.created_at = to_timestamp(r.ms / 1000)`,
    [tankNo, arrayLiteral(rows.map(({ at_ms }) => at_ms)), arrayLiteral(rows.map(({ level }) => level))],
  );
}

async function saveUnreadable(tx: Tx, tankNo: number, unreadable: ReadonlyMap<number, number>): Promise<void> {
  await tx.query(
    `update tank_gauges g set recomputed_at = now(), unreadable = u.n
     from unnest($2::float8[], $3::int[]) as u (from_ms, n)
     where g.tank_no = $1 and g.from_at = to_timestamp(u.from_ms / 1000)`,
    [tankNo, arrayLiteral([...unreadable.keys()]), arrayLiteral([...unreadable.values()])],
  );
}
