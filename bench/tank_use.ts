import type { Random } from '../src/simulation/random.ts';

/**
 * How a tank is used. The ranges are those measured on real tanks: houses heated with oil or gas, filling stations and
 * mines, generators, tanks used on some days only, tanks used in one season, depots from which trucks fetch.
 */
export const TANK_KINDS = ['household', 'busy', 'generator', 'sporadic', 'seasonal', 'depot'] as const;
export type TankKind = (typeof TANK_KINDS)[number];

export interface TankUse {
  kind: TankKind;
  /** Points used on each day of the year. */
  perDay: Float32Array;
  /** Days on which use begins or changes by more than a factor of two for a season. */
  onsets: readonly number[];
  /** The factor of each weekday, from the weekday of 1 January on. */
  weekdays: readonly number[];
  /**
   * The expected use of the day `daysAfter` days after `today`, by the model of the tank and its parameters. The days up to today
   * are known; the random numbers to come are not, nor when a season begins or ends.
   */
  expectedUse: (today: number, daysAfter: number) => number;
  /** Points that trucks fetch, by the hour of the year. */
  fetched: ReadonlyMap<number, number>;
}

const DAYS = 366;

export function tankUse(random: Random, kind: TankKind): TankUse {
  const onsets: number[] = [];
  const { perDay: base, expected, fetched = new Map<number, number>() } = BASE[kind](random, onsets);
  const minFactor = kind === 'busy' ? 0.6 : 0.9;
  const weekdays = Array.from({ length: 7 }, () => random.between(minFactor, 1.2));
  const mean = weekdays.reduce((sum, factor) => sum + factor, 0) / 7;
  return {
    kind,
    perDay: base.map((use, day) => (use * (weekdays[day % 7] ?? 1)) / mean),
    onsets,
    weekdays: weekdays.map((factor) => factor / mean),
    expectedUse: (today, daysAfter) => (expected(today, daysAfter) * (weekdays[(today + daysAfter) % 7] ?? 1)) / mean,
    fetched,
  };
}

/** The use of each day without the factor of its weekday, and the expected use. */
interface BaseUse {
  perDay: Float32Array;
  expected: TankUse['expectedUse'];
  fetched?: TankUse['fetched'];
}

type UseModel = (random: Random, onsets: number[]) => BaseUse;

const BASE: Readonly<Record<TankKind, UseModel>> = {
  household,
  busy,
  generator,
  sporadic,
  seasonal,
  depot,
};

function busy(random: Random): BaseUse {
  const mean = random.between(5, 16);
  const days = new IrregularDays(random, 0.6, random.between(0.2, 0.35));
  return {
    perDay: days.factors.map((factor) => mean * factor),
    expected: (today, daysAfter) => mean * days.expected(today, daysAfter),
  };
}

/** Uses three to eight times as much in winter as in summer. 60 % switch the heating on and off on one day. */
function household(random: Random, onsets: number[]): BaseUse {
  const mean = random.betweenLog(0.3, 2.5);
  const amplitude = Math.log(random.between(3, 7.6)) / 2;
  const days = new IrregularDays(random, 0.75, random.between(0.2, 0.45));
  const isSwitched = random.chance(0.6);
  const offDay = Math.round(random.between(100, 140));
  const onDay = Math.round(random.between(260, 300));
  const summerShare = random.between(0.15, 0.35);
  if (isSwitched) onsets.push(onDay);
  const isOff = (day: number): boolean => isSwitched && day >= offDay && day < onDay;
  const season = (day: number, isHeatingOff: boolean): number =>
    isHeatingOff
      ? summerShare
      : Math.exp((isSwitched ? 0.5 : 1) * amplitude * Math.cos((2 * Math.PI * (day - 15)) / 365));
  return {
    perDay: days.factors.map((factor, day) => mean * factor * season(day, isOff(day))),
    expected: (today, daysAfter) => mean * season(today + daysAfter, isOff(today)) * days.expected(today, daysAfter),
  };
}

