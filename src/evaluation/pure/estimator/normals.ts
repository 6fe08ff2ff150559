const YEAR_DAYS = 365.2425;
/** The normals have 24 values, 15 days apart. Each is the mean of the 31 days around it. */
const NORMAL_POINTS = 24;
const NORMAL_REACH_DAYS = 15.5;
/** A shorter archive has no normals, because parts of the year would be missing. */
const MIN_ARCHIVE_DAYS = 365;
/** Days before and after today over which the temperature anomaly is averaged. */
export const ANOMALY_DAYS = 7;
/** The share of that anomaly that persists after the end of the forecast. */
export const ANOMALY_PERSISTENCE = 0.5;
/** The days after a forecast of a week in which most tanks reach their threshold. */
const LATER_DAYS = 14;
/**
 * The standard deviation of the mean temperature of those days from its expected value, until it is learned from the
 * archive of the place.
 */
export const INITIAL_SPREAD_C = 4;
const MIN_SPREAD_C = 1;
const MAX_SPREAD_C = 6;

const pointOf = (day: number): number => ((day % YEAR_DAYS) / YEAR_DAYS) * NORMAL_POINTS;

/** The normal temperature of a day of the year, interpolated between the two nearest values. */
export function normalOn(normals: readonly number[], day: number): number {
  const point = pointOf(day);
  const before = Math.floor(point);
  const left = normals[before % NORMAL_POINTS] ?? 0;
  const right = normals[(before + 1) % NORMAL_POINTS] ?? 0;
  return left + (point - before) * (right - left);
}

/** Learns the normals from an archive. Null if the archive is shorter than a year or lacks a part of the year. */
export function learnNormals(
  temperatures: ReadonlyMap<number, number>,
  minDays: number = MIN_ARCHIVE_DAYS,
): number[] | null {
  if (temperatures.size < minDays) return null;
  const sums = Array.from({ length: NORMAL_POINTS }, () => ({ sum: 0, count: 0 }));
  const reach = (NORMAL_REACH_DAYS / YEAR_DAYS) * NORMAL_POINTS;
  for (const [day, celsius] of temperatures) {
    const at = pointOf(day);
    for (const [point, total] of sums.entries()) {
      const apart = Math.abs(at - point);
      if (Math.min(apart, NORMAL_POINTS - apart) > reach) continue;
      total.sum += celsius;
      total.count++;
    }
  }
  if (sums.some(({ count }) => count === 0)) return null;
  return sums.map(({ sum, count }) => Math.round((10 * sum) / count) / 10);
}

/** Learns from the archive how far the mean of the two weeks after a one-week forecast is off, as a standard deviation. */
export function learnSpread(temperatures: ReadonlyMap<number, number>, normals: readonly number[] | null): number {
  if (normals === null || temperatures.size < MIN_ARCHIVE_DAYS) return INITIAL_SPREAD_C;
  const offNormal = (from: number, to: number): number | null => {
    let sum = 0;
    let count = 0;
    for (let day = from; day < to; day++) {
      const celsius = temperatures.get(day);
      if (celsius === undefined) continue;
      sum += celsius - normalOn(normals, day);
      count++;
    }
    return count * 2 < to - from ? null : sum / count;
  };
  let squares = 0;
  let count = 0;
  for (const day of temperatures.keys()) {
    const near = offNormal(day - ANOMALY_DAYS, day + ANOMALY_DAYS);
    const later = offNormal(day + ANOMALY_DAYS, day + ANOMALY_DAYS + LATER_DAYS);
    if (near === null || later === null) continue;
    squares += (later - ANOMALY_PERSISTENCE * near) ** 2;
    count++;
  }
  if (count === 0) return INITIAL_SPREAD_C;
  const spread = Math.sqrt(squares / count);
  return Math.min(MAX_SPREAD_C, Math.max(MIN_SPREAD_C, Math.round(spread * 10) / 10));
}
