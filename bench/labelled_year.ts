import type { AlertSettings } from '../src/evaluation/pure/alerts/tank_state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/values/time.ts';
import { pickShare, Random } from './random.ts';

/** One tank's year, with the truth beside it. The detector sees only the deliveries. */
export interface LabelledTank {
  settings: AlertSettings;
  deliveries: readonly Delivery[];
  truth: Truth;
}

/** A reading and when it reached us. */
export interface Delivery {
  atMs: number;
  fillPercentage: number;
  arrivesMs: number;
}

export interface Truth {
  fillAt: (atMs: number) => number;
  refills: readonly { atMs: number; points: number }[];
  leaks: readonly { fromMs: number; toMs: number; points: number }[];
  lows: readonly Low[];
  /** Times without a reading, because the device said nothing. */
  silences: readonly { fromMs: number; toMs: number }[];
  cadenceMs: number;
  /** How far a reading lies from the truth, but for one in twenty: wave, two deviations of noise, rounding. */
  noisePoints: number;
}

/** From the true fill's crossing of the threshold until it is clear of it again. */
export interface Low {
  fromMs: number;
  toMs: number;
}

/** A low is over, and the next one another, when the tank was this far above its threshold. */
export const CLEAR_POINTS = 5;

const STEP_MS = 15 * MINUTE_MS;
const STEPS_A_DAY = DAY_MS / STEP_MS;
const STEPS = 365 * STEPS_A_DAY;
export const YEAR_STARTS_MS = Date.UTC(2025, 0, 1);
const YEAR_ENDS_MS = YEAR_STARTS_MS + 365 * DAY_MS;

const NOISE_DEVIATION = 1;
const MOST_SWING = 2.5;
const LEAKING_SHARE = 0.5;
/** No round passes the same tank twice within this. */
const TRUCK_STAYS_AWAY_MS = 3 * DAY_MS;

/** The tank of this number in the fleet of this seed; its days may differ by more than their weekday, by this share. */
export function labelTank(seed: number, number: number, irregularity = 0): LabelledTank {
  const random = new Random(seed * 1_000_003 + number * 7_919);
  const settings: AlertSettings = {
    minFillAlertPercentage: random.pick([10, 15, 20, 25, 30]),
    capacity: random.pick([300, 500, 1_000, 2_000, 5_000]),
    capacityUnit: random.pick(['liters', 'gallons']),
  };
  const life = live(random, settings.minFillAlertPercentage, irregularity);
  const cadenceMs = DAY_MS / pickShare(random, [4, 0.7], [24, 0.2], [1, 0.1]);
  const swing = random.between(0, MOST_SWING);
  const isRounding = random.chance(0.5);
  const fillAt = (atMs: number): number => {
    const step = Math.min(STEPS - 1, Math.max(0, Math.floor((atMs - YEAR_STARTS_MS) / STEP_MS)));
    return life.fills[step] ?? 0;
  };
  const silences = random.chance(0.05) ? [silence(random)] : [];
  const gauge = { swing, isRounding, warmestHour: random.between(13, 17), isSkyClear: skies(random) };
  return {
    settings,
    deliveries: deliver(random, cadenceMs, silences, (atMs) => gaugeReading(random, gauge, fillAt(atMs), atMs)),
    truth: {
      fillAt,
      refills: life.refills,
      leaks: life.leaks,
      lows: findLows(life.fills, settings.minFillAlertPercentage),
      silences,
      cadenceMs,
      noisePoints: swing + 2 * NOISE_DEVIATION + (isRounding ? 0.5 : 0),
    },
  };
}

