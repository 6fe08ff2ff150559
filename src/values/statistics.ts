/** The mean; NaN for no values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The standard deviation of these values around their mean. */
export function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

/** The value below which this share of all values lies, interpolated between two of them. NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The standard deviation of the normal distribution that has this median distance from the median: outliers do not count. */
export function robustDeviation(values: readonly number[]): number {
  const centre = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - centre)));
}

export const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** 0 at `from` and before, 1 at `to` and beyond. */
export const shareBetween = (value: number, from: number, to: number): number =>
  clamp((value - from) / (to - from), 0, 1);
