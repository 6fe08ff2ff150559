import type { UseCase } from '../catalog/use_case.ts';
import { DAY_MS, HOUR_MS } from '../values/time.ts';
import type { Random } from './random.ts';

/** The use, the refills and the gauge of a simulated tank. */
export interface TankLife {
  useCase: UseCase;
  /** Use on an average day, in percentage points. */
  usePerDay: number;
  /** The additional use on the coldest day, as a share. 1 doubles the use. */
  winterShare: number;
  isClosedOnSundays: boolean;
  /** A refill is ordered below this fill percentage. */
  refillBelow: number;
  /** The gauge rounds to this step, in percentage points. */
  gaugeStep: number;
  /** The offset of local time, for the hours of use and of refills. */
  hoursFromUtc: number;
}

export interface SimulatedReading {
  atMs: number;
  fillPercentage: number;
}

const YEAR_MS = 365.25 * DAY_MS;
/** Use is constant within a step, and refills happen at its end. With this step, six months of a tank take 1 ms. */
const STEP_MS = HOUR_MS / 4;
/** Above the limit of 80 % for propane, because gauges and drivers are inexact. */
const MAX_LEVEL_PERCENT = 87;

/** Use per weekday from Sunday, relative to an average day. */
const WEEK = {
  residential: [1.2, 0.95, 0.95, 0.95, 0.95, 1, 1.2],
  commercial: [0.9, 0.9, 0.9, 0.95, 1, 1.2, 1.15],
  industrial: [0.6, 1.1, 1.1, 1.1, 1.1, 1.1, 0.9],
} as const;

/** Use per hour of the day from midnight, as weights. */
const HOURS = {
  residential: [1, 1, 1, 1, 2, 5, 9, 9, 5, 3, 3, 4, 5, 4, 2, 2, 3, 5, 7, 9, 8, 5, 3, 1],
  commercial: [1, 0, 0, 0, 0, 1, 3, 5, 5, 5, 6, 8, 9, 9, 7, 5, 5, 6, 8, 9, 9, 7, 4, 2],
  industrial: [2, 2, 2, 2, 2, 3, 7, 9, 9, 9, 9, 8, 7, 9, 9, 9, 8, 5, 3, 3, 2, 2, 2, 2],
} as const;

const HOURS_TOTAL = {
  residential: sum(HOURS.residential),
  commercial: sum(HOURS.commercial),
  industrial: sum(HOURS.industrial),
};

/** Returns a typical life of a tank with this use case. The tank is refilled around its alert threshold. */
export function planLife(
  random: Random,
  tank: { useCase: UseCase; alertPercentage: number; longitude: number | null },
): TankLife {
  const { useCase, alertPercentage, longitude } = tank;
  const [minUse, maxUse] = { residential: [0.4, 1.6], commercial: [1, 3], industrial: [2, 5] }[useCase];
  const isHeating = useCase === 'residential' && random.chance(0.5);
  return {
    useCase,
    usePerDay: random.between(minUse ?? 1, maxUse ?? 1),
    winterShare: isHeating ? random.between(0.7, 1.3) : random.between(0, 0.2),
    isClosedOnSundays: useCase !== 'residential' && random.chance(0.5),
    refillBelow: Math.min(50, Math.max(5, alertPercentage + random.between(-6, 8))),
    gaugeStep: random.pick([1, 1, 0.5, 0.1]),
    hoursFromUtc: Math.round((longitude ?? 0) / 15),
  };
}

/**
 * A simulated tank. Times of calls must not decrease. The level and the error of the gauge use separate random numbers, so that one seed
 * gives the same levels however often the gauge is read.
 */
export class VirtualTank {
  readonly #life: TankLife;
  readonly #random: Random;
  readonly #gauge: Random;
  /** The level at `#atMs`, the end of the last whole step. */
  #fill: number;
  #atMs: number;
  #dayFactor: number;
  #truckAtMs: number | undefined;

  constructor(life: TankLife, random: Random, start: { atMs: number; fill?: number }) {
    this.#life = life;
    this.#random = random;
    this.#gauge = random.fork();
    this.#atMs = start.atMs - mod(start.atMs, STEP_MS);
    this.#fill = start.fill ?? random.between(life.refillBelow, MAX_LEVEL_PERCENT);
    this.#dayFactor = this.#drawDay();
  }

