import type { AlertSettings } from '../src/evaluation/pure/alerts/tank_state.ts';
import type { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/values/time.ts';

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

export interface Span {
  fromMs: number;
  toMs: number;
}

export interface Truth {
  fillAt: (atMs: number) => number;
  refills: readonly { atMs: number; points: number }[];
  leaks: readonly SpanOfPoints[];
  /** From the true fill's crossing of the threshold until it is clear of it again. */
  lows: readonly Span[];
  /** Times without a reading, because the device said nothing. */
  silences: readonly Span[];
  cadenceMs: number;
  /** How far a reading lies from the truth, but for one in twenty: wave, two deviations of noise, rounding. */
  noisePoints: number;
}

export interface SpanOfPoints extends Span {
  points: number;
}

/** A low is over, and the next one another, when the tank was this far above its threshold. */
export const CLEAR_POINTS = 5;
export const STEP_MS = 15 * MINUTE_MS;
export const STEPS_A_DAY = DAY_MS / STEP_MS;
const STEPS = 365 * STEPS_A_DAY;
export const YEAR_STARTS_MS = Date.UTC(2025, 0, 1);
const YEAR_ENDS_MS = YEAR_STARTS_MS + 365 * DAY_MS;

export const seedOf = (fleetSeed: number, number: number): number => fleetSeed * 1_000_003 + number * 7_919;

export const pickSettings = (random: Random): AlertSettings => ({
  minFillAlertPercentage: random.pick([10, 15, 20, 25, 30]),
  capacity: random.pick([300, 500, 1_000, 2_000, 5_000]),
  capacityUnit: random.pick(['liters', 'gallons']),
});

/** How a tank is used, refilled and how it may leak. What is random is drawn when it is needed. */
export interface YearPlan {
  startFill: number;
  /** Below this fill a truck is ordered, for the first time. */
  firstOrderLevel: number;
  /** When a truck comes that was ordered before the year. */
  truckComesMs?: number;
  useOfStep: (step: number, day: number, fill: number) => number;
  leak: { fromMs: number; perHour: number; hours: number } | null;
  /** In a nearly empty tank a leak would be none; then it comes another day. */
  leakNeeds: number;
  leakPostponedDays: readonly [number, number];
  orderLevel: () => number;
  truckDays: () => number;
  /** No round passes the same tank twice within this. */
  truckStaysAwayMs: number;
  refill: (fill: number) => { points: number; steps: number };
}

export interface Year {
  fillAt: (atMs: number) => number;
  /** Pumping takes some steps. */
  refills: SpanOfPoints[];
  leaks: SpanOfPoints[];
  lows: Span[];
}

/** The true fill in steps of a quarter of an hour: use, a truck when somebody thinks of it, perhaps a leak. */
export function liveYear(random: Random, threshold: number, plan: YearPlan): Year {
  const { leak } = plan;
  const fills = new Float32Array(STEPS);
  const refills: SpanOfPoints[] = [];
  const leaks: SpanOfPoints[] = [];
  const truck = { comesMs: plan.truckComesMs ?? Number.POSITIVE_INFINITY, notBeforeMs: 0, left: 0, perStep: 0 };
  let fill = plan.startFill;
  let orderBelow = plan.firstOrderLevel;
  let isFound = false;
  for (let step = 0; step < STEPS; step++) {
    const atMs = YEAR_STARTS_MS + step * STEP_MS;
    fill -= plan.useOfStep(step, Math.floor(step / STEPS_A_DAY), fill);
    if (leak !== null && leaks.length === 0 && atMs >= leak.fromMs) {
      if (fill >= plan.leakNeeds) leaks.push({ fromMs: atMs, toMs: atMs, points: 0 });
      else leak.fromMs += random.between(...plan.leakPostponedDays) * DAY_MS;
    }
    const running = leaks.at(-1);
    if (leak !== null && running !== undefined && atMs < running.fromMs + leak.hours * HOUR_MS && !isFound) {
      const points = Math.min(Math.max(0, fill), leak.perHour * (STEP_MS / HOUR_MS));
      fill -= points;
      running.points += points;
      if (points > 0) running.toMs = atMs;
    }
    fill = Math.max(0, fill);
    if (truck.left <= 1e-6 && fill <= orderBelow && truck.comesMs === Number.POSITIVE_INFINITY) {
      truck.comesMs = Math.max(atMs + plan.truckDays() * DAY_MS, truck.notBeforeMs);
    }
    if (atMs >= truck.comesMs) {
      // Whoever comes to fill finds the leak.
      isFound = leaks.length > 0;
      const { points, steps } = plan.refill(fill);
      truck.left = points;
      truck.perStep = points / steps;
      refills.push({ fromMs: atMs, toMs: atMs + steps * STEP_MS, points });
      orderBelow = plan.orderLevel();
      truck.comesMs = Number.POSITIVE_INFINITY;
      truck.notBeforeMs = atMs + plan.truckStaysAwayMs;
    }
    if (truck.left > 1e-6) {
      fill += truck.perStep;
      truck.left -= truck.perStep;
    }
    fills[step] = fill;
  }
  const stepAt = (atMs: number): number => Math.floor((atMs - YEAR_STARTS_MS) / STEP_MS);
  return {
    fillAt: (atMs) => fills[Math.min(STEPS - 1, Math.max(0, stepAt(atMs)))] ?? 0,
    refills,
    leaks,
    lows: findLows(fills, threshold),
  };
}

function findLows(fills: Float32Array, threshold: number): Span[] {
  const lows: Span[] = [];
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

/** What arrives, in the order of arrival: 3 % late by up to 36 hours, 2 % twice. The device sends nothing where `read` returns null. */
export function deliver(
  random: Random,
  cadenceMs: number,
  silences: readonly Span[],
  read: (atMs: number) => number | null,
): Delivery[] {
  const deliveries: Delivery[] = [];
  const phaseMs = random.between(0, cadenceMs);
  for (let dueMs = YEAR_STARTS_MS + phaseMs; dueMs < YEAR_ENDS_MS; dueMs += cadenceMs) {
    const atMs = Math.round(dueMs + random.between(0, 2 * MINUTE_MS));
    if (silences.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)) continue;
    const fillPercentage = read(atMs);
    if (fillPercentage === null) continue;
    const lateMs = random.chance(0.03) ? random.between(0, 36 * HOUR_MS) : 0;
    deliveries.push({ atMs, fillPercentage, arrivesMs: Math.round(atMs + lateMs) });
    if (random.chance(0.02)) {
      deliveries.push({ atMs, fillPercentage, arrivesMs: Math.round(atMs + lateMs + random.between(0, DAY_MS)) });
    }
  }
  return deliveries.toSorted((a, b) => a.arrivesMs - b.arrivesMs);
}

export const inOrder = (deliveries: readonly Delivery[]): Delivery[] =>
  [...new Map(deliveries.map((delivery) => [delivery.atMs, delivery])).values()].toSorted((a, b) => a.atMs - b.atMs);
