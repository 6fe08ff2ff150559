import type { AlertSettings } from '../src/evaluation/pure/alerts/tank_state.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { type Delivery, deliver, findLows, type LabelledTank, YEAR_STARTS_MS } from './labelled_year.ts';
import { pickShare, Random } from './random.ts';
import { type GaugeHealth, realisticGauge, type Span } from './realistic_gauge.ts';
import { TANK_KINDS, type TankUse, tankUse } from './tank_use.ts';

const STEP_MS = 15 * 60_000;
const STEPS_A_DAY = DAY_MS / STEP_MS;
const STEPS = 365 * STEPS_A_DAY;

/** A tank with the faults of measured ones, and what the scores need to know beside the truth. */
export interface RealisticTank extends LabelledTank {
  use: TankUse;
  readingsPerDay: number;
  health: GaugeHealth;
  /** Times of the readings that show the fill. */
  goodTimes: readonly number[];
  refills: readonly RealisticRefill[];
}

/** Pumping takes up to 105 minutes. */
export interface RealisticRefill extends Span {
  points: number;
}

/** Kinds and cadences come in turn, so that each has enough tanks in a small fleet. */
export function realisticTank(seed: number, number: number): RealisticTank {
  const random = new Random(seed * 1_000_003 + number * 7_919);
  const kind = TANK_KINDS[number % TANK_KINDS.length] ?? 'household';
  const readingsPerDay = pickShare(random, [24, 0.35], [4, 0.4], [1, 0.25]);
  const cadenceMs = DAY_MS / readingsPerDay;
  const settings: AlertSettings = {
    minFillAlertPercentage: random.pick([10, 15, 20, 25, 30]),
    capacity: random.pick([300, 500, 1_000, 2_000, 5_000]),
    capacityUnit: random.pick(['liters', 'gallons']),
  };
  const use = tankUse(random, kind);
  const life = live(random, settings.minFillAlertPercentage, use, cadenceMs);
  const gauge = realisticGauge(random, YEAR_STARTS_MS, cadenceMs);
  const fillAt = (atMs: number): number => {
    const step = Math.min(STEPS - 1, Math.max(0, Math.floor((atMs - YEAR_STARTS_MS) / STEP_MS)));
    return life.fills[step] ?? 0;
  };
  const isPumping = (atMs: number): boolean => life.refills.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  const silences = random.chance(4 / 7) ? silencesOf(random) : [];
  const good: number[] = [];
  const deliveries: Delivery[] = deliver(random, cadenceMs, silences, (atMs) => {
    // The liquid moves while it is pumped, and so does the gauge.
    const wobble = isPumping(atMs) ? random.between(-10, 10) : 0;
    const reading = gauge.read(fillAt(atMs) + wobble, atMs);
    if (reading.isGood && wobble === 0) good.push(atMs);
    return reading.fillPercentage;
  });
  return {
    settings,
    deliveries,
    use,
    readingsPerDay,
    health: gauge.health,
    goodTimes: good,
    refills: life.refills,
    truth: {
      fillAt,
      refills: life.refills.map(({ fromMs, points }) => ({ atMs: fromMs, points })),
      leaks: life.leaks,
      lows: findLows(life.fills, settings.minFillAlertPercentage),
      silences,
      cadenceMs,
      noisePoints: gauge.noisePoints,
    },
  };
}

function silencesOf(random: Random): Span[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, () => {
    const fromMs = YEAR_STARTS_MS + random.between(5, 350) * DAY_MS;
    return { fromMs, toMs: fromMs + random.betweenLog(1.5, 43) * DAY_MS };
  });
}

interface Leak extends Span {
  points: number;
}

interface Truck {
  comesMs: number;
  left: number;
  perStep: number;
}

/** The true fill in steps of a quarter of an hour. */
function live(random: Random, threshold: number, use: TankUse, cadenceMs: number) {
  const isBusy = use.kind === 'busy' || use.kind === 'generator';
  const meanUse = use.perDay.reduce((sum, day) => sum + day, 0) / use.perDay.length;
  const leak = random.chance(0.3)
    ? {
        fromMs: YEAR_STARTS_MS + random.between(20, 350) * DAY_MS,
        perHour: Math.max(random.between(0.5, 5), (random.between(2, 4) * meanUse) / 24),
        hours: random.between(12, 72),
      }
    : null;
  const fills = new Float32Array(STEPS);
  const refills: { fromMs: number; toMs: number; points: number }[] = [];
  const leaks: Leak[] = [];
  const orderLevel = (): number => threshold + (isBusy ? random.between(-3, 25) : random.between(-8, 10));
  const truck: Truck = { comesMs: Number.POSITIVE_INFINITY, left: 0, perStep: 0 };
  let fill = random.between(40, 90);
  let orderBelow = orderLevel();
  let isFound = false;
  if (random.chance(0.2)) {
    // The first readings come just before a delivery.
    fill = random.between(15, 60);
    truck.comesMs = YEAR_STARTS_MS + random.between(0.2, 4) * cadenceMs;
  }
  for (let step = 0; step < STEPS; step++) {
    const atMs = YEAR_STARTS_MS + step * STEP_MS;
    const day = Math.floor(step / STEPS_A_DAY);
    fill -= (use.perDay[day] ?? 0) / STEPS_A_DAY;
    if (leak !== null && leaks.length === 0 && atMs >= leak.fromMs) {
      if (fill >= 30) leaks.push({ fromMs: atMs, toMs: atMs, points: 0 });
      else leak.fromMs += random.between(1, 10) * DAY_MS;
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
      truck.comesMs = atMs + (isBusy ? random.between(0.1, 1) : random.between(0.1, 4)) * DAY_MS;
    }
    if (atMs >= truck.comesMs) {
      isFound = leaks.length > 0;
      const most = random.between(80, 95) - fill;
      truck.left = Math.max(10, random.chance(0.7) ? most : random.between(0.3, 1) * most);
      const pumpingSteps = Math.round(random.between(1, 7));
      truck.perStep = truck.left / pumpingSteps;
      refills.push({ fromMs: atMs, toMs: atMs + pumpingSteps * STEP_MS, points: truck.left });
      orderBelow = orderLevel();
      truck.comesMs = Number.POSITIVE_INFINITY;
    }
    if (truck.left > 1e-6) {
      fill += truck.perStep;
      truck.left -= truck.perStep;
    }
    fills[step] = fill;
  }
  return { fills, refills, leaks };
}
