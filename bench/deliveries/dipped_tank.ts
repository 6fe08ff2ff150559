import {
  advanceDays,
  beginWithLevel,
  DIP_DEVIATION_POINTS,
  type DipEstimate,
  type ScalePrior,
  updateWithDelivery,
  updateWithLevel,
} from '../../src/evaluation/pure/dips/dip_filter.ts';
import { chanceOfDippedEmpty } from '../../src/evaluation/pure/dips/dip_forecast.ts';
import { Random } from '../../src/simulation/random.ts';
import { clamp } from '../../src/values/statistics.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { FILL_TO, heatingDegrees, type RegionTank, regionMs } from './region.ts';
import type { UseOfRegion } from './use_of_region.ts';

/** The prior before the region is known: 0.9 of the mean use, with a deviation by a factor of 1.8. */
const INITIAL_PRIOR: ScalePrior = { log: -0.1, deviation: 0.6 };

/**
 * A tank without a sensor: one dip a month on a dial with a constant error, and delivery notes that say "filled to 80 %".
 * Two methods estimate its level: the filter of Tankwatch, and a K-factor (points for each degree day), which back offices use.
 */
export class DippedTank {
  readonly #tank: RegionTank;
  readonly #random: Random;
  readonly #region: UseOfRegion;
  readonly #dialError: number;
  #dipDay: number;
  estimate: DipEstimate;
  readonly kFactor: KFactor;

  constructor(tank: RegionTank, region: UseOfRegion, celsius: Float64Array) {
    this.#tank = tank;
    this.#region = region;
    this.#random = new Random(tank.seed + 77);
    this.#dialError = 2.5 * this.#random.normal();
    this.#dipDay = Math.floor(this.#random.between(3, 31));
    const first = tank.firstFill + 3 * this.#random.normal();
    this.estimate = beginWithLevel(regionMs(0), first, DIP_DEVIATION_POINTS, INITIAL_PRIOR);
    this.kFactor = new KFactor(celsius, first);
  }

  /** Sets the prior that is learned when the tanks with sensors have been watched for three weeks. */
  takePrior({ log, deviation }: ScalePrior): void {
    this.estimate = { ...this.estimate, logScale: log, scaleVariance: deviation ** 2, covariance: 0 };
  }

  chanceOfEmpty(day: number, withinDays: number): number {
    const use = this.#region.lastWeek(this.#tank.kind, day);
    return chanceOfDippedEmpty(this.#estimateAt(regionMs(day)), withinDays, () => use);
  }

  fillPercentage(day: number): number {
    return Math.max(0, this.#estimateAt(regionMs(day)).level);
  }

  recordDelivery(time: number, liters: number): void {
    const metered = (liters / this.#tank.capacityLiters) * 100 * (1 + 0.005 * this.#random.normal());
    this.estimate = updateWithDelivery(this.#estimateAt(regionMs(time)), metered, FILL_TO);
    this.kFactor.recordDelivery(time, metered);
  }

  endOfDay(day: number, fill: number): void {
    this.estimate = this.#estimateAt(regionMs(day + 0.75));
    if (day !== this.#dipDay) return;
    const seen = clamp(Math.round(fill + this.#dialError + 1.5 * this.#random.normal()), 0, 95);
    this.estimate = updateWithLevel(this.estimate, seen, DIP_DEVIATION_POINTS);
    this.#dipDay += 28 + Math.floor(this.#random.between(0, 6));
  }

  #estimateAt(atMs: number): DipEstimate {
    const firstDay = regionMs(0) / DAY_MS;
    return advanceDays(this.estimate, atMs, (day) => this.#region.use(this.#tank.kind, day - firstDay));
  }
}

/** Learns the points used for each degree day from delivery to delivery. Hot water counts as 3 degrees. */
export class KFactor {
  readonly #celsius: Float64Array;
  #perDegree: number | null = null;
  #filledOn = 0;
  #levelThen: number;

  constructor(celsius: Float64Array, level: number) {
    this.#celsius = celsius;
    this.#levelThen = level;
  }

  level(day: number): number {
    return this.#levelThen - this.#rate() * this.#degrees(this.#filledOn, day);
  }

  /** Whether the level will be at the reserve before the next visit. */
  isDue(day: number, daysToVisit: number, reserve: number): boolean {
    return this.level(day) - this.#rate() * daysToVisit * this.#degrees(Math.max(0, day - 1), day) <= reserve;
  }

  recordDelivery(time: number, points: number): void {
    const degrees = this.#degrees(this.#filledOn, time);
    const used = this.#levelThen - (FILL_TO - points);
    if (time - this.#filledOn >= 3 && used > 0) {
      const factor = used / degrees;
      this.#perDegree = this.#perDegree === null ? factor : 0.5 * this.#perDegree + 0.5 * factor;
    }
    this.#filledOn = Math.floor(time);
    this.#levelThen = FILL_TO;
  }

  #rate(): number {
    return this.#perDegree ?? 0.15;
  }

  #degrees(from: number, to: number): number {
    let sum = 0;
    for (let day = from; day < to; day++) sum += heatingDegrees(this.#celsius[day] ?? 0) + 3;
    return sum;
  }
}
