import type { ComparedDelivery, RefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { confidenceSequenceHalfWidth } from '../../src/deliveries/pure/truck_meters/confidence_sequence.ts';
import { findWorst } from '../../src/deliveries/pure/truck_meters/differing_trucks.ts';
import { learnTruckSpread } from '../../src/deliveries/pure/truck_meters/truck_spread.ts';
import { TruckTotals } from '../../src/deliveries/pure/truck_meters/truck_totals.ts';
import { Random } from '../../src/simulation/random.ts';
import { clamp } from '../../src/values/statistics.ts';
import { atLeast, atMost, type Check, figure, percentile } from '../report.ts';
import { CONDITIONS, compareYear } from './truck_conditions.ts';

const SEED = 260_501;
const CONDITION_SEED = 260_601;
/** The errors of simulated gauges as shares: the constant ones of the tanks, and those that differ with each delivery. */
const SPREAD: RefillSpread = { betweenTanks: 0.037, withinTank: 0.02 };
/** A wrong match is off by up to this. */
const OUTLIER = 0.4;

interface TruckYear {
  trucks: number;
  tanksEach: number;
  deliveriesEach: number;
  comparisons: number;
  /** The share of deliveries that go to any tank instead of one of the truck's own. */
  sharedShare: number;
  outlierShare: number;
  /** The largest error of the meter of an honest truck, as a share. The deviation of the errors is half of it. */
  maxMeterError: number;
  /** What counts as a finding: a flagged truck, trucks that differ, or a truck whose range against the others excludes 0. */
  finding: 'flagged' | 'differ' | 'outside';
  /** The notes of the first truck exceed its deliveries by this share. */
  bias: number;
  /** The number of tanks that the spreads are learned from. */
  learnedFrom: number;
}

const YEAR: TruckYear = {
  trucks: 3,
  tanksEach: 250,
  deliveriesEach: 2_500,
  comparisons: 52,
  sharedShare: 0,
  outlierShare: 0.01,
  maxMeterError: 0.005,
  finding: 'flagged',
  bias: 0,
  learnedFrom: 200,
};

/** Kinds of honest trucks, and their numbers of years. The meters are off by up to 0.5 %, or 1 % if the name says so. */
const HONEST: Readonly<Record<string, { year: Partial<TruckYear>; years: number }>> = {
  'own tanks': { year: {}, years: 700 },
  'half of the stops shared': { year: { sharedShare: 0.5 }, years: 700 },
  'five trucks': { year: { trucks: 5, tanksEach: 100, deliveriesEach: 1_500 }, years: 300 },
  '60 tanks each, learned from 60': { year: { tanksEach: 60, deliveriesEach: 1_500, learnedFrom: 60 }, years: 1_000 },
  '3 % wrong matches': { year: { outlierShare: 0.03, tanksEach: 100 }, years: 500 },
  'meters off by up to 1 %, shared': { year: { maxMeterError: 0.01, sharedShare: 0.5 }, years: 300 },
};

/** Under each condition, organizations with these numbers of trucks are simulated. */
const TRUCKS = [2, 3, 4, 6];
/** Years without a wrong truck. */
const HONEST_YEARS = 70;
/** Years with one wrong truck. */
const WRONG_YEARS = 20;
const BIAS = 0.05;

export interface TruckScores {
  checks: Check[];
  /** Deliveries until an excess of 2, 3, 4 and 5 % is flagged: median and 90 %, or the share of years. */
  deliveriesUntilFlagged: Record<string, Record<string, string>>;
  conditions: ConditionScore[];
}

export interface ConditionScore {
  condition: string;
  /** Honest trucks that were flagged, of all honest truck-years, with and without one wrong truck. */
  honestFlagged: number;
  honestTruckYears: number;
  /** By the number of trucks: the share of years in which the wrong truck was flagged; with two, in which they were found to differ. */
  wrongFound: Record<string, number>;
  /** The share of all years in which all gauges were found to be off. */
  off: number;
}

export function scoreTrucks(isQuick: boolean, log: (line: string) => void): TruckScores {
  const random = new Random(SEED);
  const scale = isQuick ? 0.03 : 1;
  const count = (year: Partial<TruckYear>, years: number): { flagged: number; truckYears: number } => {
    let flagged = 0;
    let truckYears = 0;
    for (let number = 0; number < Math.ceil(years * scale); number++) {
      const result = simulateTruckYear(random, { ...YEAR, ...year });
      truckYears += result.length;
      flagged += result.filter((deliveries) => deliveries !== null).length;
    }
    return { flagged, truckYears };
  };
  const honest = Object.entries(HONEST).map(([name, { year, years }]) => {
    const result = count(year, years);
    log(`trucks: honest, ${name}: ${result.flagged} of ${result.truckYears}`);
    return result;
  });
  const exact = count({ maxMeterError: 0, finding: 'outside' }, 1_400);
  const table = makeTable(random, isQuick ? 4 : 100, log);
  const conditions = scoreConditions(isQuick, log);
  const total = sumOf(honest, ({ truckYears }) => truckYears);
  return {
    checks: [
      atMost(
        'trucks: honest trucks flagged',
        sumOf(honest, ({ flagged }) => flagged),
        0,
      ),
      figure('trucks: honest truck-years', total),
      atMost(
        'trucks: exact meters outside of their range in 1,000 truck-years',
        (1_000 * exact.flagged) / exact.truckYears,
        1,
      ),
      ...checkConditions(conditions),
    ],
    deliveriesUntilFlagged: table,
    conditions,
  };
}

const sumOf = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);

