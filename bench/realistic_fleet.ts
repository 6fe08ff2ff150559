import { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { type GaugeHealth, realisticGauge } from './realistic_gauge.ts';
import { TANK_KINDS, type TankUse, tankUse } from './tank_use.ts';
import {
  deliver,
  type LabelledTank,
  pickSettings,
  type Span,
  type SpanOfPoints,
  STEPS_A_DAY,
  seedOf,
  simulateTankYear,
  YEAR_STARTS_MS,
  type YearPlan,
} from './tank_year.ts';

/** A tank with the faults of measured tanks. The scores need the fields beside the truth. */
export interface RealisticTank extends LabelledTank {
  use: TankUse;
  readingsPerDay: number;
  /** Null for a gauge that reports at least once a day. */
  seldom: SeldomReporting | null;
  health: GaugeHealth;
  /** Times of the readings that show the fill. */
  goodTimes: readonly number[];
  /** Times of all other readings. */
  badTimes: readonly number[];
  /** Pumping takes up to 105 minutes. */
  refills: readonly SpanOfPoints[];
}

/** Gauges that report seldom, or when the level has changed. */
export const SELDOM_REPORTING = ['twice a week', 'weekly', 'on change'] as const;
export type SeldomReporting = (typeof SELDOM_REPORTING)[number];
/** Kinds of tanks with such gauges. The other kinds use too much for seldom reports. */
const SELDOM_KINDS = ['household', 'sporadic', 'seasonal'] as const;

const STEPS_AN_HOUR = STEPS_A_DAY / 24;

/** Makes a tank. Its kind follows from its number, so that each kind has enough tanks in a small fleet. */
export function realisticTank(seed: number, number: number, seldom: SeldomReporting | null = null): RealisticTank {
  const random = new Random(seedOf(seed, number));
  const kinds = seldom === null ? TANK_KINDS : SELDOM_KINDS;
  const kind = kinds[number % kinds.length] ?? 'household';
  const readingsPerDay =
    seldom === null
      ? random.pickShare([24, 0.3], [8, 0.1], [4, 0.25], [2, 0.15], [1, 0.2])
      : 1 / SELDOM_DAYS[seldom](random);
  const cadenceMs = DAY_MS / readingsPerDay;
  const isBatchTank = kind === 'depot';
  const settings = { ...pickSettings(random), isBatchTank };
  const use = tankUse(random, kind);
  const { fillAt, refills, leaks, lows } = simulateYear(random, settings.minFillAlertPercentage, use, cadenceMs);
  // A gauge that reports on change measures each hour, and reports at least once per cadence.
  const measureMs = seldom === 'on change' ? HOUR_MS : cadenceMs;
  const gauge = realisticGauge(random, YEAR_STARTS_MS, measureMs);
  const isSent = seldom === 'on change' ? changeFilter(random.between(0.5, 2), cadenceMs) : () => true;
  const isPumping = (atMs: number): boolean => refills.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  const silences = random.chance(4 / 7) ? drawSilences(random) : [];
  const goodTimes: number[] = [];
  const badTimes: number[] = [];
  const deliveries = deliver(random, measureMs, silences, (atMs) => {
    // The liquid moves while it is pumped, and so does the gauge.
    const wobble = isPumping(atMs) ? random.between(-10, 10) : 0;
    const reading = gauge.read(fillAt(atMs) + wobble, atMs);
    if (!isSent(reading.fillPercentage, atMs)) return null;
    (reading.isGood && wobble === 0 ? goodTimes : badTimes).push(atMs);
    return reading.fillPercentage;
  });
  return {
    settings,
    deliveries,
    use,
    readingsPerDay,
    seldom,
    health: gauge.health,
    goodTimes,
    badTimes,
    refills,
    truth: {
      fillAt,
      refills: refills.map(({ fromMs, points }) => ({ atMs: fromMs, points })),
      leaks,
      lows,
      silences,
      cadenceMs,
      noisePoints: gauge.noisePoints,
    },
  };
}

const SELDOM_DAYS: Readonly<Record<SeldomReporting, (random: Random) => number>> = {
  'twice a week': () => 3.5,
  weekly: () => 7,
  'on change': (random) => random.pick([1, 3, 7]),
};

/** Makes a function that returns whether a reading is sent: if it differs enough from the last sent one, or if that is old. */
function changeFilter(points: number, atLeastEveryMs: number): (fillPercentage: number, atMs: number) => boolean {
  let sent = { fillPercentage: Number.POSITIVE_INFINITY, atMs: 0 };
  return (fillPercentage, atMs) => {
    if (Math.abs(fillPercentage - sent.fillPercentage) < points && atMs - sent.atMs < atLeastEveryMs) return false;
    sent = { fillPercentage, atMs };
    return true;
  };
}

function drawSilences(random: Random): Span[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, () => {
    const fromMs = YEAR_STARTS_MS + random.between(5, 350) * DAY_MS;
    return { fromMs, toMs: fromMs + random.betweenLog(1.5, 43) * DAY_MS };
  });
}

function simulateYear(random: Random, threshold: number, use: TankUse, cadenceMs: number) {
  const isBusy = use.kind === 'busy' || use.kind === 'generator';
  const meanUse = use.perDay.reduce((sum, day) => sum + day, 0) / use.perDay.length;
  const leak =
    use.kind !== 'depot' && random.chance(0.3)
      ? {
          fromMs: YEAR_STARTS_MS + random.between(20, 350) * DAY_MS,
          perHour: Math.max(random.between(0.5, 5), (random.between(2, 4) * meanUse) / 24),
          hours: random.between(12, 72),
        }
      : null;
  const orderLevel = (): number => {
    if (use.kind === 'depot') return threshold + random.between(5, 30);
    return threshold + (isBusy ? random.between(-3, 25) : random.between(-8, 10));
  };
  const start: Pick<YearPlan, 'startFill' | 'firstOrderLevel' | 'truckComesMs'> = {
    startFill: random.between(40, 90),
    firstOrderLevel: orderLevel(),
  };
  if (random.chance(0.2)) {
    // The first readings come just before a delivery.
    start.startFill = random.between(15, 60);
    start.truckComesMs = YEAR_STARTS_MS + random.between(0.2, 4) * cadenceMs;
  }
  return simulateTankYear(random, threshold, {
    ...start,
    leak,
    orderLevel,
    useOfStep(step, day, fill) {
      const fetched = use.fetched.get(Math.floor(step / STEPS_AN_HOUR)) ?? 0;
      return (use.perDay[day] ?? 0) / STEPS_A_DAY + Math.min(fetched / STEPS_AN_HOUR, Math.max(0, fill - 2));
    },
    leakNeeds: 30,
    leakPostponedDays: [1, 10],
    truckDays: () => (isBusy ? random.between(0.1, 1) : random.between(0.1, 4)),
    truckStaysAwayMs: 0,
    refill(fill) {
      const room = random.between(80, 95) - fill;
      const points = Math.max(10, random.chance(0.7) ? room : random.between(0.3, 1) * room);
      return { points, steps: Math.round(random.between(1, 7)) };
    },
  });
}
