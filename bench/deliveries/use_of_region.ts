import type { ScalePrior } from '../../src/evaluation/pure/dips/dip_filter.ts';
import { regionalRate, scalePrior } from '../../src/evaluation/pure/dips/regional_use.ts';
import { mean } from '../../src/values/statistics.ts';
import type { RegionKind } from './region.ts';
import type { WinterTank } from './winter.ts';

/** The two use cases of a catalog. */
export type UseClass = 'residential' | 'commercial';
export const classOf = (kind: RegionKind): UseClass => (kind === 'business' ? 'commercial' : 'residential');

/** The use in points a day until tanks with sensors have been watched for five days. */
const INITIAL_USE = 1.5;
const SETTLED_DAY = 5;

/** The use of the region by day, as Tankwatch estimates it from the tanks with sensors. */
export class UseOfRegion {
  readonly #rates: Readonly<Record<UseClass, number[]>> = { residential: [], commercial: [] };

  use(kind: RegionKind, day: number): number {
    return this.#rates[classOf(kind)][day] ?? this.#rates[classOf(kind)].at(-1) ?? INITIAL_USE;
  }

  lastWeek(kind: RegionKind, day: number): number {
    const week = this.#rates[classOf(kind)].slice(Math.max(0, day - 7), day);
    return week.length === 0 ? INITIAL_USE : mean(week);
  }

  endOfDay(day: number, tanks: readonly WinterTank[]): void {
    for (const useClass of ['residential', 'commercial'] as const) {
      const rates = sensorTanks(tanks, useClass).map(({ state }) => state.level?.rate ?? INITIAL_USE);
      this.#rates[useClass].push(day < SETTLED_DAY ? INITIAL_USE : (regionalRate(rates) ?? INITIAL_USE));
    }
  }

  prior(kind: RegionKind, day: number, tanks: readonly WinterTank[]): ScalePrior {
    const rates = sensorTanks(tanks, classOf(kind)).map(({ state }) => state.level?.slowRate ?? INITIAL_USE);
    return scalePrior(rates, this.use(kind, day));
  }
}

const sensorTanks = (tanks: readonly WinterTank[], useClass: UseClass): WinterTank[] =>
  tanks.filter(({ dipped, kind }) => dipped === null && classOf(kind) === useClass);
