import type { Coordinates } from '../../src/deliveries/pure/rounds/distances.ts';
import type { Weekday } from '../../src/deliveries/pure/rounds/next_visit.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS } from '../../src/values/time.ts';

/** A region: towns around a depot, one weather, and tanks. Days count from 1 September, a Monday. */
export interface Region {
  /** Mean temperature of each day. */
  celsius: Float64Array;
  towns: Town[];
  tanks: RegionTank[];
}

export interface Town {
  x: number;
  y: number;
  number: number;
  size: number;
  spread: number;
  deliveryDays: readonly Weekday[];
}

export type RegionKind = 'heating' | 'cooking' | 'business' | 'sporadic';

export interface RegionTank {
  number: number;
  town: Town;
  place: Coordinates;
  kind: RegionKind;
  capacityLiters: number;
  /** Points used on each day. */
  use: Float64Array;
  gauge: RegionGauge;
  firstFill: number;
  seed: number;
}

export interface RegionGauge {
  noise: number;
  step: number;
  wave: number;
}

export const REGION_STARTS_MS = Date.UTC(2025, 8, 1);
/** Winter is scored from 1 November to 31 March. Forty days more are known, to see when a tank would have been empty. */
export const SCORED_FROM = 61;
export const LAST_DAY = 211;
const DAYS = LAST_DAY + 41;
/** How full a truck fills a tank, in percent. */
export const FILL_TO = 80;
/** A place in Mexico. Distances are short enough for a flat map. */
export const DEPOT: Coordinates = { latitude: 19.4, longitude: -99.1 };
const KM_PER_DEGREE = 111.195;

export const regionMs = (day: number): number => REGION_STARTS_MS + Math.round(day * DAY_MS);

export function makeRegion(seed: number, tanks: number): Region {
  const random = new Random(seed);
  const celsius = weatherOf(random);
  const towns = townsOf(random, 10);
  return {
    celsius,
    towns,
    tanks: Array.from({ length: tanks }, (_, number) => tankOf(random, towns, celsius, number)),
  };
}

/** The mean is lowest, 2 degrees, in the middle of January. There are four cold spells of three to seven days. */
function weatherOf(random: Random): Float64Array {
  const spells = Array.from({ length: 4 }, () => ({
    from: Math.floor(random.between(75, 205)),
    days: Math.floor(random.between(3, 8)),
    degrees: random.between(5, 10),
  }));
  let anomaly = 0;
  return Float64Array.from({ length: DAYS }, (_, day) => {
    anomaly = 0.78 * anomaly + Math.sqrt(1 - 0.78 ** 2) * 3.5 * random.normal();
    const cold = spells.reduce(
      (sum, { from, days, degrees }) => sum + (day >= from && day < from + days ? degrees : 0),
      0,
    );
    return 11 - 9 * Math.cos((2 * Math.PI * (day - 137)) / 365) + anomaly - cold;
  });
}

export const heatingDegrees = (celsius: number): number => Math.max(0, 17 - celsius);

/** Divides the towns by direction into three groups, each with two delivery days. */
function townsOf(random: Random, count: number): Town[] {
  const towns = Array.from({ length: count }, (_, number) => {
    const km = random.between(6, 50);
    const angle = (2 * Math.PI * (number + random.between(0, 0.6))) / count;
    const size = random.betweenLog(1, 5);
    return { x: km * Math.cos(angle), y: km * Math.sin(angle), angle, size, spread: random.between(0.8, 2) };
  }).toSorted((a, b) => a.angle - b.angle);
  const groups: readonly (readonly Weekday[])[] = [
    [1, 4],
    [2, 5],
    [3, 6],
  ];
  return towns.map((town, number) => ({
    ...town,
    number,
    deliveryDays: groups[Math.min(2, Math.floor((3 * number) / count))] ?? [],
  }));
}

function tankOf(random: Random, towns: readonly Town[], celsius: Float64Array, number: number): RegionTank {
  const town = pickTown(random, towns);
  const spread = random.chance(0.15) ? 6 : town.spread; // outside of the town
  const x = town.x + spread * random.normal();
  const y = town.y + spread * random.normal();
  const kind = random.pickShare<RegionKind>(['heating', 0.6], ['cooking', 0.15], ['business', 0.15], ['sporadic', 0.1]);
  const { use, capacityLiters } = USES[kind](random, celsius);
  const gauge = {
    noise: random.chance(0.6) ? random.betweenLog(0.05, 0.4) : random.between(0.3, 1),
    step: random.pickShare([0.1, 0.4], [0.4, 0.2], [1, 0.4]),
    wave: random.between(0, 1),
  };
  return {
    number,
    town,
    place: {
      latitude: DEPOT.latitude + y / KM_PER_DEGREE,
      longitude: DEPOT.longitude + x / (KM_PER_DEGREE * Math.cos((DEPOT.latitude * Math.PI) / 180)),
    },
    kind,
    capacityLiters,
    use,
    gauge,
    firstFill: random.between(30, 85),
    seed: Math.floor(random.next() * 2 ** 31),
  };
}

