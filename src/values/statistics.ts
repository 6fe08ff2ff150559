/** Returns the mean; NaN for an empty list. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the standard deviation of these values around their mean. */
export function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

/** Returns the value below which this share of all values lies, interpolated between two values; NaN for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const low = sorted[Math.floor(rank)] ?? Number.NaN;
  const high = sorted[Math.ceil(rank)] ?? Number.NaN;
  return low + (high - low) * (rank - Math.floor(rank));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Estimates the standard deviation from the median distance to the median, so that outliers have no effect. */
export function robustDeviation(values: readonly number[]): number {
  const centre = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - centre)));
}

export const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** Returns 0 up to `from`, 1 from `to` on, and the share of the way between them. */
export const shareBetween = (value: number, from: number, to: number): number =>
  clamp((value - from) / (to - from), 0, 1);