function scoreConditions(isQuick: boolean, log: (line: string) => void): ConditionScore[] {
  const random = new Random(CONDITION_SEED);
  return Object.entries(CONDITIONS).map(([name, condition]) => {
    const score: ConditionScore = { condition: name, honestFlagged: 0, honestTruckYears: 0, wrongFound: {}, off: 0 };
    let years = 0;
    const simulateYear = (trucks: number, bias: number) => {
      const result = compareYear(random, condition, trucks, bias);
      const honest = [...result.flagged].filter((truck) => bias === 0 || truck !== 0);
      score.honestFlagged += honest.length;
      score.honestTruckYears += bias === 0 ? trucks : trucks - 1;
      score.off += result.wasOff ? 1 : 0;
      years++;
      return result;
    };
    for (const trucks of TRUCKS) {
      for (let year = 0; year < (isQuick ? 1 : HONEST_YEARS); year++) simulateYear(trucks, 0);
      const wrongYears = isQuick ? 2 : WRONG_YEARS;
      let found = 0;
      for (let year = 0; year < wrongYears; year++) {
        const { flagged, hasDiffered } = simulateYear(trucks, year % 2 === 0 ? BIAS : -BIAS);
        if (trucks === 2 ? hasDiffered : flagged.has(0)) found++;
      }
      score.wrongFound[trucks] = found / wrongYears;
    }
    score.off /= years;
    log(`trucks: ${name}: ${JSON.stringify(score)}`);
    return score;
  });
}

function checkConditions(conditions: readonly ConditionScore[]): Check[] {
  const able = conditions.filter(({ off }) => off < 0.5);
  const found = able.flatMap(({ wrongFound }) => Object.values(wrongFound));
  return [
    atMost(
      'trucks: honest trucks flagged under all conditions',
      sumOf(conditions, ({ honestFlagged }) => honestFlagged),
      0,
    ),
    figure(
      'trucks: honest truck-years under all conditions',
      sumOf(conditions, ({ honestTruckYears }) => honestTruckYears),
    ),
    atLeast(
      'trucks: one wrong truck of 2, 3, 4 and 6 found, where the gauges are not off together',
      sumOf(found, (share) => share) / found.length,
      0.85,
    ),
    figure('trucks: one wrong truck found, where the gauges are not off together, worst condition', Math.min(...found)),
  ];
}

const TABLE: Readonly<Record<string, Partial<TruckYear>>> = {
  'three trucks, own tanks': { maxMeterError: 0 },
  'three trucks, shared tanks': { sharedShare: 1, maxMeterError: 0 },
  'six trucks, shared tanks': { trucks: 6, sharedShare: 1, maxMeterError: 0 },
  'two trucks, own tanks, differ': { trucks: 2, maxMeterError: 0, finding: 'differ' },
  'two trucks, shared tanks, differ': { trucks: 2, sharedShare: 1, maxMeterError: 0, finding: 'differ' },
};

