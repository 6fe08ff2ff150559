const YEAR_DAYS = 365.2425;
/** Points of a year, 15 days apart, with the mean of 31 days around each. */
const NORMAL_POINTS = 24;
const NORMAL_REACH_DAYS = 15.5;
/** An archive of fewer days has no normals: parts of the year would be missing. */
const LEAST_ARCHIVE_DAYS = 365;
/** The days before and after now whose mean the weather after the forecast resembles. */
export const NEAR_DAYS = 7;
/** Share of their difference from the normal that lasts. */
export const LASTING = 0.5;
/** The days after a forecast of a week in which most tanks reach their threshold. */
const LATER_DAYS = 14;
/** How far the mean of those days is off (standard deviation), until the archive of the place tells it. */
export const FIRST_SPREAD_C = 4;
const LEAST_SPREAD_C = 1;
const MOST_SPREAD_C = 6;

const pointOf = (day: number): number => ((day % YEAR_DAYS) / YEAR_DAYS) * NORMAL_POINTS;

/** The usual temperature of a day of the year: between the two nearest points. */
export function normalOn(normals: readonly number[], day: number): number {
  const point = pointOf(day);
  const before = Math.floor(point);
  const left = normals[before % NORMAL_POINTS] ?? 0;
  const right = normals[(before + 1) % NORMAL_POINTS] ?? 0;
  return left + (point - before) * (right - left);
}

/** The usual temperatures of a year from an archive; null if it is shorter than a year or lacks a part of it. */
export function learnNormals(
  temperatures: ReadonlyMap<number, number>,
  leastDays: number = LEAST_ARCHIVE_DAYS,
): number[] | null {
  if (temperatures.size < leastDays) return null;
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

/** How far the mean of the two weeks after a forecast of a week was off in the archive, as a standard deviation. */
export function learnSpread(temperatures: ReadonlyMap<number, number>, normals: readonly number[] | null): number {
  if (normals === null || temperatures.size < LEAST_ARCHIVE_DAYS) return FIRST_SPREAD_C;
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
    const near = offNormal(day - NEAR_DAYS, day + NEAR_DAYS);
    const later = offNormal(day + NEAR_DAYS, day + NEAR_DAYS + LATER_DAYS);
    if (near === null || later === null) continue;
    squares += (later - LASTING * near) ** 2;
    count++;
  }
  if (count === 0) return FIRST_SPREAD_C;
  const spread = Math.sqrt(squares / count);
  return Math.min(MOST_SPREAD_C, Math.max(LEAST_SPREAD_C, Math.round(spread * 10) / 10));
}
