import type { TankEvent } from '../src/events/tank_event.ts';
import { CLEAR_POINTS, type LabelledTank } from './labelled_year.ts';

/** Of what truly happened, how much was found; of what was found, how much is true. */
export class Score {
  happened = 0;
  found = 0;
  raised = 0;
  right = 0;

  get recall(): number {
    return this.found / this.happened;
  }

  get precision(): number {
    return this.right / this.raised;
  }
}

const DAY_MS = 86_400_000;
const VOLUME_WITHIN_POINTS = 3;

/**
 * Low fill. Right is an alert within one reading of the true crossing, or while the true fill is within the noise of the
 * threshold, if the tank was clear since the alert before. A crossing counts if any reading could have shown it, and if
 * the tank had been clear of the threshold by more than the noise leaves open.
 */
export function scoreLows({ settings, truth }: LabelledTank, times: readonly number[], events: readonly TankEvent[], score: Score): void {
  const threshold = settings.minFillAlertPercentage;
  const alerts = events.filter(({ type }) => type === 'tank.low_fill');
  const isNear = (atMs: number): boolean => Math.abs(truth.fillAt(atMs) - threshold) <= truth.noisePoints;
  const isOnTime = (atMs: number): boolean =>
    isNear(atMs) || truth.lows.some(({ fromMs }) => atMs >= fromMs && atMs <= readingAfter(times, fromMs, 1));
  let alertBefore: TankEvent | undefined;
  for (const alert of alerts) {
    score.raised++;
    const isAnother =
      alertBefore === undefined || highest(truth, alertBefore.atMs, alert.atMs) >= threshold + CLEAR_POINTS - truth.noisePoints;
    if (isOnTime(alert.atMs) && isAnother) score.right++;
    alertBefore = alert;
  }
  truth.lows.forEach(({ fromMs, toMs, clearedBy }, at) => {
    if (clearedBy < CLEAR_POINTS + truth.noisePoints || readingAfter(times, fromMs, 0) >= toMs) return;
    score.happened++;
    const sinceMs = truth.lows[at - 1]?.toMs ?? 0;
    if (alerts.some(({ atMs }) => atMs >= sinceMs && atMs <= toMs && isOnTime(atMs))) score.found++;
  });
}

/** Refills. Right is one reported by the third reading after it, with the volume within three points. */
export function scoreRefills({ truth }: LabelledTank, times: readonly number[], events: readonly TankEvent[], score: Score): void {
  const reports = events.filter((event) => event.type === 'tank.refilled');
  score.raised += reports.length;
  for (const { atMs, points } of truth.refills) {
    if (readingAfter(times, atMs, 1) === Number.POSITIVE_INFINITY) continue;
    score.happened++;
    const lastMs = readingAfter(times, atMs, 2);
    const isFound = reports.some(({ atMs: seenMs, data }) => {
      const error = data.after_percentage - data.before_percentage - points;
      return seenMs >= atMs && seenMs <= lastMs && Math.abs(error) <= VOLUME_WITHIN_POINTS;
    });
    if (isFound) {
      score.found++;
      score.right++;
    }
  }
}

/** Leaks. Right is the first report while it runs, or within a day or two readings after. */
export function scoreLeaks({ truth }: LabelledTank, times: readonly number[], events: readonly TankEvent[], score: Score): void {
  const reports = events.filter((event) => event.type === 'tank.rapid_loss');
  score.raised += reports.length;
  for (const { fromMs, toMs } of truth.leaks) {
    score.happened++;
    const lastMs = Math.max(toMs + DAY_MS, readingAfter(times, toMs, 1));
    if (reports.some(({ atMs }) => atMs >= fromMs && atMs <= lastMs)) {
      score.found++;
      score.right++;
    }
  }
}

/** The time of the reading so many after the first one at or after a time. */
function readingAfter(times: readonly number[], atMs: number, more: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return times[low + more] ?? Number.POSITIVE_INFINITY;
}

function highest(truth: LabelledTank['truth'], fromMs: number, toMs: number): number {
  let fill = 0;
  for (let atMs = fromMs; atMs <= toMs; atMs += 3_600_000) fill = Math.max(fill, truth.fillAt(atMs));
  return fill;
}
