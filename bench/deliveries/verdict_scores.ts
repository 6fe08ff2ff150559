import type { DeliveryNote, SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { type Ledger, type LedgerInput, makeLedger } from '../../src/deliveries/pure/notes/ledger.ts';
import { learnRefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { compareTrucks } from '../../src/deliveries/pure/truck_meters/compare_trucks.ts';
import { learnNoteDoubts } from '../../src/deliveries/pure/truck_meters/note_doubts.ts';
import { Random } from '../../src/simulation/random.ts';
import { atOnce } from '../../src/values/slices.ts';
import { EXPANSION_PER_CELSIUS } from '../../src/values/thermal_expansion.ts';
import { atLeast, atMost, type Check, figure, upperMedian } from '../report.ts';
import { BASE_CELSIUS, type MeteredDelivery, makeGauge, meterTank } from './metered_tank.ts';
import { makeRegion } from './region.ts';

/**
 * The constants of the ledger were chosen with other seeds. The share of short notes that are found differs by 0.02 between winters
 * of 250 tanks.
 */
const SEEDS = [260_311, 260_312, 260_313, 260_314, 260_315, 260_316];
const SHAPE_ERROR_SEEDS = [260_321, 260_322, 260_323];
const TANKS = 250;

/** Deliveries of a winter on dials and good gauges, half of the notes compensated to 15.6 °C. */
export interface NotedWinter {
  notes: DeliveryNote[];
  refills: SeenRefill[];
}

export function noteWinter(seed: number, tanks: number, maxErrorPoints?: number): NotedWinter {
  const region = makeRegion(seed, tanks);
  const winter: NotedWinter = { notes: [], refills: [] };
  for (const tank of region.tanks) {
    const random = new Random(tank.seed + 3);
    const gauge = makeGauge(random, maxErrorPoints);
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
    // A quarter of all notes, half of the compensated ones, print the temperature of the product.
    productCelsius: isCompensated && tank % 4 === 0 ? productCelsius : null,
    airCelsius,
  };
}

/** Makes the ledger of a winter in which each note states more than was delivered: the share `short` of its volume was not delivered. */
function judgeWinter({ notes, refills }: NotedWinter, short: number, known?: LearnedWinter): Ledger {
  const written = notes.map((note) => ({ ...note, liters: note.liters / (1 - short) }));
  return atOnce(makeLedger({ notes: written, refills, pins: [], tanks: [], ...known }));
}

/** What is learned from correct notes. If it were learned from short notes, Tankwatch would attribute the difference to the gauges. */
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

const winterWithShapeErrors = (seed: number): NotedWinter => noteWinter(seed, 150, 3.5);

/** All notes state the volume at 15.6 °C, but are read as the pumped volume. */
const readNetAsPumped = ({ notes, refills }: NotedWinter): NotedWinter => ({
  refills,
  notes: notes.map((note) => ({
    ...note,
    isCompensated: false,
    liters:
      note.isCompensated === true
        ? note.liters
        : note.liters * (1 - EXPANSION_PER_CELSIUS.propane * ((note.airCelsius ?? 0) + 2 - BASE_CELSIUS)),
  })),
});

export function scoreVerdicts(isQuick: boolean): Check[] {
  const winters = SEEDS.slice(0, isQuick ? 1 : SEEDS.length).map((seed) => noteWinter(seed, isQuick ? 80 : TANKS));
  const judge = (short: number, judgedWinters = winters) => {
    const verdicts = judgedWinters.flatMap((winter) =>
      judgeWinter(winter, short, learnWinter(winter)).entries.map(({ verdict }) => verdict),
    );
    const compared = verdicts.flatMap((verdict) =>
      verdict.code === 'consistent' || verdict.code === 'not_consistent' ? [verdict] : [],
    );
    return {
      compared,
      incomparableShare: verdicts.filter(({ code }) => code === 'cannot_be_told').length / verdicts.length,
      notConsistentShare: compared.filter(({ code }) => code === 'not_consistent').length / compared.length,
      calledShort: compared.filter(({ noteLiters, toLiters }) => noteLiters > toLiters).length,
      calledOver: compared.filter(({ noteLiters, fromLiters }) => noteLiters < fromLiters).length,
      unlikeShare: compared.filter(({ isUnlikeEarlier }) => isUnlikeEarlier).length / compared.length,
    };
  };
  const honest = judge(0);
  const withShapeErrors = judge(
    0,
    SHAPE_ERROR_SEEDS.slice(0, isQuick ? 1 : SHAPE_ERROR_SEEDS.length).map(winterWithShapeErrors),
  );
  const netWinters = winters.map(readNetAsPumped);
  const net = judge(0, netWinters);
  const marked = [honest, withShapeErrors, net];
  const calledShort = marked.reduce((sum, score) => sum + score.calledShort, 0);
  const falseMarks = calledShort + marked.reduce((sum, score) => sum + score.calledOver, 0);
  return [
    atLeast('ledger: honest single deliveries called consistent', 1 - honest.notConsistentShare, 0.98),
    atLeast('ledger: short by 15 % found', judge(0.15).notConsistentShare, 0.85),
    figure(
      'ledger: short by 15 % found, notes that are not compensated',
      judge(0.15, winters.map(withoutCompensation)).notConsistentShare,
    ),
    figure('ledger: short by 10 % found', judge(0.1).notConsistentShare),
    figure('ledger: short by 20 % found', judge(0.2).notConsistentShare),
    atMost('ledger: honest called unlike its earlier deliveries', honest.unlikeShare, 0.02),
    figure('ledger: cannot be told', honest.incomparableShare),
    figure(
      'ledger: half of the range, median share of the note',
      upperMedian(
        honest.compared.map(({ gaugeLiters, toLiters, noteLiters }) => (toLiters - gaugeLiters) / noteLiters),
      ),
    ),
    figure('ledger: deliveries judged', honest.compared.length),
    figure('ledger: honest called short', honest.calledShort),
    figure('ledger: honest called over', honest.calledOver),
    figure('ledger: honest called short, shape errors of 3.5 points', withShapeErrors.calledShort),
    figure('ledger: honest called over, shape errors of 3.5 points', withShapeErrors.calledOver),
    figure('ledger: honest called short, net notes read as gross', net.calledShort),
    figure('ledger: honest called over, net notes read as gross', net.calledOver),
    figure('ledger: net notes read as gross, not judged', net.incomparableShare),
    // The hundreds of false marks are of some dozens of tanks, so that chance alone gives shares of 0.4 to 0.6.
    ...(isQuick
      ? []
      : [
          atMost('ledger: share of "short" among false marks', calledShort / falseMarks, 0.65),
          atMost('ledger: share of "over" among false marks', 1 - calledShort / falseMarks, 0.65),
        ]),
    ...scoreTruckWinters(winters),
  ];
}

/** Scores the verdicts on trucks in whole winters of three trucks, with and without a bias of the first one. */
function scoreTruckWinters(winters: readonly NotedWinter[]): Check[] {
  const findFlagged = (bias: number): string[] =>
    winters.flatMap(({ notes, refills }) => {
      const written = notes.map((note) =>
        note.truckId === '0' ? { ...note, liters: note.liters * (1 + bias) } : note,
      );
      const compared = compareTrucks(atOnce(makeLedger({ notes: written, refills, pins: [], tanks: [] })).compared);
      const trucks = 'trucks' in compared ? compared.trucks : [];
      return trucks.flatMap(({ truckId, isFlagged }) => (isFlagged ? truckId : []));
    });
  const wrong = findFlagged(0.05);
  const honest = [...findFlagged(0), ...wrong.filter((truckId) => truckId !== '0')];
  return [
    atMost(
      'trucks: honest trucks flagged in winters with and without a wrong one, from gauge to verdict',
      honest.length,
      0,
    ),
    figure(
      'trucks: share of winters in which a truck with 5 % is flagged, from gauge to verdict',
      wrong.filter((truckId) => truckId === '0').length / winters.length,
    ),
  ];
}
