import { DAY_MS, type Format } from '../format.ts';

/**
 * The labels of the time axis: months, dates, or times of day between dates. If labels are less than a minute
 * apart, as in a chart of one reading, a repeated time is left out.
 */
export function timeLabels(splits: readonly number[], stepSeconds: number, format: Format): string[] {
  const labels = splits.map((split) => {
    const ms = split * 1_000;
    const isMidnight = new Date(ms).getHours() === 0 && new Date(ms).getMinutes() === 0;
    if (stepSeconds * 1_000 >= 27 * DAY_MS) return `${format.month(ms)} ${new Date(ms).getFullYear()}`;
    return stepSeconds * 1_000 >= DAY_MS || isMidnight ? format.date(ms) : format.time(ms);
  });
  return labels.map((label, index) => (label === labels[index - 1] ? '' : label));
}
