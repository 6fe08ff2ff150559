import { DAY_MS, HOUR_MS } from '../values/time.ts';
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
  /** Recent spikes that lasted for more than one reading, weighted by their length, fading within half a year. */
  spikes: number;
  /** Whether this gauge has shown exactly 100 for a tank that was full. */
  isFullReal: boolean;
  /** The latest sudden step that was believed: when, and the level before it. */
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
  spikes: 0,
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
const SPIKE_MS = 180 * DAY_MS;

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
  if (!isJump && gauge.contradictions === 0 && gauge.spikes === 0) return gauge;
  const isContradiction = isJump && gauge.jump !== 0 && Math.sign(change) !== gauge.jump;
  return {
    ...gauge,
    contradictions: roundToTenThousandth(gauge.contradictions * keep + (isContradiction ? 1 : 0)),
    jump: isJump ? Math.sign(change) : gauge.jump,
    badAtMs: isContradiction && gauge.fault === 'contradictory_readings' ? reading.atMs : gauge.badAtMs,
    spikes: roundToTenThousandth(gauge.spikes * Math.max(0, 1 - elapsedMs / SPIKE_MS)),
  };
}

export const isContradictory = ({ fault, contradictions }: GaugeHealth): boolean =>
  contradictions >= (fault === 'contradictory_readings' ? RELIABLE_CONTRADICTIONS : UNRELIABLE_CONTRADICTIONS);

/** A single bad reading says nothing about two that agree, so only the readings after the first count. */
export const countSpike = (gauge: GaugeHealth, readings: number): GaugeHealth =>
  readings < 2
    ? gauge
    : { ...gauge, spikes: roundToTenThousandth(Math.min(20, gauge.spikes + Math.min(3, readings - 1))) };

/** A step back to the level before within this time shows that the step was a long spike. */
const UNDONE_MS = 4 * DAY_MS;
const UNDONE_POINTS = 2;

/** Whether a level is the one before the latest step, after `use`: then neither step was a delivery or a loss. */
export const isUndoing = ({ stepAtMs, stepFrom }: GaugeHealth, level: number, atMs: number, use: number): boolean =>
  stepAtMs !== null &&
  atMs - stepAtMs <= UNDONE_MS &&
  level <= stepFrom + UNDONE_POINTS &&
  level >= stepFrom - UNDONE_POINTS - 2 * use;

/** Cadences up to this are hourly ones: there a step may wait for some more readings. */
const OFTEN_MS = 3 * HOUR_MS;
export const SELDOM_MS = 13 * HOUR_MS;

/**
 * How many readings must agree on a step before it is believed. Where spikes last, more than the spikes seen lately. A fall
 * that use does not explain, and a rise that is hardly a delivery, are rarer than spikes, so they need one more.
 */
export function requiredReadings(
  { spikes }: GaugeHealth,
  cadenceMs: number,
  isRise: boolean,
  isLikely: boolean,
): number {
  if (cadenceMs < OFTEN_MS) return (isRise ? 0 : 1) + (spikes > 8 ? 7 : spikes > 2 ? 6 : spikes > 0.6 ? 5 : 3);
  const extra = isLikely ? 0 : 1;
  if (cadenceMs < SELDOM_MS) return extra + (spikes > 3 ? 4 : spikes > 0.6 ? 3 : 2);
  return spikes > 1 ? 3 : 2;
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
