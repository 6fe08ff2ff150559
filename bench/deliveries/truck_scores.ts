import type { ComparedDelivery, RefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { confidenceSequenceHalfWidth } from '../../src/deliveries/pure/trucks/confidence_sequence.ts';
import { learnTruckSpread } from '../../src/deliveries/pure/trucks/truck_spread.ts';
import { TruckTotals } from '../../src/deliveries/pure/trucks/truck_totals.ts';
import { Random } from '../../src/simulation/random.ts';
import { clamp } from '../../src/values/statistics.ts';
import { atMost, type Check, figure, percentile } from '../report.ts';

const SEED = 260_501;
/** What simulated gauges have: constant errors of tanks, and what differs each time. */
const SPREAD: RefillSpread = { betweenTanks: 0.037, withinTank: 0.02 };
/** A wrong match. */
const OUTLIER = 0.4;

interface TruckYear {
  trucks: number;
  tanksEach: number;
  deliveriesEach: number;
  looks: number;
  /** The share of deliveries that go to any tank instead of one of the truck's own. */
  sharedShare: number;
  outlierShare: number;
  /** No meter of an honest truck is farther off; half of this is their deviation. */
  mostMeterError: number;
  tolerance: number;
  /** Of the first truck: its notes exceed what it delivered by this share. */
  bias: number;
  /** The number of tanks that the spreads are learned from. */
  learnedFrom: number;
}

const YEAR: TruckYear = {
  trucks: 2,
  tanksEach: 250,
  deliveriesEach: 2_500,
  looks: 52,
  sharedShare: 0,
  outlierShare: 0.01,
  mostMeterError: 0.005,
  tolerance: 0.01,
  bias: 0,
  learnedFrom: 200,
};

/** Years of each kind of honest trucks: their meters differ by no more than the tolerance of 1 %. */
const HONEST: Readonly<Record<string, { year: Partial<TruckYear>; years: number }>> = {
  'own tanks': { year: {}, years: 1_500 },
  'half of the stops shared': { year: { sharedShare: 0.5 }, years: 1_500 },
  'five trucks': { year: { trucks: 5, tanksEach: 100, deliveriesEach: 1_500 }, years: 400 },
  '60 tanks each, learned from 60': { year: { tanksEach: 60, deliveriesEach: 1_500, learnedFrom: 60 }, years: 2_000 },
  '3 % wrong matches': { year: { outlierShare: 0.03, tanksEach: 100 }, years: 1_000 },
};

export interface TruckScores {
  checks: Check[];
  /** Deliveries until an excess of 1, 2, 3 and 5 % is flagged: median and 90 %, or the share of years. */
  deliveriesUntilFlagged: Record<string, Record<string, string>>;
}

export function scoreTrucks(isQuick: boolean, log: (line: string) => void): TruckScores {
  const random = new Random(SEED);
  const scale = isQuick ? 0.05 : 1;
  const count = (year: Partial<TruckYear>, years: number): { flagged: number; truckYears: number } => {
    let flagged = 0;
    let truckYears = 0;
    for (let number = 0; number < Math.ceil(years * scale); number++) {
      const result = liveTruckYear(random, { ...YEAR, ...year });
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
  // Two meters that are 1 % off, as the law allows, differ by 2 %. That shows, and is no proof of anything else.
  const legal = [0, 0.5].map((sharedShare) => count({ mostMeterError: 0.01, sharedShare }, 500));
  const exact = count({ mostMeterError: 0, tolerance: 0 }, 2_000);
  const total = honest.reduce((sum, { truckYears }) => sum + truckYears, 0);
  const flagged = honest.reduce((sum, result) => sum + result.flagged, 0);
  const table = tableOf(random, isQuick ? 6 : 100, log);
  return {
    checks: [
      atMost('trucks: honest trucks flagged in 1,000 truck-years', (1_000 * flagged) / total, 1),
      figure('trucks: honest truck-years', total),
      ...legal.map((result, at) =>
        figure(
          `trucks: meters off by up to 1 %, ${at === 0 ? 'own tanks' : 'half of the stops shared'}: flagged in 1,000 truck-years`,
          (1_000 * result.flagged) / result.truckYears,
        ),
      ),
      atMost(
        'trucks: exact meters outside of their range in 1,000 truck-years',
        (1_000 * exact.flagged) / exact.truckYears,
        1,
      ),
    ],
    deliveriesUntilFlagged: table,
  };
}

const TABLE: Readonly<Record<string, Partial<TruckYear>>> = {
  'own tanks, any difference': { tolerance: 0, mostMeterError: 0 },
  'own tanks, tolerance 1 %': { mostMeterError: 0 },
  'shared tanks, any difference': { sharedShare: 1, tolerance: 0, mostMeterError: 0 },
  'shared tanks, tolerance 1 %': { sharedShare: 1, mostMeterError: 0 },
  'one truck alone, tolerance 2 %': { trucks: 1, tolerance: 0.02, mostMeterError: 0 },
};

function tableOf(random: Random, years: number, log: (line: string) => void): TruckScores['deliveriesUntilFlagged'] {
  return Object.fromEntries(
    Object.entries(TABLE).map(([name, options]) => {
      const cells = [0.01, 0.02, 0.03, 0.05].map((bias): [string, string] => {
        const year = { ...YEAR, ...options, bias, deliveriesEach: 2_600, looks: 104 };
        const found = Array.from({ length: years }, () => liveTruckYear(random, year)[0] ?? null);
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

/** A year with a look every week or so: for each truck, its deliveries when it was flagged first, or null. */
export function liveTruckYear(random: Random, year: TruckYear): (number | null)[] {
  const { trucks, tanksEach, sharedShare, looks, deliveriesEach } = year;
  const totals = new TruckTotals(trucks, learnedSpread(random, year));
  const gauges = Array.from({ length: trucks * tanksEach }, () => SPREAD.betweenTanks * random.normal());
  const meters = Array.from({ length: trucks }, (_, truck) => {
    const error = clamp((year.mostMeterError / 2) * random.normal(), -year.mostMeterError, year.mostMeterError);
    return (truck === 0 ? year.bias : 0) + error;
  });
  const flaggedAt: (number | null)[] = meters.map(() => null);
  for (let look = 1; look <= looks; look++) {
    const done = Math.round((deliveriesEach * (look - 1)) / looks);
    const due = Math.round((deliveriesEach * look) / looks);
    for (let truck = 0; truck < trucks; truck++) {
      for (let delivery = done; delivery < due; delivery++) {
        const area = random.chance(sharedShare) ? random.whole(0, trucks - 1) : truck;
        const tank = area * tanksEach + random.whole(0, tanksEach - 1);
        const rest = SPREAD.withinTank * random.normal();
        const outlier = random.chance(year.outlierShare) ? random.between(-OUTLIER, OUTLIER) : 0;
        totals.add(tank, truck, (gauges[tank] ?? 0) - (meters[truck] ?? 0) + rest + outlier);
      }
    }
    totals.estimates().forEach(({ difference, information }, truck) => {
      const isOutside = Math.abs(difference) - confidenceSequenceHalfWidth(information) > year.tolerance;
      if (isOutside) flaggedAt[truck] ??= due;
    });
    // For the table, only the first truck counts.
    if (year.bias !== 0 && flaggedAt[0] !== null) return flaggedAt;
  }
  return flaggedAt;
}

/** Learned as the product learns them, from the deliveries of an earlier year. */
function learnedSpread(random: Random, { learnedFrom, outlierShare }: TruckYear): RefillSpread {
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
