import type { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import type { Span } from './tank_year.ts';

/** A time in which a gauge shows something else than the fill. Spikes are drawn per year: a gauge that reports seldom misses most. */
export interface SpikeSpan extends Span {
  /** The level that the gauge shows if `isSteady`. */
  value: number;
  /** False if the gauge shows another level with each reading. */
  isSteady: boolean;
  /** The gauge shows exactly 100. */
  isAtLimit: boolean;
}

const YEAR_MS = 365 * DAY_MS;
/** A third of the measured spikes lasted for an hour or more, and the longest for most of a day. */
const LONG_SHARE = 1 / 3;
const LONGEST_HOURS = 24;
const LIMIT_SHARE = 1 / 8;

/** The spikes of a year, in their order. */
export function spikesOfYear(random: Random, startMs: number, perYear: number): SpikeSpan[] {
  const spikes: SpikeSpan[] = [];
  const gapMs = (): number => (-Math.log(1 - random.next()) * YEAR_MS) / perYear;
  let fromMs = startMs + gapMs();
  while (fromMs < startMs + YEAR_MS) {
    const hours = random.chance(LONG_SHARE) ? random.betweenLog(1, LONGEST_HOURS) : random.between(0.05, 1);
    const toMs = fromMs + hours * HOUR_MS;
    spikes.push({
      fromMs,
      toMs,
      value: random.between(0, 100),
      isSteady: random.chance(0.5),
      isAtLimit: random.chance(LIMIT_SHARE),
    });
    fromMs = toMs + gapMs();
  }
  return spikes;
}

export const spikeAt = (spikes: readonly SpikeSpan[], atMs: number): SpikeSpan | undefined =>
  spikes.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);

/** Draws the spikes of a gauge in a year. Fuel gauges had two in five tank-years; an ultrasonic gauge had seven a year, and more with condensation. */
export const spikesPerYear = (random: Random): number =>
  random.chance(0.8) ? random.betweenLog(0.4, 6) : random.betweenLog(6, 40);
