import { DAY_MS, HOUR_MS } from '../../../values/time.ts';
import { type LevelReading, roundToTenThousandth } from './level_filter.ts';

/** Why a gauge is unreliable. */
export type GaugeFault = 'stuck_at_limit' | 'contradictory_readings';

export interface GaugeHealth {
  /** Null while the gauge is reliable. */
  fault: GaugeFault | null;
  /** When the latest fault began. */
  sinceMs: number | null;
  /** When the latest fault was reported, or when its end was reported. */
  changedAtMs: number | null;
  /** The time of the latest failure value or of the latest contradiction. */
  badAtMs: number | null;
  /** The number of recent jumps in the opposite direction of the jump before. It fades with every reading and every day. */
  contradictions: number;
  /** The direction of the latest jump: 1, -1, or 0 before the first. */
  jump: number;
  /** True if this gauge has shown exactly 100 for a tank that was full. */
  isFullReal: boolean;
  /**
   * The latest accepted step: the time of its first reading, and the level before it. A fall that continues, and a rise
   * by less than half of the fall, belong to the same step.
   */
  stepAtMs: number | null;
  stepFrom: number;
  /**
   * True if the first reading showed at least 75 % of the step, or if the gauge jumped up and down before the step was
   * accepted. A leak falls from reading to reading; a failing gauge jumps.
   */
  isStepSudden: boolean;
  /** The level after the latest delivery, which is often the level to which this tank is always filled. 0 before the first delivery. */
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

/** Smaller changes between two readings are not jumps. */
const MIN_JUMP_POINTS = 7;
const CONTRADICTION_READINGS = 36;
const CONTRADICTION_MS = 6 * DAY_MS;
/** The measured gauge with the most spikes (one in 46 readings) hardly ever reaches 7 contradictions. */
const UNRELIABLE_CONTRADICTIONS = 7;
const RELIABLE_CONTRADICTIONS = 2;
/** From this number of contradictions on, no loss is reported: a failing gauge is more likely than a loss. */
const NO_LOSS_CONTRADICTIONS = 1.8;

/**
 * Counts jumps that alternate between up and down: a tank does not do that, so the gauge is wrong. `expectedUse` is
 * what the tank may have used between the two readings.
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
  const isJump = !isLimit && (change > MIN_JUMP_POINTS || -change > MIN_JUMP_POINTS + 2 * expectedUse);
  // Nearly all readings end here: there is no jump, and no contradiction to fade.
  if (!isJump && gauge.contradictions === 0) return gauge;
  const isContradiction = isJump && gauge.jump !== 0 && Math.sign(change) !== gauge.jump;
  return {
    ...gauge,
    contradictions: roundToTenThousandth(gauge.contradictions * keep + (isContradiction ? 1 : 0)),
    jump: isJump ? Math.sign(change) : gauge.jump,
    badAtMs: isContradiction && gauge.fault === 'contradictory_readings' ? reading.atMs : gauge.badAtMs,
  };
}

export const cannotProveLoss = ({ contradictions }: GaugeHealth): boolean => contradictions >= NO_LOSS_CONTRADICTIONS;

export const isContradictory = ({ fault, contradictions }: GaugeHealth): boolean =>
  contradictions >= (fault === 'contradictory_readings' ? RELIABLE_CONTRADICTIONS : UNRELIABLE_CONTRADICTIONS);

/** A step back to the previous level within this time may show that the step was a gauge fault. */
const UNDO_STEP_MS = 1.5 * DAY_MS;
/** A level within this distance from the level before the step counts as about the same. */
const ABOUT_SAME_POINTS = 4;
/** A level within the larger of these distances counts as the same. */
const SAME_POINTS = 1.5;
const SAME_DEVIATIONS = 3;
/** Limits of the use during the step, as shares of the usual use. */
const MIN_USE_MEANWHILE_SHARE = 0.4;
const MAX_USE_MEANWHILE_SHARE = 1.5;

export const isSoonAfterStep = ({ stepAtMs }: GaugeHealth, { atMs }: { atMs: number }): boolean =>
  stepAtMs !== null && atMs - stepAtMs <= UNDO_STEP_MS;

/** Returns true if a level equals the level before the latest step, minus plausible use, to within `within` points. */
function isBack(gauge: GaugeHealth, fill: number, used: number, within: number): boolean {
  return (
    fill <= gauge.stepFrom - MIN_USE_MEANWHILE_SHARE * used + within &&
    fill >= gauge.stepFrom - MAX_USE_MEANWHILE_SHARE * used - within
  );
}

/** The levels before, during and after a step. */
export interface StepEnd {
  /** When the step began, and the levels of its first and its latest reading, without the daily wave. */
  atMs: number;
  first: number;
  latest: number;
  /** The level before the step. */
  before: number;
  noise: number;
  usePerDay: number;
}

/** The meaning of a step that undoes the step before it. */
export type StepReturn =
  /** The level equals the level before that step: the gauge was wrong in between. */
  | 'gauge_fault'
  /** The level is about the level before that step: the gauge was wrong, or the tank was filled to that level again. */
  | 'maybe_gauge_fault'
  | 'none';

/**
 * Checks if a step leads back to the level before the latest step. A fall back to it is a gauge fault, because no one delivers
 * gas and removes the same amount. A rise back to it may be a delivery after a loss. The rise is a gauge fault only if
 * the fall was sudden, the level equals the previous one, and the tank was not last filled to this level. With a long
 * cadence each level lasted for half a day, so the result is never certain.
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
  const isSame = used <= MAX_USED_POINTS && isBack(gauge, first, used, within) && latest <= gauge.stepFrom + within;
  if (cadenceMs >= LONG_CADENCE_MS || !isSame) return 'maybe_gauge_fault';
  if (!isRise) return 'gauge_fault';
  const isFilledUp = usePerDay >= STANDING_POINTS_PER_DAY && Math.abs(latest - gauge.filledTo) <= FILLED_UP_POINTS;
  return gauge.isStepSudden && !isFilledUp ? 'gauge_fault' : 'maybe_gauge_fault';
}

/** After more use than this, the expected level is too uncertain to detect a return. */
const MAX_USED_POINTS = 10;

/** A step is sudden if its first reading shows this share of it. */
const SUDDEN_SHARE = 0.75;

export const isSudden = (from: number, first: number, to: number): boolean =>
  Math.abs(from - first) >= SUDDEN_SHARE * Math.abs(from - to);

/** A leak after a delivery is one contradiction. With more contradictions the level moved up and down, which no leak does. */
const CHAOTIC_CONTRADICTIONS = 1.5;

export const isChaotic = ({ contradictions }: GaugeHealth): boolean => contradictions >= CHAOTIC_CONTRADICTIONS;

/**
 * A level within 3 points of the previous fill level counts as filled up. A tank that is hardly used stays at this
 * level for weeks, so that the level does not prove a delivery.
 */
const FILLED_UP_POINTS = 3;
const STANDING_POINTS_PER_DAY = 0.3;

/** From this cadence on, a device counts as reporting daily: the next reading is too far off to wait for. */
export const STEP_DAILY_CADENCE_MS = 13 * HOUR_MS;
/** From this cadence on, two readings of one level are too far apart to be a spike. */
export const LONG_CADENCE_MS = 7.5 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
/** On measured gauges, each additional reading is part of the spike in one case out of three. */
const SPIKE_LENGTH_FACTOR = 3;
const MAX_REQUIRED_READINGS = 8;
const MAX_REQUIRED_DAILY_READINGS = 3;
/** A step is decided within 25 hours of its first reading, or at its second reading if that is later. */
const MAX_STEP_WAIT_MS = 25 * HOUR_MS;
/** The number of false steps of each kind that a gauge with many spikes may cause in a year. */
const FALSE_DELIVERIES_PER_YEAR = 1;
const FALSE_RISES_PER_YEAR = 0.12;
const FALSE_FALLS_PER_YEAR = 0.09;
/** More false falls are accepted from a daily gauge, because a loss cannot wait for a fourth day. */
const FALSE_DAILY_FALLS_PER_YEAR = 0.31;

/** The number of readings within a time after the first one, including the first one; at least two. */
export const readingsWithin = (timeMs: number, cadenceMs: number): number =>
  Math.max(2, 1 + Math.floor(timeMs / cadenceMs));

/**
 * The number of readings that must agree before a step is accepted: enough that spikes of this length occur less often
 * than `allowedPerYear`. `spikeShare` of the readings are spikes.
 */
export function requiredReadings(spikeShare: number, cadenceMs: number, allowedPerYear: number): number {
  const spikesPerYear = (spikeShare / SPIKE_LENGTH_FACTOR) * (YEAR_MS / cadenceMs);
  const required = 1 + Math.ceil(Math.log(spikesPerYear / allowedPerYear) / Math.log(SPIKE_LENGTH_FACTOR));
  const maxRequired =
    cadenceMs < STEP_DAILY_CADENCE_MS
      ? Math.min(MAX_REQUIRED_READINGS, readingsWithin(MAX_STEP_WAIT_MS, cadenceMs))
      : MAX_REQUIRED_DAILY_READINGS;
  return Math.max(2, Math.min(maxRequired, required));
}

/** A delivery is reported within 13 hours of its first reading, or at its second reading if that is later. */
export const DELIVERY_CONFIRMATION_MS = 13 * HOUR_MS;

/**
 * The number of readings that must agree before a step is accepted. `isLikely` is true for a delivery to a tank that is
 * not full, and for any step of a batch tank.
 */
export function requiredForStep(spikeShare: number, cadenceMs: number, isRise: boolean, isLikely: boolean): number {
  if (!isLikely) {
    const falseFalls = cadenceMs < STEP_DAILY_CADENCE_MS ? FALSE_FALLS_PER_YEAR : FALSE_DAILY_FALLS_PER_YEAR;
    return requiredReadings(spikeShare, cadenceMs, isRise ? FALSE_RISES_PER_YEAR : falseFalls);
  }
  return Math.min(
    readingsWithin(DELIVERY_CONFIRMATION_MS, cadenceMs),
    requiredReadings(spikeShare, cadenceMs, FALSE_DELIVERIES_PER_YEAR),
  );
}

/** A run of a failure value is reported after 8 readings, or after 24 hours with at least 3 readings. */
const STUCK_MS = 24 * HOUR_MS;
const MIN_STUCK_READINGS = 3;
const STUCK_READINGS = 8;
/** After three days at exactly 0 or 100, the level follows the gauge: the tank may really be empty or full. */
const STUCK_ACCEPTED_MS = 3 * DAY_MS;

export const isStuck = (first: LevelReading, latest: LevelReading, readings: number): boolean =>
  readings >= STUCK_READINGS || (readings >= MIN_STUCK_READINGS && latest.atMs - first.atMs >= STUCK_MS);

export const isStuckForLong = (first: LevelReading, latest: LevelReading, readings: number): boolean =>
  isStuck(first, latest, readings) && latest.atMs - first.atMs >= STUCK_ACCEPTED_MS;

/** A gauge is reliable again after three days of good readings. This is long enough that a loose contact is reported once. */
const RELIABLE_AFTER_MS = 3 * DAY_MS;

export const isRecovered = (gauge: GaugeHealth, reading: LevelReading): boolean =>
  gauge.badAtMs !== null &&
  reading.atMs - gauge.badAtMs >= RELIABLE_AFTER_MS &&
  (gauge.fault === 'stuck_at_limit' || !isContradictory(gauge));
