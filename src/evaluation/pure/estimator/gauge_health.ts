import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { type LevelReading, roundToTenThousandth } from './level_filter.ts';

/** Why a gauge is not believed. */
export type GaugeFault = 'stuck_at_limit' | 'contradictory_readings';

/** What is known of the gauge itself. */
export interface GaugeHealth {
  /** Null while the gauge is reliable. */
  fault: GaugeFault | null;
  /** When the latest fault began, and when it was last reported or ended. */
  sinceMs: number | null;
  changedAtMs: number | null;
  /** The latest failure value, or the latest jump back and forth. */
  badAtMs: number | null;
  /** Recent jumps that contradict the jump before, fading with every reading and every day. */
  contradictions: number;
  /** The direction of the latest jump: 1, -1, or 0 before the first. */
  jump: number;
  /** Whether this gauge has shown exactly 100 for a tank that was full. */
  isFullReal: boolean;
  /**
   * The latest step that was believed: its first reading's time, and the level before it. A fall that goes on, and a rise
   * that leads back by less than half, belong to the step before.
   */
  stepAtMs: number | null;
  stepFrom: number;
  /**
   * The first reading of the step showed nearly all of it, or the gauge jumped up and down before the step was believed. A leak
   * falls reading by reading, and a gauge that fails does not.
   */
  isStepSudden: boolean;
  /** The level after the latest delivery: often the level to which this tank is always filled. 0 before the first. */
  filledTo: number;
}

export const INITIAL_GAUGE: GaugeHealth = {
  fault: null,
  sinceMs: null,
  changedAtMs: null,
  badAtMs: null,
  contradictions: 0,
  jump: 0,
  isFullReal: false,
  stepAtMs: null,
  stepFrom: 0,
  isStepSudden: false,
  filledTo: 0,
};

export const isAtLimit = ({ fillPercentage }: LevelReading): boolean => fillPercentage === 0 || fillPercentage === 100;

/** A change between two readings of less is not a jump. */
const LEAST_JUMP = 7;
const CONTRADICTION_READINGS = 36;
const CONTRADICTION_MS = 6 * DAY_MS;
/** A gauge with a spike in 46 readings, the most of any measured one in use, hardly ever has seven. */
const UNRELIABLE_CONTRADICTIONS = 7;
const RELIABLE_CONTRADICTIONS = 2;
/** A gauge with so many cannot prove a loss, which is rarer than a gauge that fails. */
const DOUBTFUL_CONTRADICTIONS = 1.8;

/**
 * A tank rises when it is filled and falls when it is used; jumps that alternate are the gauge's. `expectedUse` is what the
 * tank may have used between the two readings.
 */
export function watchJumps(
  gauge: GaugeHealth,
  before: LevelReading,
  reading: LevelReading,
  expectedUse: number,
): GaugeHealth {
  const elapsedMs = reading.atMs - before.atMs;
  const keep = Math.max(0, 1 - Math.max(1 / CONTRADICTION_READINGS, elapsedMs / CONTRADICTION_MS));
  const change = reading.fillPercentage - before.fillPercentage;
  const isLimit = isAtLimit(reading) || isAtLimit(before);
  const isJump = !isLimit && (change > LEAST_JUMP || -change > LEAST_JUMP + 2 * expectedUse);
  // Nothing to fade and nothing new, as for nearly all readings.
  if (!isJump && gauge.contradictions === 0) return gauge;
  const isContradiction = isJump && gauge.jump !== 0 && Math.sign(change) !== gauge.jump;
  return {
    ...gauge,
    contradictions: roundToTenThousandth(gauge.contradictions * keep + (isContradiction ? 1 : 0)),
    jump: isJump ? Math.sign(change) : gauge.jump,
    badAtMs: isContradiction && gauge.fault === 'contradictory_readings' ? reading.atMs : gauge.badAtMs,
  };
}

export const isDoubtful = ({ contradictions }: GaugeHealth): boolean => contradictions >= DOUBTFUL_CONTRADICTIONS;