function pickTown(random: Random, towns: readonly Town[]): Town {
  let left = random.next() * towns.reduce((sum, { size }) => sum + size, 0);
  const picked = towns.find(({ size }) => {
    left -= size;
    return left < 0;
  });
  if (picked === undefined) throw new RangeError('a region without towns');
  return picked;
}

type UseOf = (random: Random, celsius: Float64Array) => { use: Float64Array; capacityLiters: number };

const USES: Readonly<Record<RegionKind, UseOf>> = {
  heating(random, celsius) {
    const capacityLiters = random.pickShare([300, 0.35], [500, 0.4], [1_000, 0.25]);
    const winter = random.betweenLog(1, 4);
    const share = random.between(0.1, 0.35);
    const days = irregularDays(random, 0.75, random.between(0.15, 0.35));
    const [awayFrom, awayDays] = random.chance(0.15) ? [random.between(70, 200), random.between(5, 14)] : [-9, 0];
    const use = days.map((factor, day) => {
      const heat = (heatingDegrees(celsius[day] ?? 0) / 13) * (1 - share) + share;
      return winter * heat * factor * (day >= awayFrom && day < awayFrom + awayDays ? 0.25 : 1);
    });
    return { use, capacityLiters };
  },
  cooking(random) {
    const capacityLiters = random.pickShare([120, 0.3], [300, 0.5], [500, 0.2]);
    const perDay = random.betweenLog(0.5, 2);
    const days = irregularDays(random, 0.5, random.between(0.2, 0.4));
    return { use: days.map((factor) => perDay * factor), capacityLiters };
  },
  business(random, celsius) {
    const capacityLiters = random.pickShare([1_000, 0.4], [2_800, 0.4], [5_000, 0.2]);
    const perDay = random.betweenLog(2, 7);
    const heat = random.between(0, 0.5);
    const days = irregularDays(random, 0.6, random.between(0.15, 0.35));
    const week = Array.from({ length: 7 }, () => random.between(0.6, 1.2));
    const weekMean = week.reduce((sum, factor) => sum + factor, 0) / 7;
    const use = days.map((factor, day) => {
      const warm = 1 - heat + (heat * heatingDegrees(celsius[day] ?? 0)) / 13;
      return (perDay * warm * factor * (week[day % 7] ?? 1)) / weekMean;
    });
    return { use, capacityLiters };
  },
  sporadic(random) {
    const capacityLiters = random.pickShare([300, 0.5], [1_000, 0.5]);
    const perDay = random.between(0.7, 2.5);
    const days = irregularDays(random, 0.5, random.between(0.3, 0.6));
    let isUsed = true;
    const use = days.map((factor) => {
      if (random.chance(0.35)) isUsed = !isUsed;
      return isUsed ? 2 * perDay * factor : 0;
    });
    return { use, capacityLiters };
  },
};

/** Factors with a mean of 1 that resemble those of the day before. */
function irregularDays(random: Random, memory: number, spread: number): Float64Array {
  let log = spread * random.normal();
  return Float64Array.from({ length: DAYS }, () => {
    log = memory * log + Math.sqrt(1 - memory ** 2) * spread * random.normal();
    return Math.exp(log - spread ** 2 / 2);
  });
}

/** Points used between two times in days. */
export function useBetween(use: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let day = Math.max(0, Math.floor(from)); day < to && day < use.length; day++)
    sum += (use[day] ?? 0) * (Math.min(to, day + 1) - Math.max(from, day));
  return sum;
}

/** The time in days at which so many points are used up; infinite if that is after the known days. */
export function emptyAt(use: Float64Array, from: number, points: number): number {
  let left = points;
  for (let day = Math.floor(from); day < use.length; day++) {
    const share = Math.min(1, day + 1 - from);
    const used = (use[day] ?? 0) * share;
    if (used >= left && used > 0) return Math.max(from, day) + (left / used) * share;
    left -= used;
  }
  return Number.POSITIVE_INFINITY;
}

/** What the gauge shows at this hour of the day. */
export function showLevel(random: Random, { noise, step, wave }: RegionGauge, fill: number, hour: number): number {
  const level = fill + wave * Math.cos((2 * Math.PI * (hour - 15)) / 24) + noise * random.normal();
  return Math.min(100, Math.max(0, Math.round(Math.round(level / step) * step * 100) / 100));
}