/** The true fill in steps of a quarter of an hour: use, a truck when somebody thinks of it, perhaps a leak. */
function live(random: Random, threshold: number, irregularity: number) {
  const usePerDay = random.between(0.2, 4);
  const weekdays = Array.from({ length: 7 }, () => random.between(0.6, 1.4));
  const meanWeekday = weekdays.reduce((sum, factor) => sum + factor, 0) / 7;
  const leak = random.chance(LEAKING_SHARE)
    ? {
        fromMs: YEAR_STARTS_MS + random.between(14, 360) * DAY_MS,
        perHour: random.between(0.5, 5),
        hours: random.between(12, 72),
      }
    : null;
  const fills = new Float32Array(STEPS);
  const refills: { atMs: number; points: number }[] = [];
  const leaks: { fromMs: number; toMs: number; points: number }[] = [];
  let fill = random.between(40, 90);
  let orderBelow = threshold + random.between(-8, 10);
  let truckComesMs = Number.POSITIVE_INFINITY;
  let notBeforeMs = YEAR_STARTS_MS;
  let isFound = false;
  let today = 1;
  for (let step = 0; step < STEPS; step++) {
    const atMs = YEAR_STARTS_MS + step * STEP_MS;
    const day = Math.floor((atMs - YEAR_STARTS_MS) / DAY_MS);
    // Twice as much on 15 January as on 15 July.
    const winter = 1.5 + 0.5 * Math.cos((2 * Math.PI * (day - 14)) / 365);
    const weekday = (weekdays[day % 7] ?? 1) / meanWeekday;
    if (irregularity > 0 && step % STEPS_A_DAY === 0) {
      today = Math.exp(irregularity * random.normal() - irregularity ** 2 / 2);
    }
    fill -= usePerDay * winter * weekday * today * (STEP_MS / DAY_MS);
    if (leak !== null && leaks.length === 0 && atMs >= leak.fromMs) {
      // In a nearly empty tank it would be none; then it comes another day.
      if (fill >= 20) leaks.push({ fromMs: atMs, toMs: atMs, points: 0 });
      else leak.fromMs += random.between(2, 20) * DAY_MS;
    }
    const running = leaks.at(-1);
    if (leak !== null && running !== undefined && atMs < running.fromMs + leak.hours * HOUR_MS && !isFound) {
      const points = Math.min(Math.max(0, fill), leak.perHour * (STEP_MS / HOUR_MS));
      fill -= points;
      running.points += points;
      if (points > 0) running.toMs = atMs;
    }
    fill = Math.max(0, fill);
    if (fill <= orderBelow && truckComesMs === Number.POSITIVE_INFINITY) {
      truckComesMs = Math.max(atMs + random.between(0.1, 4) * DAY_MS, notBeforeMs);
    }
    if (atMs >= truckComesMs) {
      // Whoever comes to fill finds the leak.
      isFound = leaks.length > 0;
      const points = Math.min(random.between(10, 75), 95 - fill);
      fill += points;
      refills.push({ atMs, points });
      orderBelow = threshold + random.between(-8, 10);
      truckComesMs = Number.POSITIVE_INFINITY;
      notBeforeMs = atMs + TRUCK_STAYS_AWAY_MS;
    }
    fills[step] = fill;
  }
  return { fills, refills, leaks };
}

export function findLows(fills: Float32Array, threshold: number): Low[] {
  const lows: Low[] = [];
  let isLow = false;
  fills.forEach((fill, step) => {
    const atMs = YEAR_STARTS_MS + step * STEP_MS;
    const low = lows.at(-1);
    if (low !== undefined && isLow) low.toMs = atMs;
    if (fill >= threshold + CLEAR_POINTS) isLow = false;
    if (!isLow && fill <= threshold) {
      lows.push({ fromMs: atMs, toMs: atMs });
      isLow = true;
    }
  });
  return lows;
}

interface Gauge {
  swing: number;
  isRounding: boolean;
  warmestHour: number;
  /** How much of the swing each day of the year has. */
  isSkyClear: readonly number[];
}

const skies = (random: Random): number[] => Array.from({ length: 366 }, () => random.between(0.5, 1));

function gaugeReading(random: Random, gauge: Gauge, fill: number, atMs: number): number {
  if (random.chance(1 / 2_000)) return Math.round(random.between(0, 100));
  const hour = (atMs % DAY_MS) / HOUR_MS;
  const sky = gauge.isSkyClear[Math.floor((atMs - YEAR_STARTS_MS) / DAY_MS)] ?? 1;
  const warmth = gauge.swing * sky * Math.cos((2 * Math.PI * (hour - gauge.warmestHour)) / 24);
  const shown = Math.min(100, Math.max(0, fill + warmth + random.normal() * NOISE_DEVIATION));
  return gauge.isRounding ? Math.round(shown) : Math.round(shown * 100) / 100;
}

function silence(random: Random): { fromMs: number; toMs: number } {
  const fromMs = YEAR_STARTS_MS + random.between(10, 350) * DAY_MS;
  return { fromMs, toMs: fromMs + random.between(2, 10) * DAY_MS };
}

/** What arrives, in the order of arrival: 3 % late by up to 36 hours, 2 % twice. */
export function deliver(
  random: Random,
  cadenceMs: number,
  silences: Truth['silences'],
  read: (atMs: number) => number,
): Delivery[] {
  const deliveries: Delivery[] = [];
  const phaseMs = random.between(0, cadenceMs);
  for (let dueMs = YEAR_STARTS_MS + phaseMs; dueMs < YEAR_ENDS_MS; dueMs += cadenceMs) {
    const atMs = Math.round(dueMs + random.between(0, 2 * MINUTE_MS));
    if (silences.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)) continue;
    const fillPercentage = read(atMs);
    const lateMs = random.chance(0.03) ? random.between(0, 36 * HOUR_MS) : 0;
    deliveries.push({ atMs, fillPercentage, arrivesMs: Math.round(atMs + lateMs) });
    if (random.chance(0.02)) {
      deliveries.push({ atMs, fillPercentage, arrivesMs: Math.round(atMs + lateMs + random.between(0, DAY_MS)) });
    }
  }
  return deliveries.toSorted((a, b) => a.arrivesMs - b.arrivesMs);
}
