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
  /** The latest sudden step that was believed: its first reading's time, and the level before it. */
  stepAtMs: number | null;
  stepFrom: number;
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
const DOUBTFUL_CONTRADICTIONS = 3;

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

/** A step back to the level before within this time shows that the step was a long spike. */
const UNDONE_MS = 1.5 * DAY_MS;
const UNDONE_POINTS = 4;

export const isSoonAfterStep = ({ stepAtMs }: GaugeHealth, { atMs }: LevelReading): boolean =>
  stepAtMs !== null && atMs - stepAtMs <= UNDONE_MS;

/** Whether a level is the one before the latest step, after plausible use: then neither step was a delivery or a loss. */
export const isUndoing = (gauge: GaugeHealth, reading: LevelReading, usePerDay: number): boolean =>
  isSoonAfterStep(gauge, reading) &&
  reading.fillPercentage <= gauge.stepFrom + UNDONE_POINTS &&
  reading.fillPercentage >=
    gauge.stepFrom - UNDONE_POINTS - usePerDay * ((reading.atMs - (gauge.stepAtMs ?? 0)) / DAY_MS);

export const SELDOM_MS = 13 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
/** Measured gauges: a third of all spikes last for one more reading, and so on. */
const SPIKE_LASTS = 3;
const MOST_REQUIRED = 8;
const MOST_REQUIRED_SELDOM = 3;
/** How many false steps of each kind a spiky gauge may cause in a year. */
const FALSE_DELIVERIES = 1;
const FALSE_RISES = 0.12;
const FALSE_FALLS = 0.03;
/** Of a daily gauge, a loss can hardly wait for a fourth day. */
const FALSE_SELDOM_FALLS = 0.31;

/**
 * How many readings must agree before a step is believed: so many that spikes which last as long are rarer than allowed.
 * `spikeShare` of the readings are spikes.
 */
export function requiredReadings(spikeShare: number, cadenceMs: number, allowedPerYear: number): number {
  const spikesPerYear = (spikeShare / SPIKE_LASTS) * (YEAR_MS / cadenceMs);
  const required = 1 + Math.ceil(Math.log(spikesPerYear / allowedPerYear) / Math.log(SPIKE_LASTS));
  return Math.max(2, Math.min(cadenceMs < SELDOM_MS ? MOST_REQUIRED : MOST_REQUIRED_SELDOM, required));
}

/** A delivery is reported within half a day of its first reading, or with its second reading. */
const DELIVERY_WITHIN_MS = 13 * HOUR_MS;

export function requiredForStep(spikeShare: number, cadenceMs: number, isRise: boolean, isLikely: boolean): number {
  if (!isRise) return requiredReadings(spikeShare, cadenceMs, cadenceMs < SELDOM_MS ? FALSE_FALLS : FALSE_SELDOM_FALLS);
  if (!isLikely) return requiredReadings(spikeShare, cadenceMs, FALSE_RISES);
  const most = Math.max(2, 1 + Math.floor(DELIVERY_WITHIN_MS / cadenceMs));
  return Math.min(most, requiredReadings(spikeShare, cadenceMs, FALSE_DELIVERIES));
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

/** A gauge that was stuck is reliable again after three days of good readings, so that a loose contact is reported once. */
const RELIABLE_AFTER_MS = 3 * DAY_MS;

export const isRecovered = (gauge: GaugeHealth, reading: LevelReading): boolean =>
  gauge.fault === 'stuck_at_limit'
    ? gauge.badAtMs !== null && reading.atMs - gauge.badAtMs >= RELIABLE_AFTER_MS
    : !isContradictory(gauge);
