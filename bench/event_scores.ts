import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { DAY_MS } from '../src/values/time.ts';
import { CLEAR_POINTS, type LabelledTank, type Truth } from './tank_year.ts';

/** Counts recall (which share of the true events was reported) and precision (which share of the reports is true). */
export class Score {
  /** True events that the readings could show. */
  happened = 0;
  /** Those of `happened` that were reported. */
  found = 0;
  /** All reports. */
  raised = 0;
  /** True reports. */
  right = 0;
  /** True events that the readings could not show beyond noise. */
  unclear = 0;
  /** Those of `unclear` that were reported anyway. */
  unclearFound = 0;

  get recall(): number {
    return this.found / this.happened;
  }

  /** The recall of clear and unclear events. */
  get recallOfAll(): number {
    return (this.found + this.unclearFound) / (this.happened + this.unclear);
  }

  count(isClear: boolean, isFound: boolean): void {
    if (isClear) this.happened++;
    else this.unclear++;
    if (isFound && isClear) this.found++;
    else if (isFound) this.unclearFound++;
  }

  get precision(): number {
    return this.right / this.raised;
  }
}

export const VOLUME_WITHIN_POINTS = 3;
const SHOWN_LOSS = 5;

/**
 * Scores low fills. An alert is right within one reading of the true crossing, or while the true fill is within the noise of
 * the threshold, unless the tank was never clear since the previous alert. A crossing is clear if the readings could show it:
 * at one the tank was clear by more than the noise, and at one it was below by more than the noise.
 */
export function scoreLows(
  tank: LabelledTank,
  times: readonly number[],
  events: readonly TankEvent[],
  score: Score,
): void {
  const { settings, truth } = tank;
  const threshold = settings.minFillAlertPercentage;
  const alerts = events.filter(({ type }) => type === 'tank.low_fill');
  const isNear = (atMs: number): boolean => Math.abs(truth.fillAt(atMs) - threshold) <= truth.noisePoints;
  const isOnTime = (atMs: number): boolean =>
    isNear(atMs) || truth.lows.some(({ fromMs }) => atMs >= fromMs && atMs <= readingAfter(times, fromMs, 1));
  alerts.forEach(({ atMs }, index) => {
    score.raised++;
    const before = alerts[index - 1]?.atMs;
    const clear = threshold + CLEAR_POINTS - truth.noisePoints;
    const isAnother = before === undefined || Math.max(...fillsBetween(truth, times, before, atMs)) >= clear;
    if (isOnTime(atMs) && isAnother) score.right++;
  });
  truth.lows.forEach(({ toMs }, index) => {
    const endedMs = truth.lows[index - 1]?.toMs ?? 0;
    const isFound = alerts.some(({ atMs }) => atMs >= endedMs && atMs <= toMs && isOnTime(atMs));
    score.count(isLowShown(tank, times, index), isFound);
  });
}

/** Whether the readings could show a crossing: the tank is clear at one and low at one, both by more than the noise. */
export function isLowShown(
  { settings, truth }: Pick<LabelledTank, 'settings' | 'truth'>,
  times: readonly number[],
  index: number,
): boolean {
  const { fromMs, toMs } = truth.lows[index] ?? { fromMs: 0, toMs: 0 };
  const highest = Math.max(...fillsBetween(truth, times, truth.lows[index - 1]?.fromMs ?? 0, fromMs));
  const lowest = Math.min(...fillsBetween(truth, times, fromMs, toMs));
  const threshold = settings.minFillAlertPercentage;
  return highest >= threshold + CLEAR_POINTS + truth.noisePoints && lowest <= threshold - truth.noisePoints;
}

const fillsBetween = (truth: Truth, times: readonly number[], fromMs: number, toMs: number): number[] =>
  times.slice(indexAfter(times, fromMs), indexAfter(times, toMs)).map(truth.fillAt);

/**
 * Scores refills. A report is right by the third reading after the refill, with the volume within three points. `isLenient` is the
 * rule of the fleet with the faults of measured tanks: within a day, and within the use between the readings around the refill.
 */
export function scoreRefills(
  { truth }: LabelledTank,
  times: readonly number[],
  events: readonly TankEvent[],
  score: Score,
  isLenient = false,
): void {
  const reports = events.filter((event) => event.type === 'tank.refilled');
  score.raised += reports.length;
  for (const { atMs, points } of truth.refills) {
    if (readingAfter(times, atMs, 1) === Number.POSITIVE_INFINITY) continue;
    const lastMs = Math.max(readingAfter(times, atMs, 2), isLenient ? atMs + DAY_MS : 0);
    const beforeMs = times[indexAfter(times, atMs) - 1] ?? atMs;
    const used = truth.fillAt(beforeMs) + points - truth.fillAt(readingAfter(times, atMs, 0));
    const within = Math.max(VOLUME_WITHIN_POINTS, isLenient ? used : 0);
    const isFound = reports.some(({ atMs: seenMs, data }) => {
      const error = data.after_percentage - data.before_percentage - points;
      return seenMs >= atMs && seenMs <= lastMs && Math.abs(error) <= within;
    });
    score.count(true, isFound);
    if (isFound) score.right++;
  }
}

/**
 * Scores leaks. The first report is right while the leak runs, and until a day or two readings after it. A leak is clear if
 * `shownBy` readings could show five lost points before a truck came: a loss that one reading shows must not be reported.
 * Returns the number of wrong reports.
 */
export function scoreLeaks(
  { truth }: LabelledTank,
  times: readonly number[],
  events: readonly Pick<TankEvent, 'type' | 'atMs'>[],
  score: Score,
  isWatched: (atMs: number) => boolean = () => true,
  shownBy = 2,
): number {
  const reports = events.filter((event) => event.type === 'tank.rapid_loss').map(({ atMs }) => atMs);
  const matched = new Set<number>();
  for (const { fromMs, toMs, points } of truth.leaks) {
    const lastMs = Math.max(toMs + DAY_MS, readingAfter(times, toMs, 1));
    const first = reports.find((atMs) => atMs >= fromMs && atMs <= lastMs);
    if (first !== undefined) matched.add(first);
    const shownMs = fromMs + ((toMs - fromMs) * SHOWN_LOSS) / points;
    const truckMs = truth.refills.find(({ atMs }) => atMs > fromMs)?.atMs ?? Number.POSITIVE_INFINITY;
    const isClear = readingAfter(times, shownMs, shownBy - 1) < truckMs && isWatched(fromMs) && isWatched(toMs);
    score.count(isClear, first !== undefined);
  }
  score.raised += reports.length;
  score.right += matched.size;
  return reports.length - matched.size;
}

/** The time of the reading that is `more` after the first reading at or after a time. */
export const readingAfter = (times: readonly number[], atMs: number, more: number): number =>
  times[indexAfter(times, atMs) + more] ?? Number.POSITIVE_INFINITY;

export function indexAfter(times: readonly number[], atMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
