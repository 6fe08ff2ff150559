import { evaluate } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../../src/evaluation/pure/alerts/tank_state.ts';
import type { ScalePrior } from '../../src/evaluation/pure/dips/dip_filter.ts';
import { expectedRegionalUse, regionalRate, scalePrior } from '../../src/evaluation/pure/dips/regional_use.ts';
import { Random } from '../../src/simulation/random.ts';
import { mean } from '../../src/values/statistics.ts';
import { atLeast, atMost, type Check, figure } from '../report.ts';
import { type TankKind, tankUse } from '../tank_use.ts';
import { askDippedTank, coverageOf, type DipCoverage, type DipQuestion } from './dip_scores.ts';
import { LAST_DAY, makeRegion, type RegionTank, regionMs, SCORED_FROM, showLevel, useBetween } from './region.ts';
import { classOf, type UseClass } from './use_of_region.ts';

const WINTER_SEEDS = [260_601, 260_602, 260_603, 260_604];
/** Depots are left out: trucks fetch gas there, and no rounds are planned for them. */
const YEAR_KINDS: readonly TankKind[] = ['household', 'busy', 'generator', 'sporadic', 'seasonal'];
const YEAR_SEEDS = [260_701, 260_702];
/** Only these kinds have a target. Others have a figure: a season that begins on any day cannot be predicted. */
const PROMISED = ['heating', 'cooking'];
const FIRST_DAY = 14;

export interface DipScores {
  checks: Check[];
  winter: Record<string, DipCoverage>;
  winterWithoutDips: DipCoverage;
  year: Record<string, DipCoverage>;
}

export function scoreDips(isQuick: boolean, log: (line: string) => void): DipScores {
  const winter = askWinters(isQuick, true);
  const winterCoverage = coverageByKind(winter);
  const year = Object.fromEntries(YEAR_KINDS.map((kind) => [kind, coverageOf(askYears(kind, isQuick))]));
  for (const [name, coverage] of Object.entries({ ...winterCoverage, ...year }))
    log(`${name}: ${JSON.stringify(coverage)}`);
  const others = { ...winterCoverage, ...prefixed('whole year: ', year) };
  return {
    checks: [
      ...PROMISED.flatMap((kind) => {
        const inside = winterCoverage[kind]?.inside ?? 0;
        return [
          atLeast(`without a sensor, ${kind}: share inside the range`, inside, 0.75),
          atMost(`without a sensor, ${kind}: share inside the range`, inside, 0.9),
        ];
      }),
      ...Object.entries(others).flatMap(([kind, { inside }]) =>
        PROMISED.includes(kind) ? [] : [figure(`without a sensor, ${kind}: share inside the range`, inside)],
      ),
    ],
    winter: winterCoverage,
    winterWithoutDips: coverageOf([...askWinters(isQuick, false).values()].flat()),
    year,
  };
}

const prefixed = <T>(prefix: string, values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));

const coverageByKind = (questions: ReadonlyMap<string, DipQuestion[]>): Record<string, DipCoverage> =>
  Object.fromEntries([...questions].map(([kind, asked]) => [kind, coverageOf(asked)]));

/** Asks 130 tanks without a sensor in winters with cold spells. 130 other tanks with sensors show the use of the region. */
export function askWinters(isQuick: boolean, hasDips: boolean): Map<string, DipQuestion[]> {
  const asked = new Map<string, DipQuestion[]>();
  const tanks = isQuick ? 50 : 130;
  for (const seed of WINTER_SEEDS.slice(0, isQuick ? 1 : WINTER_SEEDS.length)) {
    const region = makeRegion(seed, 2 * tanks);
    const uses = regionalUses(region.tanks.slice(0, tanks));
    for (const tank of region.tanks.slice(tanks)) {
      const { rates, prior } = uses[classOf(tank.kind)];
      const questions = askDippedTank({
        random: new Random(tank.seed + 1),
        number: tank.number,
        use: tank.use,
        firstFill: tank.firstFill,
        orderBelow: [0, 35],
        regionalUse: (day) => rates[day] ?? 1,
        expectedFrom: (day) => expectedRegionalUse(mean(rates.slice(Math.max(0, day - 7), day)), null, 1),
        prior,
        from: FIRST_DAY,
        to: LAST_DAY + 1,
        askedFrom: SCORED_FROM,
        end: tank.use.length,
        hasDips,
      });
      // A tank that is not empty on the last known day has no true day to compare with.
      const answered = questions.filter(({ trueDays }) => trueDays !== Number.POSITIVE_INFINITY);
      asked.set(tank.kind, [...(asked.get(tank.kind) ?? []), ...answered]);
    }
  }
  return asked;
}

