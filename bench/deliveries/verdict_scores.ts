import type { DeliveryNote, SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { type Ledger, type LedgerInput, makeLedger } from '../../src/deliveries/pure/notes/ledger.ts';
import { learnRefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { compareTrucks } from '../../src/deliveries/pure/truck_meters/compare_trucks.ts';
import { learnNoteDoubts } from '../../src/deliveries/pure/truck_meters/note_doubts.ts';
import { Random } from '../../src/simulation/random.ts';
import { PRODUCTS } from '../../src/values/products.ts';
import { atOnce } from '../../src/values/slices.ts';
import { atLeast, atMost, type Check, figure, upperMedian } from '../report.ts';
import { type MeteredDelivery, makeGauge, meterTank } from './metered_tank.ts';
import { makeRegion } from './region.ts';

/** Constants were chosen by other seeds. One winter of 250 tanks differs from the next by 0.02 in what it finds. */
const SEEDS = [260_311, 260_312, 260_313, 260_314, 260_315, 260_316];
const BENT_SEEDS = [260_321, 260_322, 260_323];
const TANKS = 250;

/** Deliveries of a winter on dials and good gauges, half of the notes compensated to 15.6 °C. */
export interface NotedWinter {
  notes: DeliveryNote[];
  refills: SeenRefill[];
}

export function noteWinter(seed: number, tanks: number, mostPoints?: number): NotedWinter {
  const region = makeRegion(seed, tanks);
  const winter: NotedWinter = { notes: [], refills: [] };
  for (const tank of region.tanks) {
    const random = new Random(tank.seed + 3);
    const gauge = makeGauge(random, mostPoints);
    const readingsPerDay = random.pickShare([24, 0.3], [4, 0.45], [1, 0.25]);
    const isCompensated = tank.number % 2 === 0;
    meterTank(tank, region.celsius, { random, gauge, readingsPerDay }).forEach((delivery, number) => {
      // A delivery of which no refill was reported is a note without a refill, and has no verdict.
      if (delivery.seen === null) return;
      winter.refills.push(delivery.seen);
      winter.notes.push(writeNote(tank.number, number, isCompensated, delivery));
    });
  }
  return winter;
}

function writeNote(tank: number, number: number, isCompensated: boolean, delivery: MeteredDelivery): DeliveryNote {
  const { atMs, pumpedLiters, compensatedLiters, productCelsius, airCelsius } = delivery;
  return {
    id: `${tank}/${number}`,
    customerId: String(tank),
    tankId: String(tank),
    // A third of the stops are made by the truck of another area.
    truckId: String((number % 3 === 2 ? tank + number : tank) % 3),
    fromMs: atMs,
    toMs: atMs,
    liters: isCompensated ? compensatedLiters : pumpedLiters,
    isCompensated,
    // A quarter of the notes do not print the temperature of the product.
    productCelsius: isCompensated && tank % 4 === 0 ? productCelsius : null,
    airCelsius,
  };
}

/** What the ledger says when every note says so much more than was delivered. */
function judgeWinter({ notes, refills }: NotedWinter, short: number, known?: LearnedWinter): Ledger {
  const written = notes.map((note) => ({ ...note, liters: note.liters / (1 - short) }));
  return atOnce(makeLedger({ notes: written, refills, pins: [], tanks: [], ...known }));
}

/** What is learned from correct notes. If all notes were short, the product would say that all gauges are off. */
type LearnedWinter = Pick<LedgerInput, 'spread' | 'doubts'>;

function learnWinter(winter: NotedWinter): LearnedWinter {
  const { compared } = judgeWinter(winter, 0);
  return {
    spread: learnRefillSpread(compared),
    doubts: learnNoteDoubts(compared.map((delivery) => ({ ...delivery, driverId: null }))),
  };
}

const withoutCompensation = ({ notes, refills }: NotedWinter): NotedWinter => {
  const kept = notes.filter(({ isCompensated }) => isCompensated === false);
  const tanks = new Set(kept.map(({ tankId }) => tankId));
  return { notes: kept, refills: refills.filter(({ tankId }) => tanks.has(tankId)) };
};

const bentWinter = (seed: number): NotedWinter => noteWinter(seed, 150, 3.5);

/** All notes are at 15.6 °C, and nobody has told the product. */
const readNetAsPumped = ({ notes, refills }: NotedWinter): NotedWinter => ({
  refills,
  notes: notes.map((note) => ({
    ...note,
    isCompensated: false,
    liters:
      note.isCompensated === true
        ? note.liters
        : note.liters * (1 - PRODUCTS.propane.expansion * ((note.airCelsius ?? 0) + 2 - 15.6)),
  })),
});

export function scoreVerdicts(isQuick: boolean): Check[] {
  const winters = SEEDS.slice(0, isQuick ? 1 : SEEDS.length).map((seed) => noteWinter(seed, isQuick ? 80 : TANKS));
  const counts = (short: number, judged = winters) => {
    const verdicts = judged.flatMap((winter) =>
      judgeWinter(winter, short, learnWinter(winter)).entries.map(({ verdict }) => verdict),
    );
    const told = verdicts.flatMap((verdict) =>
      verdict.code === 'consistent' || verdict.code === 'not_consistent' ? [verdict] : [],
    );
    return {
      told,
      untold: verdicts.filter(({ code }) => code === 'cannot_be_told').length / verdicts.length,
      notConsistent: told.filter(({ code }) => code === 'not_consistent').length / told.length,
      saidShort: told.filter(({ noteLiters, toLiters }) => noteLiters > toLiters).length,
      saidOver: told.filter(({ noteLiters, fromLiters }) => noteLiters < fromLiters).length,
      unlike: told.filter(({ isUnlikeEarlier }) => isUnlikeEarlier).length / told.length,
    };
  };
  const honest = counts(0);
  const bent = counts(0, BENT_SEEDS.slice(0, isQuick ? 1 : BENT_SEEDS.length).map(bentWinter));
  const netWinters = winters.map(readNetAsPumped);
  const net = counts(0, netWinters);
  const marked = [honest, bent, net];
  const saidShort = marked.reduce((sum, one) => sum + one.saidShort, 0);
  const falseMarks = saidShort + marked.reduce((sum, one) => sum + one.saidOver, 0);
  return [
    atLeast('ledger: honest single deliveries called consistent', 1 - honest.notConsistent, 0.98),
    atLeast('ledger: short by 15 % found', counts(0.15).notConsistent, 0.85),
    // Where the note does not print the temperature of the product, that of the air is 2 to 8 degrees off.
    figure(
      'ledger: short by 15 % found, notes that are not compensated',
      counts(0.15, winters.map(withoutCompensation)).notConsistent,
    ),
    figure('ledger: short by 10 % found', counts(0.1).notConsistent),
    figure('ledger: short by 20 % found', counts(0.2).notConsistent),
    atMost('ledger: honest called unlike its earlier deliveries', honest.unlike, 0.02),
    figure('ledger: cannot be told', honest.untold),
    figure(
      'ledger: half of the range, median share of the note',
      upperMedian(honest.told.map(({ gaugeLiters, toLiters, noteLiters }) => (toLiters - gaugeLiters) / noteLiters)),
    ),
    figure('ledger: deliveries judged', honest.told.length),
    figure('ledger: honest called short', honest.saidShort),
    figure('ledger: honest called over', honest.saidOver),
    figure('ledger: honest called short, shape errors of 3.5 points', bent.saidShort),
    figure('ledger: honest called over, shape errors of 3.5 points', bent.saidOver),
    figure('ledger: honest called short, net notes read as gross', net.saidShort),
    figure('ledger: honest called over, net notes read as gross', net.saidOver),
    figure('ledger: net notes read as gross, not judged', net.untold),
    // With hundreds of false marks of some dozens of tanks, chance alone makes it 0.4 to 0.6.
    atMost('ledger: share of "short" among false marks', isQuick ? 0 : saidShort / falseMarks, 0.65),
    atMost('ledger: share of "over" among false marks', isQuick ? 0 : 1 - saidShort / falseMarks, 0.65),
    ...scoreTruckWinters(winters),
  ];
}

/** From the gauges to the verdict on a truck: whole winters of three trucks, the first one with a bias. */
function scoreTruckWinters(winters: readonly NotedWinter[]): Check[] {
  const flaggedWith = (bias: number): string[] =>
    winters.flatMap(({ notes, refills }) => {
      const written = notes.map((note) =>
        note.truckId === '0' ? { ...note, liters: note.liters * (1 + bias) } : note,
      );
      const compared = compareTrucks(atOnce(makeLedger({ notes: written, refills, pins: [], tanks: [] })).compared);
      const trucks = 'trucks' in compared ? compared.trucks : [];
      return trucks.flatMap(({ truckId, isFlagged }) => (isFlagged ? truckId : []));
    });
  const wrong = flaggedWith(0.05);
  const honest = [...flaggedWith(0), ...wrong.filter((truckId) => truckId !== '0')];
  return [
    atMost(
      'trucks: honest trucks flagged in winters with and without a wrong one, from gauge to verdict',
      honest.length,
      0,
    ),
    figure(
      'trucks: winters in which a truck with 5 % is flagged, from gauge to verdict',
      wrong.filter((truckId) => truckId === '0').length / winters.length,
    ),
  ];
}
