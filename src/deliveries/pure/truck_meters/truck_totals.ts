import { clamp } from '../../../values/statistics.ts';
import type { RefillSpread } from '../notes/refill_spread.ts';
import { invert } from './invert.ts';

/** A difference between trucks in log(gauge / note), and how well it is known (1 / variance). */
export interface TruckEstimate {
  difference: number;
  information: number;
}

interface TankTotals {
  /** The deliveries by column, and the sum of all their log(gauge / note). */
  deliveries: Float64Array;
  count: number;
  total: number;
}

/** Deliveries are clipped to this many deviations from the earlier ones of their tank, so that a wrong match does not decide. */
const MAX_DEVIATIONS = 3.5;
/** How far the truck of a driver may be off, as a deviation. It is so wide that what the truck explains never counts against the driver. */
const TRUCK_OF_DRIVER_DEVIATION = 0.1;

/**
 * log(gauge / note) = truck + tank + rest, with random tanks: generalized least squares from sums by tank. Drivers are compared in the same
 * way, with the truck as one more random effect: its columns follow those of the drivers. Add the deliveries in the order of time.
 */
export class TruckTotals {
  /** The number of trucks, or drivers, that are compared. */
  readonly #compared: number;
  readonly #size: number;
  readonly #betweenVariance: number;
  readonly #withinVariance: number;
  readonly #tanks = new Map<string | number, TankTotals>();
  /** How many deliveries two columns have in common, and the sum of log(gauge / note) by column. */
  readonly #common: Float64Array[];
  readonly #sums: Float64Array;

  constructor(compared: number, { betweenTanks, withinTank }: RefillSpread, trucksOfDrivers = 0) {
    this.#compared = compared;
    this.#size = compared + trucksOfDrivers;
    this.#betweenVariance = betweenTanks ** 2;
    this.#withinVariance = withinTank ** 2;
    this.#common = Array.from({ length: this.#size }, () => new Float64Array(this.#size));
    this.#sums = new Float64Array(this.#size);
  }

  /** Adds a delivery of a truck, or of a driver with the column of the truck. */
  add(tankId: string | number, truck: number, logRatio: number, truckOfDriver?: number): void {
    const tank = this.#tanks.get(tankId) ?? { deliveries: new Float64Array(this.#size), count: 0, total: 0 };
    this.#tanks.set(tankId, tank);
    const [between, within] = [this.#betweenVariance, this.#withinVariance];
    const shrunk = between / (within + tank.count * between);
    const expected = tank.total * shrunk;
    const limit = MAX_DEVIATIONS * Math.sqrt(within + within * shrunk);
    const clipped = clamp(logRatio, expected - limit, expected + limit);
    tank.count++;
    tank.total += clipped;
    const columns = truckOfDriver === undefined ? [truck] : [truck, this.#compared + truckOfDriver];
    for (const column of columns) {
      tank.deliveries[column] = (tank.deliveries[column] ?? 0) + 1;
      this.#sums[column] = (this.#sums[column] ?? 0) + clipped;
      const line = this.#common[column];
      if (line !== undefined) for (const other of columns) line[other] = (line[other] ?? 0) + 1;
    }
  }

  deliveriesOf(truck: number): number {
    return this.#common[truck]?.[truck] ?? 0;
  }

  tanksOf(truck: number): number {
    return [...this.#tanks.values()].filter(({ deliveries }) => (deliveries[truck] ?? 0) > 0).length;
  }

  /** Solves for the trucks as if every tank had this many times its deliveries so far, by the same trucks. */
  solve(times = 1): TruckSolution {
    const size = this.#size;
    const [between, within] = [this.#betweenVariance, this.#withinVariance];
    const matrix = this.#common.map((line) => Array.from(line, (count) => (times * count) / within));
    const right = Array.from(this.#sums, (sum) => (times * sum) / within);
    for (const { deliveries, count, total } of this.#tanks.values()) {
      const shrink = between / (within + times * count * between) / within;
      for (let row = 0; row < size; row++) {
        const own = times * (deliveries[row] ?? 0);
        const line = matrix[row];
        if (own === 0 || line === undefined) continue;
        right[row] = (right[row] ?? 0) - shrink * own * times * total;
        for (let column = 0; column < size; column++)
          line[column] = (line[column] ?? 0) - shrink * own * times * (deliveries[column] ?? 0);
      }
    }
    for (let column = this.#compared; column < size; column++) {
      const line = matrix[column];
      if (line !== undefined) line[column] = (line[column] ?? 0) + TRUCK_OF_DRIVER_DEVIATION ** -2;
    }
    const inverse = invert(matrix);
    const means = inverse.map((line) => line.reduce((sum, value, column) => sum + value * (right[column] ?? 0), 0));
    const deliveries = Array.from({ length: this.#compared }, (_, truck) => this.deliveriesOf(truck));
    return new TruckSolution(inverse, means, deliveries);
  }
}

/** The estimates of the trucks, from which differences between them are computed. */
export class TruckSolution {
  readonly #inverse: readonly (readonly number[])[];
  readonly #means: readonly number[];
  readonly #deliveries: readonly number[];

  constructor(inverse: readonly (readonly number[])[], means: readonly number[], deliveries: readonly number[]) {
    this.#inverse = inverse;
    this.#means = means;
    this.#deliveries = deliveries;
  }

  /**
   * A truck against the others, or by itself if it is the only one. The others are weighted by their deliveries. With
   * equal weights, one delivery of a new truck would widen the ranges of all.
   */
  againstOthers(truck: number): TruckEstimate {
    const ofOthers = this.#deliveries.reduce((sum, count, index) => sum + (index === truck ? 0 : count), 0);
    return this.#estimate(this.#deliveries.map((count, index) => (index === truck ? 1 : -count / ofOthers)));
  }

  /** A truck against one other. */
  against(truck: number, other: number): TruckEstimate {
    return this.#estimate(this.#deliveries.map((_, index) => Number(index === truck) - Number(index === other)));
  }

  #estimate(weights: readonly number[]): TruckEstimate {
    let difference = 0;
    let variance = 0;
    weights.forEach((weight, row) => {
      if (weight === 0) return;
      difference += weight * (this.#means[row] ?? 0);
      const line = this.#inverse[row] ?? [];
      variance += weight * weights.reduce((sum, other, column) => sum + other * (line[column] ?? 0), 0);
    });
    return { difference, information: 1 / variance };
  }
}