function makeTable(random: Random, years: number, log: (line: string) => void): TruckScores['deliveriesUntilFlagged'] {
  return Object.fromEntries(
    Object.entries(TABLE).map(([name, options]) => {
      const cells = [0.02, 0.03, 0.04, 0.05].map((bias): [string, string] => {
        const year = { ...YEAR, ...options, bias, deliveriesEach: 2_600, comparisons: 104 };
        const found = Array.from({ length: years }, () => simulateTruckYear(random, year)[0] ?? null);
        return [`${100 * bias} %`, untilFlagged(found)];
      });
      log(`trucks: ${name}: ${cells.map((cell) => cell.join(': ')).join(', ')}`);
      return [name, Object.fromEntries(cells)];
    }),
  );
}

function untilFlagged(found: readonly (number | null)[]): string {
  const share = found.filter((deliveries) => deliveries !== null).length / found.length;
  if (share < 0.9) return share === 0 ? 'never' : `${Math.round(100 * share)} % of years`;
  const known = found.map((deliveries) => deliveries ?? Number.POSITIVE_INFINITY);
  return `${percentile(known, 0.5)} (${percentile(known, 0.9)})`;
}

/** Simulates a year with a comparison about every week. Returns for each truck its deliveries until its first finding, or null. */
export function simulateTruckYear(random: Random, year: TruckYear): (number | null)[] {
  const { trucks, tanksEach, sharedShare, comparisons, deliveriesEach } = year;
  const totals = new TruckTotals(trucks, learnSpread(random, year));
  const gauges = Array.from({ length: trucks * tanksEach }, () => SPREAD.betweenTanks * random.normal());
  const meters = Array.from({ length: trucks }, (_, truck) => {
    const error = clamp((year.maxMeterError / 2) * random.normal(), -year.maxMeterError, year.maxMeterError);
    return (truck === 0 ? year.bias : 0) + error;
  });
  const foundAfter: (number | null)[] = meters.map(() => null);
  for (let comparison = 1; comparison <= comparisons; comparison++) {
    const done = Math.round((deliveriesEach * (comparison - 1)) / comparisons);
    const due = Math.round((deliveriesEach * comparison) / comparisons);
    for (let truck = 0; truck < trucks; truck++) {
      for (let delivery = done; delivery < due; delivery++) {
        const area = random.chance(sharedShare) ? random.whole(0, trucks - 1) : truck;
        const tank = area * tanksEach + random.whole(0, tanksEach - 1);
        const rest = SPREAD.withinTank * random.normal();
        const outlier = random.chance(year.outlierShare) ? random.between(-OUTLIER, OUTLIER) : 0;
        totals.add(tank, truck, (gauges[tank] ?? 0) - (meters[truck] ?? 0) + rest + outlier);
      }
    }
    for (const truck of findTrucks(totals, year)) foundAfter[truck] ??= due;
    // For the table, only the first truck counts.
    if (year.bias !== 0 && foundAfter[0] !== null) return foundAfter;
  }
  return foundAfter;
}

/** The trucks with a finding in the first step of the comparison. */
function findTrucks(totals: TruckTotals, { trucks, finding }: TruckYear): number[] {
  const numbers = Array.from({ length: trucks }, (_, truck) => truck);
  const solution = totals.solve();
  if (finding === 'outside')
    return numbers.filter((truck) => {
      const { difference, information } = solution.againstOthers(truck);
      return Math.abs(difference) > confidenceSequenceHalfWidth(information);
    });
  const { areDifferent, worst } = findWorst({ ids: numbers.map(String), solution });
  if (finding === 'differ') return areDifferent ? numbers : [];
  return worst === null ? [] : [Number(worst.id)];
}

/** Learns the spreads as Tankwatch does, from deliveries of an earlier year. */
function learnSpread(random: Random, { learnedFrom, outlierShare }: TruckYear): RefillSpread {
  const deliveries: ComparedDelivery[] = [];
  for (let tank = 0; tank < learnedFrom; tank++) {
    const error = SPREAD.betweenTanks * random.normal();
    for (let number = 0; number < 8; number++) {
      const outlier = random.chance(outlierShare) ? random.between(-OUTLIER, OUTLIER) : 0;
      const gaugeLiters = Math.exp(error + SPREAD.withinTank * random.normal() + outlier);
      deliveries.push({ noteId: '', tankId: String(tank), truckId: null, atMs: 0, gaugeLiters, noteLiters: 1 });
    }
  }
  const learned = learnTruckSpread(deliveries);
  if ('tanks' in learned) throw new RangeError(`spreads cannot be learned from ${learned.tanks} tanks`);
  return learned;
}
