import type { Random } from '../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../src/values/time.ts';
import { spikeAt, spikesOfYear, spikesPerYear } from './spikes.ts';
import type { Span } from './tank_year.ts';

export interface GaugeReading {
  fillPercentage: number;
  /** False if the gauge shows something else than the fill. */
  isGood: boolean;
}

export type GaugeHealth = 'healthy' | 'failure_values' | 'two_echoes';

export interface Gauge {
  health: GaugeHealth;
  read: (fill: number, atMs: number) => GaugeReading;
  noisePoints: number;
}

/** Draws a gauge with the deviation, resolution and daily wave of measured ones. A fifth are propane gauges, which are less exact. */
export function realisticGauge(random: Random, startMs: number, cadenceMs: number): Gauge {
  const isPropane = random.chance(0.2);
  const deviation = isPropane ? random.between(0.3, 1) : random.betweenLog(0.05, 0.3);
  const wave = isPropane ? random.between(0.3, 2.5) : random.between(0.04, 0.1);
  const resolution = random.pickShare([0.01, 0.3], [random.between(0.17, 0.4), 0.3], [0.8, 0.15], [1, 0.25]);
  const warmestHour = random.between(13, 17);
  const spikes = spikesOfYear(random, startMs, spikesPerYear(random));
  const health = random.pickShare<GaugeHealth>(['healthy', 0.75], ['failure_values', 0.2], ['two_echoes', 0.05]);
  const failing = new FailingSensor(random, cadenceMs);
  const echo = new SecondEcho(random, startMs);
  const read = (fill: number, atMs: number): GaugeReading => {
    const failure = health === 'failure_values' ? failing.next() : null;
    if (failure !== null) return { fillPercentage: failure, isGood: false };
    const warmth = wave * Math.cos((2 * Math.PI * ((atMs % DAY_MS) / HOUR_MS - warmestHour)) / 24);
    const echoed = health === 'two_echoes' ? echo.at(atMs) : 0;
    const spike = spikeAt(spikes, atMs);
    const spiked = spike?.isSteady === false ? random.between(0, 100) : spike?.value;
    const shown = (spiked ?? fill + warmth) + echoed + deviation * random.normal();
    const rounded = Math.round(Math.round(shown / resolution) * resolution * 100) / 100;
    return {
      fillPercentage: spike?.isAtLimit === true ? 100 : Math.min(100, Math.max(0, rounded)),
      isGood: spike === undefined && !(health === 'two_echoes' && echo.isIn(atMs)),
    };
  };
  return { health, read, noisePoints: wave + 2 * deviation + resolution / 2 };
}

/** A sensor that shows exactly 100 or exactly 0 while it fails: 5 to 40 % of the time. */
class FailingSensor {
  readonly #random: Random;
  readonly #share: number;
  readonly #maxReadings: number;
  readonly #value: number;
  #left = 0;
  #isFailing = false;

  constructor(random: Random, cadenceMs: number) {
    this.#random = random;
    this.#share = random.betweenLog(0.05, 0.4);
    this.#maxReadings = Math.max(4, (20 * DAY_MS) / cadenceMs);
    this.#value = random.chance(0.7) ? 100 : 0;
    this.#left = this.#goodReadings();
  }

  #goodReadings(): number {
    const meanRun = (this.#maxReadings - 1) / Math.log(this.#maxReadings);
    return 2 * this.#random.next() * meanRun * (1 / this.#share - 1);
  }

  next(): number | null {
    this.#left--;
    if (this.#left <= 0) {
      this.#isFailing = !this.#isFailing;
      this.#left = this.#isFailing ? this.#random.betweenLog(1, this.#maxReadings) : this.#goodReadings();
    }
    return this.#isFailing ? this.#value : null;
  }
}

/** An echo that makes the gauge alternate between two levels for 15 to 60 days. */
class SecondEcho {
  readonly #random: Random;
  readonly #spells: Span[] = [];
  readonly #offset: number;
  #isSecond = false;

  constructor(random: Random, startMs: number) {
    this.#random = random;
    this.#offset = random.pick([-1, 1]) * random.between(15, 45);
    const fromMs = startMs + random.between(20, 280) * DAY_MS;
    this.#spells.push({ fromMs, toMs: fromMs + random.between(15, 60) * DAY_MS });
  }

  isIn(atMs: number): boolean {
    return this.#spells.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  }

  at(atMs: number): number {
    if (!this.isIn(atMs)) return 0;
    if (this.#random.chance(0.35)) this.#isSecond = !this.#isSecond;
    return this.#isSecond ? this.#offset : 0;
  }
}
