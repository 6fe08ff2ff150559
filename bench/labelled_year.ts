import { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { type SpikeSpan, spikeAt, spikesOfYear } from './spikes.ts';
import {
  deliver,
  type LabelledTank,
  pickSettings,
  STEP_MS,
  STEPS_A_DAY,
  seedOf,
  simulateTankYear,
  YEAR_STARTS_MS,
} from './tank_year.ts';

const NOISE_DEVIATION = 1;
const MAX_SWING = 2.5;
const LEAKING_SHARE = 0.5;
const SPIKES_PER_YEAR = 2;

/** Makes the tank of this number in the fleet of this seed. `irregularity` is by how much its days differ beside their weekday. */
export function labelTank(seed: number, number: number, irregularity = 0): LabelledTank {
  const random = new Random(seedOf(seed, number));
  const settings = pickSettings(random);
  const { fillAt, refills, leaks, lows } = simulateYear(random, settings.minFillAlertPercentage, irregularity);
  const cadenceMs = DAY_MS / random.pickShare([4, 0.5], [24, 0.2], [8, 0.1], [2, 0.1], [1, 0.1]);
  const swing = random.between(0, MAX_SWING);
  const isRounding = random.chance(0.5);
  const silences = random.chance(0.05) ? [drawSilence(random)] : [];
  const spikes = spikesOfYear(random, YEAR_STARTS_MS, SPIKES_PER_YEAR);
  const gauge = { swing, isRounding, warmestHour: random.between(13, 17), skyFactors: drawSkyFactors(random), spikes };
  return {
    settings,
    deliveries: deliver(random, cadenceMs, silences, (atMs) => gaugeReading(random, gauge, fillAt(atMs), atMs)),
    truth: {
      fillAt,
      refills: refills.map(({ fromMs, points }) => ({ atMs: fromMs, points })),
      leaks,
      lows,
      silences,
      cadenceMs,
      noisePoints: swing + 2 * NOISE_DEVIATION + (isRounding ? 0.5 : 0),
    },
  };
}

function simulateYear(random: Random, threshold: number, irregularity: number) {
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
  const startFill = random.between(40, 90);
  const orderLevel = (): number => threshold + random.between(-8, 10);
  let factorOfDay = 1;
  return simulateTankYear(random, threshold, {
    startFill,
    firstOrderLevel: orderLevel(),
    useOfStep(step, day) {
      // Twice as much on 15 January as on 15 July.
      const winter = 1.5 + 0.5 * Math.cos((2 * Math.PI * (day - 14)) / 365);
      const weekday = (weekdays[day % 7] ?? 1) / meanWeekday;
      if (irregularity > 0 && step % STEPS_A_DAY === 0) {
        factorOfDay = Math.exp(irregularity * random.normal() - irregularity ** 2 / 2);
      }
      return usePerDay * winter * weekday * factorOfDay * (STEP_MS / DAY_MS);
    },
    leak,
    leakNeeds: 20,
    leakPostponedDays: [2, 20],
    orderLevel,
    truckDays: () => random.between(0.1, 4),
    truckStaysAwayMs: 3 * DAY_MS,
    refill: (fill) => ({ points: Math.min(random.between(10, 75), 95 - fill), steps: 1 }),
  });
}

interface Gauge {
  swing: number;
  isRounding: boolean;
  warmestHour: number;
  /** The share of the swing on each day of the year. */
  skyFactors: readonly number[];
  spikes: readonly SpikeSpan[];
}

const drawSkyFactors = (random: Random): number[] => Array.from({ length: 366 }, () => random.between(0.5, 1));

function gaugeReading(random: Random, gauge: Gauge, fill: number, atMs: number): number {
  const spike = spikeAt(gauge.spikes, atMs);
  if (spike !== undefined) return Math.round(spike.isSteady ? spike.value : random.between(0, 100));
  const hour = (atMs % DAY_MS) / HOUR_MS;
  const sky = gauge.skyFactors[Math.floor((atMs - YEAR_STARTS_MS) / DAY_MS)] ?? 1;
  const warmth = gauge.swing * sky * Math.cos((2 * Math.PI * (hour - gauge.warmestHour)) / 24);
  const shown = Math.min(100, Math.max(0, fill + warmth + random.normal() * NOISE_DEVIATION));
  return gauge.isRounding ? Math.round(shown) : Math.round(shown * 100) / 100;
}

function drawSilence(random: Random): { fromMs: number; toMs: number } {
  const fromMs = YEAR_STARTS_MS + random.between(10, 350) * DAY_MS;
  return { fromMs, toMs: fromMs + random.between(2, 10) * DAY_MS };
}
