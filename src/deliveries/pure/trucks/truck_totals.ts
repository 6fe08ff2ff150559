import { clamp } from '../../../values/statistics.ts';
import type { RefillSpread } from '../notes/refill_spread.ts';
import { invert } from './invert.ts';

/** How far a truck's log(gauge / note) lies from what it is compared with, and how well that is known (1 / variance). */
export interface TruckEstimate {
  difference: number;
  information: number;
}

interface TankTotals {
  /** The deliveries by truck, and the sums of their log(gauge / note). */
  deliveries: Float64Array;
  sums: Float64Array;
  count: number;
  total: number;
}

/**
 * Deliveries are clipped to this many deviations from the earlier ones of their tank, so that a wrong match does not
 * decide.
 */
const MAX_DEVIATIONS = 3.5;

/**
 * log(gauge / note) = truck + tank + rest, with random tanks: generalized least squares from sums by tank and truck. Add the
 * deliveries in the order of time.
 */
export class TruckTotals {
  readonly #trucks: number;
  readonly #betweenVariance: number;
  readonly #withinVariance: number;
  readonly #tanks = new Map<string | number, TankTotals>();

  constructor(trucks: number, { betweenTanks, withinTank }: RefillSpread) {
    this.#trucks = trucks;
    this.#betweenVariance = betweenTanks ** 2;
    this.#withinVariance = withinTank ** 2;
  }

  add(tankId: string | number, truck: number, logRatio: number): void {
    const tank = this.#tanks.get(tankId) ?? {
      deliveries: new Float64Array(this.#trucks),
      sums: new Float64Array(this.#trucks),
      count: 0,
      total: 0,
    };
    this.#tanks.set(tankId, tank);
    const [between, within] = [this.#betweenVariance, this.#withinVariance];
    const shrunk = between / (within + tank.count * between);
    const expected = tank.total * shrunk;
    const limit = MAX_DEVIATIONS * Math.sqrt(within + within * shrunk);
    const clipped = clamp(logRatio, expected - limit, expected + limit);
    tank.count++;
    tank.total += clipped;
    tank.deliveries[truck] = (tank.deliveries[truck] ?? 0) + 1;
    tank.sums[truck] = (tank.sums[truck] ?? 0) + clipped;
  }

  /** Estimates each truck against the deliveries of the others, or by itself if it is the only one. */
  estimates(): TruckEstimate[] {
    const { inverse, means } = this.#solve(1);
    return means.map((_, truck) => {
      const weights = this.#weightsOf(truck);
      const difference = weights.reduce((sum, weight, at) => sum + weight * (means[at] ?? 0), 0);
      return { difference, information: 1 / quadratic(inverse, weights) };
    });
  }

  /** The information about a truck if every tank had this many times its deliveries so far, by the same trucks. */
  informationAfter(truck: number, times: number): number {
    return 1 / quadratic(this.#solve(times).inverse, this.#weightsOf(truck));
  }

  deliveriesOf(truck: number): number {
    return [...this.#tanks.values()].reduce((sum, { deliveries }) => sum + (deliveries[truck] ?? 0), 0);
  }

  tanksOf(truck: number): number {
    return [...this.#tanks.values()].filter(({ deliveries }) => (deliveries[truck] ?? 0) > 0).length;
  }

  /**
   * The other trucks are weighted by their deliveries. With equal weights, one delivery of a new truck would widen the
   * ranges of all.
   */
  #weightsOf(truck: number): number[] {
    const deliveries = Array.from({ length: this.#trucks }, (_, at) => this.deliveriesOf(at));
    const ofOthers = deliveries.reduce((sum, count, at) => sum + (at === truck ? 0 : count), 0);
    return deliveries.map((count, at) => (at === truck ? 1 : -count / ofOthers));
  }

  #solve(times: number): { inverse: number[][]; means: number[] } {
    const size = this.#trucks;
    const [between, within] = [this.#betweenVariance, this.#withinVariance];
    const zeros = (): number[] => Array.from({ length: size }, () => 0);
    const matrix = Array.from({ length: size }, zeros);
    const right = zeros();
    for (const { deliveries, sums, count, total } of this.#tanks.values()) {
      const shrink = between / (within + times * count * between);
      for (let row = 0; row < size; row++) {
        const own = times * (deliveries[row] ?? 0);
        const line = matrix[row];
        if (own === 0 || line === undefined) continue;
        right[row] = (right[row] ?? 0) + (times * (sums[row] ?? 0) - shrink * own * times * total) / within;
        for (let column = 0; column < size; column++) {
          const other = shrink * own * times * (deliveries[column] ?? 0);
          line[column] = (line[column] ?? 0) + ((row === column ? own : 0) - other) / within;
        }
      }
    }
    const inverse = invert(matrix);
    return {
      inverse,
      means: inverse.map((line) => line.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)),
    };
  }
}

const quadratic = (matrix: readonly (readonly number[])[], weights: readonly number[]): number =>
  matrix.reduce(
    (sum, line, row) =>
      sum + (weights[row] ?? 0) * line.reduce((part, value, column) => part + value * (weights[column] ?? 0), 0),
    0,
  );