export const isContradictory = ({ fault, contradictions }: GaugeHealth): boolean =>
  contradictions >= (fault === 'contradictory_readings' ? RELIABLE_CONTRADICTIONS : UNRELIABLE_CONTRADICTIONS);

/** A step back to the level before within this time may show that the step was a fault of the gauge. */
const UNDONE_MS = 1.5 * DAY_MS;
/** How far the level may be from the one before the step, to be about the same and to be the same. */
const ABOUT_SAME_POINTS = 4;
const SAME_POINTS = 1.5;
const SAME_DEVIATIONS = 3;
/** Use meanwhile, as a share of the usual use. */
const LEAST_USE_MEANWHILE = 0.4;
const MOST_USE_MEANWHILE = 1.5;

export const isSoonAfterStep = ({ stepAtMs }: GaugeHealth, { atMs }: { atMs: number }): boolean =>
  stepAtMs !== null && atMs - stepAtMs <= UNDONE_MS;

/** Whether a level is the one before the latest step, after plausible use, to within some points. */
function isBack(gauge: GaugeHealth, fill: number, used: number, within: number): boolean {
  return (
    fill <= gauge.stepFrom - LEAST_USE_MEANWHILE * used + within &&
    fill >= gauge.stepFrom - MOST_USE_MEANWHILE * used - within
  );
}

/** Where a step leads to. */
export interface StepEnd {
  /** When it began, and the levels of its first and its latest reading, without the daily wave. */
  atMs: number;
  first: number;
  latest: number;
  /** The level before. */
  before: number;
  noise: number;
  usePerDay: number;
}

/** What a step says about the step before it. */
export type StepReturn =
  /** The level is the one before that step: the gauge was wrong meanwhile. */
  | 'gauge_fault'
  /** The level is about the one before that step: the gauge was wrong, or the tank was filled to the same level. */
  | 'maybe_gauge_fault'
  | 'none';

/**
 * Whether a step leads back to the level before the latest step. A fall back is the gauge: nobody delivers and takes the
 * same. A rise back may be a delivery after a loss. It is the gauge only if the fall was sudden, the level is exactly the
 * one before, and this is not the level to which the tank was filled last. Where readings are far apart, each level was
 * held for half a day, and nothing is certain.
 */
export function stepReturn(gauge: GaugeHealth, step: StepEnd, cadenceMs: number): StepReturn {
  const { atMs, first, latest, before, noise, usePerDay } = step;
  if (!isSoonAfterStep(gauge, step)) return 'none';
  const isRise = latest > before;
  const isTowards = isRise ? gauge.stepFrom > before : gauge.stepFrom < before && isSudden(before, first, latest);
  const isAbove = latest > gauge.stepFrom + ABOUT_SAME_POINTS;
  const used = usePerDay * ((atMs - (gauge.stepAtMs ?? atMs)) / DAY_MS);
  if (!isTowards || isAbove || !isBack(gauge, first, used, ABOUT_SAME_POINTS)) return 'none';
  const within = Math.max(SAME_POINTS, SAME_DEVIATIONS * noise);
  const isSame = used <= MOST_USED && isBack(gauge, first, used, within) && latest <= gauge.stepFrom + within;
  if (cadenceMs >= LONG_CADENCE_MS || !isSame) return 'maybe_gauge_fault';
  if (!isRise) return 'gauge_fault';
  const isFilledUp = Math.abs(latest - gauge.filledTo) <= FILLED_UP_POINTS;
  return gauge.isStepSudden && !isFilledUp ? 'gauge_fault' : 'maybe_gauge_fault';
}

/** If the tank has used more meanwhile, nobody knows where the level must be. */
const MOST_USED = 10;

/** A step is sudden if its first reading shows this share of it. */
const SUDDEN_SHARE = 0.75;

export const isSudden = (from: number, first: number, to: number): boolean =>
  Math.abs(from - first) >= SUDDEN_SHARE * Math.abs(from - to);

/** A leak after a delivery is one contradiction. With more, the level has moved up and down, and no leak does that. */
const CHAOTIC_CONTRADICTIONS = 1.5;

export const isChaotic = ({ contradictions }: GaugeHealth): boolean => contradictions >= CHAOTIC_CONTRADICTIONS;

