import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { indexAfter, isLowShown, readingAfter, type Score, scoreLeaks, VOLUME_WITHIN_POINTS } from './event_scores.ts';
import type { RealisticTank } from './realistic_fleet.ts';
import { YEAR_STARTS_MS } from './tank_year.ts';

/** A report is in time with the third good reading after the end of pumping, or within a day, which hourly gauges with spikes need. */
const REPORT_WITHIN_MS = DAY_MS;

/** Whether the good readings around a time are close together, so that neither a silence nor a failing gauge hides an event. */
function isWatched({ goodTimes, truth }: RealisticTank, fromMs: number, toMs: number): boolean {
  const before = goodTimes[indexAfter(goodTimes, fromMs) - 1];
  const second = readingAfter(goodTimes, toMs, 1);
  return before !== undefined && second - before <= 3.5 * truth.cadenceMs + (toMs - fromMs);
}

/**
 * Scores refills. A refill is clear if two good readings follow it before the next refill or leak, and one precedes it. The volume
 * may be off by 3 points, or by the use between the readings around it: the time of the truck is not measured.
 */
export function scoreRealisticRefills(tank: RealisticTank, events: readonly TankEvent[], score: Score): number {
  const { goodTimes, refills, truth, use } = tank;
  const reports = events.filter((event) => event.type === 'tank.refilled');
  const matched = new Set<TankEvent>();
  refills.forEach(({ fromMs, toMs, points }, index) => {
    const lastMs = Math.max(readingAfter(goodTimes, toMs, 2), toMs + REPORT_WITHIN_MS);
    const nextMs = refills[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const isLeaking = truth.leaks.some((leak) => leak.toMs > fromMs - DAY_MS && leak.fromMs < lastMs);
    const secondMs = readingAfter(goodTimes, toMs, 1);
    const beforeMs = goodTimes[indexAfter(goodTimes, fromMs) - 1] ?? fromMs;
    const isClear =
      isWatched(tank, fromMs, toMs) &&
      !isFetched(tank, beforeMs, secondMs) &&
      secondMs < nextMs &&
      !isLeaking &&
      readingAfter(goodTimes, toMs, 2) !== Number.POSITIVE_INFINITY;
    const dailyUse = use.perDay[Math.floor((fromMs - YEAR_STARTS_MS) / DAY_MS)] ?? 0;
    const gapDays = (readingAfter(goodTimes, toMs, 0) - beforeMs) / DAY_MS;
    const within = Math.max(VOLUME_WITHIN_POINTS, dailyUse * gapDays);
    const near = reports.filter(({ atMs }) => atMs >= fromMs && atMs <= (isClear ? lastMs : lastMs + 10 * DAY_MS));
    for (const report of near) matched.add(report);
    const isFound = near.some(
      ({ data }) => Math.abs(data.after_percentage - data.before_percentage - points) <= within,
    );
    score.count(isClear, isFound);
  });
  score.raised += reports.length;
  score.right += matched.size;
  return reports.length - matched.size;
}

/** Whether a truck fetched something between two times. */
const isFetched = ({ use }: RealisticTank, fromMs: number, toMs: number): boolean => {
  const hourOf = (atMs: number): number => Math.floor((atMs - YEAR_STARTS_MS) / HOUR_MS);
  for (let hour = hourOf(fromMs); hour <= hourOf(Math.min(toMs, fromMs + 10 * DAY_MS)); hour++) {
    if (use.fetched.has(hour)) return true;
  }
  return false;
};

/** Scores low fills by the good readings. A crossing is clear if one of them is below the threshold by more than the noise. */
export function scoreRealisticLows(tank: RealisticTank, events: readonly TankEvent[], score: Score): number {
  const { settings, truth, goodTimes } = tank;
  const threshold = settings.minFillAlertPercentage;
  const alerts = events.filter(({ type }) => type === 'tank.low_fill');
  let wrong = 0;
  const isNear = (atMs: number): boolean => Math.abs(truth.fillAt(atMs) - threshold) <= truth.noisePoints;
  const isIn = (atMs: number, low: { fromMs: number; toMs: number }): boolean => atMs >= low.fromMs && atMs <= low.toMs;
  const isOnTime = (atMs: number, fromMs: number): boolean =>
    atMs <= Math.max(readingAfter(goodTimes, fromMs, 1), fromMs + 3 * HOUR_MS);
  for (const { atMs } of alerts) {
    score.raised++;
    const isTrue =
      isNear(atMs) ||
      truth.lows.some((low) => isIn(atMs, low) && (isOnTime(atMs, low.fromMs) || isGapBefore(tank, atMs)));
    if (isTrue) score.right++;
    else wrong++;
  }
  truth.lows.forEach((low, index) => {
    const endedMs = truth.lows[index - 1]?.toMs ?? 0;
    const isFound = alerts.some(
      ({ atMs }) => atMs >= endedMs && atMs <= low.toMs && (isNear(atMs) || isOnTime(atMs, low.fromMs)),
    );
    score.count(isLowShown(tank, goodTimes, index) && isWatched(tank, low.fromMs, low.fromMs), isFound);
  });
  return wrong;
}

const isGapBefore = ({ goodTimes, truth }: RealisticTank, atMs: number): boolean => {
  const index = indexAfter(goodTimes, atMs);
  return (goodTimes[index] ?? atMs) - (goodTimes[index - 3] ?? 0) > 6 * truth.cadenceMs;
};

/** Scores leaks as on the other fleet, by the good readings. */
export const scoreRealisticLeaks = (
  tank: RealisticTank,
  events: readonly Pick<TankEvent, 'type' | 'atMs'>[],
  score: Score,
  shownBy: number,
): number => scoreLeaks(tank, tank.goodTimes, events, score, (atMs) => isWatched(tank, atMs, atMs), shownBy);

/** Scores leaks, where a report of unusual use counts as one of a loss, because it also asks people to check the tank. */
export const scoreNoticedLeaks = (tank: RealisticTank, events: readonly TankEvent[], score: Score): number =>
  scoreRealisticLeaks(
    tank,
    events.map(({ type, atMs }) => ({ type: type === 'tank.unusual_use' ? 'tank.rapid_loss' : type, atMs })),
    score,
    4,
  );

/** Counts reports of an unreliable gauge that showed the fill all the time, from the previous reading on. */
export const countWrongGauges = ({ badTimes, truth }: RealisticTank, events: readonly TankEvent[]): number =>
  events.filter((event) => {
    if (event.type !== 'tank.gauge_unreliable') return false;
    const sinceMs = Math.min(Date.parse(event.data.since), event.atMs - GAUGE_SHOWN_MS) - truth.cadenceMs;
    return !badTimes.some((atMs) => atMs >= sinceMs && atMs <= event.atMs);
  }).length;
/** The jumps that make a gauge unreliable are within about this time before the report. */
const GAUGE_SHOWN_MS = 1.5 * DAY_MS;

/** Counts reports of a silent device that was not silent. */
export const countWrongSilences = ({ truth }: RealisticTank, events: readonly TankEvent[]): number =>
  events.filter(
    (event) =>
      event.type === 'tank.device_silent' &&
      !truth.silences.some(({ fromMs, toMs }) => toMs > Date.parse(event.data.last_reading_at) && fromMs < event.atMs),
  ).length;

/** A report of unusual use is true if the tank used this many times as much a day as in the previous 30 days, or leaked. */
const UNUSUAL_FACTOR = 1.8;
const USUAL_DAYS = 30;

export const countTrueUnusualUse = ({ use, truth }: RealisticTank, events: readonly TankEvent[]): number =>
  events.filter((event) => {
    if (event.type !== 'tank.unusual_use') return false;
    const fromMs = event.atMs - event.data.hours * HOUR_MS;
    if (truth.leaks.some((leak) => leak.toMs > fromMs && leak.fromMs < event.atMs)) return true;
    const usual = meanUse(use.perDay, fromMs - USUAL_DAYS * DAY_MS, fromMs);
    return meanUse(use.perDay, fromMs, event.atMs) > UNUSUAL_FACTOR * usual;
  }).length;

/** Returns the points used a day between two times of the year. */
function meanUse(perDay: Float32Array, fromMs: number, toMs: number): number {
  const [from, to] = [(fromMs - YEAR_STARTS_MS) / DAY_MS, (toMs - YEAR_STARTS_MS) / DAY_MS];
  let used = 0;
  for (let day = Math.max(0, Math.floor(from)); day < to; day++)
    used += (perDay[day] ?? 0) * (Math.min(to, day + 1) - Math.max(from, day));
  return used / (to - Math.max(0, from));
}
