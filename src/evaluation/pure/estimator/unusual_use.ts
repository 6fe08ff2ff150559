import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { MIN_NOISE_POINTS } from './learning.ts';
import { type LevelEstimate, type LevelReading, roundToTenThousandth } from './level_filter.ts';

/**
 * Finds use that is too slow for a loss and unusual for this tank: an idle tank that is used, or a day far above its
 * own use. It is a cumulative sum like the one of the leak detector, with a smaller tolerance and over days instead of
 * hours.
 */
export interface UnusualUse {
  /** Points used beyond the usual use since `from`. */
  points: number;
  /** The reading before the sum began to grow. */
  from: LevelReading | null;
  /** The highest use that is usual for the tank, in points a day, from before the sum began to grow. */
  usual: number;
  /** When the latest event was raised. */
  raisedAtMs: number | null;
}

export const INITIAL_UNUSUAL_USE: UnusualUse = { points: 0, from: null, usual: 0, raisedAtMs: null };

/** A tank that uses less than this is idle. Cold and warm days move a level by about as much. */
const IDLE_POINTS_PER_DAY = 0.3;
/** Use is usual up to these multiples of the highest mean of several days in the last months, and of the mean of weeks. */
const PEAK_FACTOR = 1.5;
const MEAN_FACTOR = 3;
const IRREGULAR_DEVIATIONS = 4;
/** The sum must be above 1.6 points plus 5 times the noise above the smallest noise, and above the usual use of one day. */
const MIN_POINTS = 1.6;
const LIMIT_DEVIATIONS = 5;
const LIMIT_DAYS = 1;
/** The unusual use must go on for about a day. */
const MIN_DURATION_MS = 20 * HOUR_MS;
/** A sum that does not reach its limit within this time begins again: the use has changed slowly. */
const MAX_DURATION_MS = 6 * DAY_MS;
/** Before this many days of readings, the usual use is not known. */
const KNOWN_DAYS = 21;
/** Unusual use that is found again within this time belongs to the same event and raises no second one. */
const SAME_EPISODE_MS = 14 * DAY_MS;

/**
 * Adds the fall of the level between two readings, without the daily wave. `isFound` is true if the sum is above the
 * limit, was above half of it at the previous reading, has grown for about a day, and no event was raised recently.
 */
export function updateUnusualUse(
  unusual: UnusualUse,
  level: LevelEstimate,
  fallen: number,
  before: LevelReading,
  atMs: number,
  knownDays: number,
): { unusual: UnusualUse; isFound: boolean } {
  const isGrowing = unusual.from !== null && atMs - unusual.from.atMs <= MAX_DURATION_MS;
  if (!isGrowing && fallen <= 0) return { unusual: endUnusualUse(unusual), isFound: false };
  const usual = isGrowing ? unusual.usual : usualUsePerDay(level);
  const points = (isGrowing ? unusual.points : 0) + fallen - (usual * (atMs - before.atMs)) / DAY_MS;
  if (points <= 0) return { unusual: endUnusualUse(unusual), isFound: false };
  const from = isGrowing ? unusual.from : before;
  const limit = Math.max(MIN_POINTS + LIMIT_DEVIATIONS * (level.noise - MIN_NOISE_POINTS), LIMIT_DAYS * usual);
  const isNew = unusual.raisedAtMs === null || atMs - unusual.raisedAtMs >= SAME_EPISODE_MS;
  const isLong = from !== null && atMs - from.atMs >= MIN_DURATION_MS;
  return {
    unusual: {
      points: roundToTenThousandth(points),
      from,
      usual: roundToTenThousandth(usual),
      raisedAtMs: unusual.raisedAtMs,
    },
    isFound: isNew && isLong && knownDays >= KNOWN_DAYS && points > limit && unusual.points > limit / 2,
  };
}

/** Ends the sum, for example after a delivery. */
export function endUnusualUse(unusual: UnusualUse): UnusualUse {
  if (unusual.from === null) return unusual;
  const { raisedAtMs } = unusual;
  return raisedAtMs === null ? INITIAL_UNUSUAL_USE : { points: 0, from: null, usual: 0, raisedAtMs };
}

/** The highest use that is usual for the tank. */
function usualUsePerDay({ slowRate, peakRate, irregularity }: LevelEstimate): number {
  const factor = Math.max(MEAN_FACTOR, 1 + IRREGULAR_DEVIATIONS * irregularity);
  return Math.max(IDLE_POINTS_PER_DAY, PEAK_FACTOR * peakRate, factor * slowRate);
}