/** Learns the daily rate of each class of use, and the prior, from what the product's estimator sees on tanks with sensors. */
function regionalUses(tanks: readonly RegionTank[]): Record<UseClass, { rates: number[]; prior: ScalePrior }> {
  const ratesOf = new Map(tanks.map((tank) => [tank, estimateRates(tank)]));
  const learnClass = (useClass: UseClass): { rates: number[]; prior: ScalePrior } => {
    const members = tanks.filter(({ kind }) => classOf(kind) === useClass).map((tank) => ratesOf.get(tank) ?? []);
    const rates = Array.from(
      { length: LAST_DAY + 1 },
      (_, day) => regionalRate(members.map((list) => list[day] ?? 1)) ?? 1,
    );
    const recentRate = (list: readonly number[]): number => mean(list.slice(FIRST_DAY - 4, FIRST_DAY + 1));
    return { rates, prior: scalePrior(members.map(recentRate), recentRate(rates)) };
  };
  return { residential: learnClass('residential'), commercial: learnClass('commercial') };
}

function estimateRates(tank: RegionTank): number[] {
  const random = new Random(tank.seed);
  const settings = { minFillAlertPercentage: 20, capacity: tank.capacityLiters, capacityUnit: 'liters' } as const;
  let state: TankState = INITIAL_STATE;
  let fill = tank.firstFill;
  return Array.from({ length: LAST_DAY + 1 }, (_, day) => {
    for (const hour of [0, 6, 12, 18]) {
      const time = day + hour / 24;
      fill = Math.max(0, fill - useBetween(tank.use, time - 0.25, time));
      if (hour === 12 && fill < 20) fill = 80;
      const fillPercentage = showLevel(random, tank.gauge, fill, hour);
      state = evaluate(settings, state, { kind: 'reading', atMs: regionMs(time), fillPercentage }).state;
    }
    return state.level?.rate ?? 1;
  });
}

/** Asks tanks of one kind of the realistic fleet for a year. The expected season is that of other tanks of the kind. */
function askYears(kind: TankKind, isQuick: boolean): DipQuestion[] {
  const make = (count: number, seed: number): { random: Random; use: Float32Array; number: number }[] =>
    Array.from({ length: count }, (_, number) => {
      const random = new Random(seed * 1_000_003 + number * 7_919);
      return { random, use: tankUse(random, kind).perDay, number };
    });
  return YEAR_SEEDS.slice(0, isQuick ? 1 : YEAR_SEEDS.length).flatMap((seed) => {
    const sensors = make(80, seed);
    const rates = smoothed(meanUses(sensors), 2, 0);
    const lastYear = smoothed(meanUses(make(80, seed + 99)), 10, 10);
    const firstMonth = (use: ArrayLike<number>): number => mean(Array.from(use).slice(0, 30));
    const prior = scalePrior(
      sensors.map(({ use }) => firstMonth(use)),
      firstMonth(rates),
    );
    return make(isQuick ? 30 : 120, seed + 17).flatMap(({ random, use, number }) =>
      askDippedTank({
        random,
        number,
        use,
        firstFill: random.between(40, 80),
        orderBelow: [5, 35],
        regionalUse: (day) => rates[day] ?? 1,
        expectedFrom: (day) => {
          const lastWeek = mean(rates.slice(Math.max(0, day - 7), day));
          return expectedRegionalUse(
            lastWeek,
            (ahead) => lastYear[(day + ahead) % 365] ?? 1,
            lastYear[(day + 361) % 365] ?? 1,
          );
        },
        prior,
        from: 1,
        to: 305,
        askedFrom: 46,
        end: 365,
        hasDips: true,
      }),
    );
  });
}

const meanUses = (tanks: readonly { use: Float32Array }[]): number[] =>
  Array.from({ length: 366 }, (_, day) => mean(tanks.map(({ use }) => use[day] ?? 0)));

/** Means of the days around each day. The first day of the year follows the last one. */
function smoothed(values: readonly number[], before: number, after: number): number[] {
  const around = Array.from({ length: before + after + 1 }, (_, index) => index - before);
  return values.map((_, day) => mean(around.map((days) => values[(day + days + 365) % 365] ?? 0)));
}