  /** Returns the true fill percentage. */
  fillAt(atMs: number): number {
    while (atMs >= this.#atMs + STEP_MS) this.#step();
    const share = Math.max(0, atMs - this.#atMs) / STEP_MS;
    return Math.max(0, this.#fill - share * this.#useOfStep());
  }

  /** Returns the reading of the gauge: higher when the gas is warm, with noise, rounded to the step of the gauge. */
  read(atMs: number): SimulatedReading {
    const afternoon = Math.sin((2 * Math.PI * (this.#localMs(atMs) - 9 * HOUR_MS)) / DAY_MS);
    const measured = this.fillAt(atMs) + 0.6 * afternoon + this.#gauge.noise(0.25);
    const rounded = Math.round(measured / this.#life.gaugeStep) * this.#life.gaugeStep;
    return { atMs, fillPercentage: Math.round(Math.min(100, Math.max(0, rounded)) * 100) / 100 };
  }

  #step(): void {
    this.#fill = Math.max(0, this.#fill - this.#useOfStep());
    this.#atMs += STEP_MS;
    if (mod(this.#localMs(this.#atMs), DAY_MS) === 0) this.#dayFactor = this.#drawDay();
    if (this.#truckAtMs !== undefined && this.#atMs >= this.#truckAtMs) {
      this.#fill = this.#drawRefilledLevel();
      this.#truckAtMs = undefined;
    }
    if (this.#truckAtMs === undefined && this.#fill < this.#life.refillBelow) this.#truckAtMs = this.#callTruck();
  }

  #useOfStep(): number {
    const { useCase, usePerDay } = this.#life;
    const hour = Math.floor(mod(this.#localMs(this.#atMs), DAY_MS) / HOUR_MS);
    const shareOfDay = (HOURS[useCase][hour] ?? 0) / HOURS_TOTAL[useCase];
    return usePerDay * this.#dayFactor * shareOfDay * (STEP_MS / HOUR_MS);
  }

  /** Returns the use of a day relative to an average day, from weekday, season and chance. */
  #drawDay(): number {
    const { useCase, winterShare, isClosedOnSundays } = this.#life;
    const luck = this.#random.between(0.6, 1.4);
    const weekday = weekdayOf(this.#localMs(this.#atMs));
    if (isClosedOnSundays && weekday === 0) return 0;
    const winter = Math.max(0, Math.cos((2 * Math.PI * (this.#atMs - 14 * DAY_MS)) / YEAR_MS)); // coldest in mid January
    return luck * (WEEK[useCase][weekday] ?? 1) * (1 + winterShare * winter);
  }

  /** Returns the time of the refill: in working hours, never on a Sunday, and in 3 % of all cases after the tank is empty. */
  #callTruck(): number {
    const daysLeft = this.#fill / this.#life.usePerDay;
    const isForgotten = this.#random.chance(0.03);
    const days = daysLeft * (isForgotten ? this.#random.between(1, 1.4) : this.#random.between(0.1, 0.6));
    const comesMs = this.#localMs(this.#atMs) + Math.min(20, Math.max(0.25, days)) * DAY_MS;
    const dayMs = comesMs - mod(comesMs, DAY_MS) + (weekdayOf(comesMs) === 0 ? DAY_MS : 0);
    const atMs = dayMs + this.#random.between(7, 17) * HOUR_MS - this.#life.hoursFromUtc * HOUR_MS;
    return Math.max(atMs, this.#atMs + STEP_MS);
  }

  /** Returns the level after a refill: full, or lower if the truck did not have enough. */
  #drawRefilledLevel(): number {
    const isPartial = this.#random.chance(0.1);
    return isPartial
      ? Math.min(MAX_LEVEL_PERCENT, this.#fill + this.#random.between(15, 35))
      : Math.max(this.#fill, this.#random.between(78, MAX_LEVEL_PERCENT));
  }

  #localMs(atMs: number): number {
    return atMs + this.#life.hoursFromUtc * HOUR_MS;
  }
}

/** Returns the weekday, where 0 is Sunday. 1970-01-01 was a Thursday. */
const weekdayOf = (localMs: number): number => mod(Math.floor(localMs / DAY_MS) + 4, 7);

const mod = (value: number, by: number): number => ((value % by) + by) % by;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