/** A tank that is always filled to the same level reaches it to within so many points. */
const FILLED_UP_POINTS = 3;

/** From this cadence on, the next reading is too far off to wait for. */
export const SELDOM_MS = 13 * HOUR_MS;
/** From this cadence on, two readings of a level are so far apart that it was not a spike. */
export const LONG_CADENCE_MS = 7.5 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
/** Measured gauges: a third of all spikes last for one more reading, and so on. */
const SPIKE_LASTS = 3;
const MOST_REQUIRED = 8;
const MOST_REQUIRED_SELDOM = 3;
/** No step waits for longer than a day after its first reading, but for its second reading. */
const LONGEST_WAIT_MS = 25 * HOUR_MS;
/** How many false steps of each kind a spiky gauge may cause in a year. */
const FALSE_DELIVERIES = 1;
const FALSE_RISES = 0.12;
const FALSE_FALLS = 0.09;
/** Of a daily gauge, a loss can hardly wait for a fourth day. */
const FALSE_SELDOM_FALLS = 0.31;

/** The number of readings that come within a time after the first one, with the first one; at least two. */
export const readingsWithin = (timeMs: number, cadenceMs: number): number =>
  Math.max(2, 1 + Math.floor(timeMs / cadenceMs));

/**
 * How many readings must agree before a step is believed: so many that spikes which last as long are rarer than allowed.
 * `spikeShare` of the readings are spikes.
 */
export function requiredReadings(spikeShare: number, cadenceMs: number, allowedPerYear: number): number {
  const spikesPerYear = (spikeShare / SPIKE_LASTS) * (YEAR_MS / cadenceMs);
  const required = 1 + Math.ceil(Math.log(spikesPerYear / allowedPerYear) / Math.log(SPIKE_LASTS));
  const most =
    cadenceMs < SELDOM_MS ? Math.min(MOST_REQUIRED, readingsWithin(LONGEST_WAIT_MS, cadenceMs)) : MOST_REQUIRED_SELDOM;
  return Math.max(2, Math.min(most, required));
}

/** A delivery is reported within half a day of its first reading, or with its second reading. */
export const HALF_DAY_MS = 13 * HOUR_MS;

/** `isLikely`: a delivery to a tank that is not full, or any step of a batch tank. */
export function requiredForStep(spikeShare: number, cadenceMs: number, isRise: boolean, isLikely: boolean): number {
  if (!isLikely) {
    const ofFalls = cadenceMs < SELDOM_MS ? FALSE_FALLS : FALSE_SELDOM_FALLS;
    return requiredReadings(spikeShare, cadenceMs, isRise ? FALSE_RISES : ofFalls);
  }
  return Math.min(readingsWithin(HALF_DAY_MS, cadenceMs), requiredReadings(spikeShare, cadenceMs, FALSE_DELIVERIES));
}

/** A run of a failure value is reported when it has lasted for so long or for so many readings. */
const STUCK_MS = 24 * HOUR_MS;
const STUCK_LEAST_READINGS = 3;
const STUCK_READINGS = 8;
/** The level follows a gauge that shows nothing else for so long: then it may be true after all. */
const FOLLOW_MS = 3 * DAY_MS;

export const isStuck = (first: LevelReading, latest: LevelReading, readings: number): boolean =>
  readings >= STUCK_READINGS || (readings >= STUCK_LEAST_READINGS && latest.atMs - first.atMs >= STUCK_MS);

export const isStuckForLong = (first: LevelReading, latest: LevelReading, readings: number): boolean =>
  isStuck(first, latest, readings) && latest.atMs - first.atMs >= FOLLOW_MS;

/** A gauge is reliable again after three days of good readings, so that a loose contact is reported once. */
const RELIABLE_AFTER_MS = 3 * DAY_MS;

export const isRecovered = (gauge: GaugeHealth, reading: LevelReading): boolean =>
  gauge.badAtMs !== null &&
  reading.atMs - gauge.badAtMs >= RELIABLE_AFTER_MS &&
  (gauge.fault === 'stuck_at_limit' || !isContradictory(gauge));
