import { pickShare, type Random } from './random.ts';

/**
 * How a tank is used. The ranges are those measured on real tanks: houses heated with oil or gas, filling stations and
 * mines, generators, tanks used on some days only, tanks used in one season.
 */
export const TANK_KINDS = ['household', 'busy', 'generator', 'sporadic', 'seasonal'] as const;
export type TankKind = (typeof TANK_KINDS)[number];

export interface TankUse {
  kind: TankKind;
  /** Points used on each day of the year. */
  perDay: Float32Array;
  /** Days on which use begins or changes by more than a factor of two for a season. */
  onsets: readonly number[];
  /** How each weekday differs, from the first day of the year on. */
  weekdays: readonly number[];
}

const DAYS = 366;

export function tankUse(random: Random, kind: TankKind): TankUse {
  const onsets: number[] = [];
  const base = BASE[kind](random, onsets);
  const [fewest, most] = kind === 'busy' ? [0.6, 1.2] : [0.9, 1.2];
  const weekdays = Array.from({ length: 7 }, () => random.between(fewest, most));
  const mean = weekdays.reduce((sum, factor) => sum + factor, 0) / 7;
  return {
    kind,
    perDay: base.map((use, day) => (use * (weekdays[day % 7] ?? 1)) / mean),
    onsets,
    weekdays: weekdays.map((factor) => factor / mean),
  };
}

type UseModel = (random: Random, onsets: number[]) => Float32Array;

const BASE: Readonly<Record<TankKind, UseModel>> = {
  household,
  busy: (random) => {
    const mean = random.between(5, 16);
    return irregularDays(random, 0.6, random.between(0.2, 0.35)).map((factor) => mean * factor);
  },
  generator,
  sporadic,
  seasonal,
};

/** Three to eight times as much in winter as in summer; most begin and end heating within days. */
function household(random: Random, onsets: number[]): Float32Array {
  const mean = random.betweenLog(0.3, 2.5);
  const amplitude = Math.log(random.between(3, 7.6)) / 2;
  const factors = irregularDays(random, 0.75, random.between(0.2, 0.45));
  const isSwitched = random.chance(0.6);
  const offDay = Math.round(random.between(100, 140));
  const onDay = Math.round(random.between(260, 300));
  const summerShare = random.between(0.15, 0.35);
  if (isSwitched) onsets.push(onDay);
  return factors.map((factor, day) => {
    if (isSwitched && day >= offDay && day < onDay) return mean * summerShare * factor;
    return mean * factor * Math.exp((isSwitched ? 0.5 : 1) * amplitude * Math.cos((2 * Math.PI * (day - 15)) / 365));
  });
}

/** Runs evenly all the time, or for some weeks and then not at all. */
function generator(random: Random, onsets: number[]): Float32Array {
  const running = random.between(6, 16);
  const factors = irregularDays(random, 0.3, random.between(0.05, 0.12));
  if (random.chance(0.5)) return factors.map((factor) => running * factor);
  let isRunning = random.chance(0.5);
  let until = random.between(5, 30);
  return factors.map((factor, day) => {
    if (day >= until) {
      isRunning = !isRunning;
      until = day + random.between(5, isRunning ? 20 : 30);
      if (isRunning) onsets.push(day);
    }
    return isRunning ? running * factor : 0;
  });
}

/** Half of the days use nothing. */
function sporadic(random: Random): Float32Array {
  const mean = random.between(0.7, 3);
  const spread = random.between(0.3, 0.6);
  let isUsed = true;
  return irregularDays(random, 0.5, spread).map((factor) => {
    if (random.chance(0.4)) isUsed = !isUsed;
    return isUsed ? 2 * mean * factor : 0;
  });
}

/** Idle for months, then used for a season: a grain dryer, a holiday home. */
function seasonal(random: Random, onsets: number[]): Float32Array {
  const running = random.between(1.5, 8);
  const factors = irregularDays(random, 0.75, random.between(0.2, 0.4));
  const onDay = Math.round(random.between(60, 160));
  const offDay = onDay + Math.round(random.between(60, 150));
  const idle = pickShare(random, [0, 0.6], [0.05, 0.4]);
  onsets.push(onDay);
  return factors.map((factor, day) => (day >= onDay && day < offDay ? running * factor : idle * factor));
}

/** Factors with a mean of 1 whose logarithms resemble those of the day before. */
function irregularDays(random: Random, resemblance: number, deviation: number): Float32Array {
  const days = new Float32Array(DAYS);
  let log = deviation * random.normal();
  for (let day = 0; day < DAYS; day++) {
    log = resemblance * log + Math.sqrt(1 - resemblance ** 2) * deviation * random.normal();
    days[day] = Math.exp(log - deviation ** 2 / 2);
  }
  return days;
}
