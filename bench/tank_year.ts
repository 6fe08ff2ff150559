import type { AlertSettings } from '../src/evaluation/pure/alerts/tank_state.ts';
import type { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/values/time.ts';

/** A year of a tank, and the truth about it. The evaluation gets only the deliveries. */
export interface LabelledTank {
  settings: AlertSettings;
  deliveries: readonly Delivery[];
  truth: Truth;
}

/** A reading and its time of arrival. */
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
  /** From the crossing of the threshold by the true fill until the tank is clear of it again. */
  lows: readonly Span[];
  /** Times in which the device sent no reading. */
  silences: readonly Span[];
  cadenceMs: number;
  /** 95 % of the readings are within this distance of the truth: wave, two deviations of noise, rounding. */
  noisePoints: number;
}

export interface SpanOfPoints extends Span {
  points: number;
}

/** A low ends when the tank is this far above its threshold. */
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

/** How a tank is used, refilled, and how it may leak. Functions draw their random numbers when they are called. */
export interface YearPlan {
  startFill: number;
  /** The first truck is ordered below this fill. */
  firstOrderLevel: number;
  /** The arrival of a truck that was ordered before the year. */
  truckComesMs?: number;
  useOfStep: (step: number, day: number, fill: number) => number;
  leak: { fromMs: number; perHour: number; hours: number } | null;
  /** The fill that a leak needs. It is postponed if the tank has less. */
  leakNeeds: number;
  leakPostponedDays: readonly [number, number];
  orderLevel: () => number;
  truckDays: () => number;
  /** The least time between two trucks. */
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

/** Simulates the true fill in steps of a quarter of an hour: use, trucks that come some time after an order, perhaps a leak. */
export function simulateTankYear(random: Random, threshold: number, plan: YearPlan): Year {
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
    const openLeak = leaks.at(-1);
    if (leak !== null && openLeak !== undefined && atMs < openLeak.fromMs + leak.hours * HOUR_MS && !isFound) {
      const points = Math.min(Math.max(0, fill), leak.perHour * (STEP_MS / HOUR_MS));
      fill -= points;
      openLeak.points += points;
      if (points > 0) openLeak.toMs = atMs;
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

/** Returns the readings in their order of arrival: 3 % are up to 36 hours late, 2 % arrive twice. If `read` returns null, none is sent. */
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