/** Runs evenly all the time, or runs for 5 to 20 days and stands still for 5 to 30. */
function generator(random: Random, onsets: number[]): BaseUse {
  const running = random.between(6, 16);
  const days = new IrregularDays(random, 0.3, random.between(0.05, 0.12));
  if (random.chance(0.5)) {
    return {
      perDay: days.factors.map((factor) => running * factor),
      expected: (today, daysAfter) => running * days.expected(today, daysAfter),
    };
  }
  let isRunning = random.chance(0.5);
  let until = random.between(5, 30);
  const perDay = days.factors.map((factor, day) => {
    if (day >= until) {
      isRunning = !isRunning;
      until = day + random.between(5, isRunning ? 20 : 30);
      if (isRunning) onsets.push(day);
    }
    return isRunning ? running * factor : 0;
  });
  return {
    perDay,
    expected: (today, daysAfter) => ((perDay[today] ?? 0) > 0 ? running * days.expected(today, daysAfter) : 0),
  };
}

const SPORADIC_CHANGES = 0.4;

/** Uses nothing on half of the days. */
function sporadic(random: Random): BaseUse {
  const mean = random.between(0.7, 3);
  const days = new IrregularDays(random, 0.5, random.between(0.3, 0.6));
  let isUsed = true;
  const perDay = days.factors.map((factor) => {
    if (random.chance(SPORADIC_CHANGES)) isUsed = !isUsed;
    return isUsed ? 2 * mean * factor : 0;
  });
  return {
    perDay,
    expected: (today, daysAfter) => {
      const memory = (1 - 2 * SPORADIC_CHANGES) ** daysAfter * ((perDay[today] ?? 0) > 0 ? 1 : -1);
      return mean * (1 + memory) * days.expected(today, daysAfter);
    },
  };
}

/** Is idle for months and then used for a season, as a grain dryer or a holiday home. */
function seasonal(random: Random, onsets: number[]): BaseUse {
  const running = random.between(1.5, 8);
  const days = new IrregularDays(random, 0.75, random.between(0.2, 0.4));
  const onDay = Math.round(random.between(60, 160));
  const offDay = onDay + Math.round(random.between(60, 150));
  const idle = random.pickShare([0, 0.6], [0.05, 0.4]);
  onsets.push(onDay);
  const use = (day: number): number => (day >= onDay && day < offDay ? running : idle);
  return {
    perDay: days.factors.map((factor, day) => use(day) * factor),
    expected: (today, daysAfter) => use(today) * days.expected(today, daysAfter),
  };
}

/** Uses nothing. Every few days a truck fetches a batch, within an hour between 6:00 and 18:00. */
function depot(random: Random): BaseUse {
  const fetched = new Map<number, number>();
  const batch = random.between(15, 35);
  const everyDays = random.between(1.5, 5);
  for (let day = 1; day < DAYS; day += Math.max(1, Math.round(everyDays * random.between(0.5, 1.5)))) {
    fetched.set(day * 24 + Math.floor(random.between(6, 18)), batch * random.between(0.6, 1.2));
  }
  return { perDay: new Float32Array(DAYS), expected: () => batch / everyDays, fetched };
}

/** Factors with a mean of 1 whose logarithms are correlated with those of the previous day. */
class IrregularDays {
  readonly factors = new Float32Array(DAYS);
  readonly #resemblance: number;
  readonly #deviation: number;

  constructor(random: Random, resemblance: number, deviation: number) {
    this.#resemblance = resemblance;
    this.#deviation = deviation;
    let log = deviation * random.normal();
    for (let day = 0; day < DAYS; day++) {
      log = resemblance * log + Math.sqrt(1 - resemblance ** 2) * deviation * random.normal();
      this.factors[day] = Math.exp(log - deviation ** 2 / 2);
    }
  }

  /** The expected factor of the day `daysAfter` days after `today`, whose factor is known. */
  expected(today: number, daysAfter: number): number {
    const half = this.#deviation ** 2 / 2;
    const memory = this.#resemblance ** daysAfter;
    return Math.exp(memory * (Math.log(this.factors[today] ?? 1) + half) - half * memory ** 2);
  }
}
