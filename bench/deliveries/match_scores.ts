import { type DeliveryNote, type MatchedGroup, refillKey } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { groupKey, matchNotes } from '../../src/deliveries/pure/notes/match_notes.ts';
import { Random } from '../../src/simulation/random.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { atLeast, type Check, figure } from '../report.ts';
import { makeNoteWorld, type NoteWorld, type TrueGroup, type WorldOptions } from './note_world.ts';

const SEED = 260_401;
const SITUATIONS: Readonly<Record<string, WorldOptions>> = {
  'right clocks': { clocks: 'right' },
  'one truck 6 hours off, one 1 hour, 10 % random': {},
  'every clock random within 6 hours': { clocks: 'random' },
  'the same, 10 % of deliveries 10 to 30 % short': { clocks: 'random', shortShare: 0.1 },
};

export function scoreMatching(isQuick: boolean): Check[] {
  const worlds = isQuick ? 1 : 4;
  const ledgers = isQuick ? 5 : 60;
  const situations = Object.entries(SITUATIONS).map(([name, options]) =>
    atLeast(`ledger: groups matched right, ${name}`, rightShare(worlds, options), 0.99),
  );
  const missing = rightShare(worlds, { missingNotes: 0.15, missingRefills: 0.15 });
  const same = Array.from({ length: ledgers }, (_, number) => sameLedgers(SEED + 100 + number));
  const shareOf = (key: keyof SameLedgers): number => same.filter((result) => result[key]).length / ledgers;
  return [
    ...situations,
    figure('ledger: groups matched right, 15 % of notes and refills missing', missing),
    atLeast('ledger: identical in another order and imported twice, share of ledgers', shareOf('isSameInAnyOrder'), 1),
    atLeast('ledger: identical with the clock of each truck moved within 6 hours', shareOf('isSameWithTruckClocks'), 1),
    // A note whose own refill is missing, and the next one 24 to 36 hours away, can be moved over the limit of 30 hours.
    atLeast('ledger: identical with the time of each note moved within 6 hours', shareOf('isSameWithNoteTimes'), 1),
    figure('ledger: microseconds of CPU for each note', microsecondsPerNote()),
  ];
}

/** A lone note or refill of the truth counts as a group. */
function rightShare(worlds: number, options: WorldOptions): number {
  let right = 0;
  let total = 0;
  for (let number = 0; number < worlds; number++) {
    const world = makeNoteWorld(SEED + number, options);
    const found = new Set(matchNotes(world.notes, world.refills).groups.map(keyOf));
    for (const group of world.truth) {
      if (group.notes.length === 0 && group.refills.length === 0) continue;
      total++;
      if (isFound(group, found)) right++;
    }
  }
  return right / total;
}

/** Two notes whose refill is missing are two groups. */
const isFound = (group: TrueGroup, found: ReadonlySet<string>): boolean =>
  found.has(trueKey(group)) || (group.refills.length === 0 && group.notes.every((id) => found.has(`${id}=`)));

const keyOf = ({ notes, refills }: MatchedGroup): string =>
  trueKey({ notes: notes.map(({ id }) => id), refills: refills.map(refillKey) });

const trueKey = ({ notes, refills }: TrueGroup): string =>
  `${notes.toSorted().join('+')}=${refills.toSorted().join('+')}`;

export interface SameLedgers {
  isSameInAnyOrder: boolean;
  isSameWithTruckClocks: boolean;
  isSameWithNoteTimes: boolean;
}

/** The same notes shuffled, a third of them twice; with the clock of each truck moved; and with each note moved. */
export function sameLedgers(seed: number): SameLedgers {
  const world = makeNoteWorld(seed, { clocks: 'right', customers: 120 });
  const random = new Random(seed);
  const expected = ledgerKey(world);
  const shuffled = [...world.notes, ...world.notes.filter(() => random.chance(0.3))]
    .map((note) => ({ note, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ note }) => note);
  const withinSixHours = (): number => Math.round(random.between(-6, 6) * HOUR_MS);
  const truckClocks = [withinSixHours(), withinSixHours(), withinSixHours()];
  const isSame = (shiftOf: (note: DeliveryNote) => number): boolean => {
    const moved = world.notes.map((note) => {
      const shiftMs = shiftOf(note);
      return { ...note, fromMs: note.fromMs + shiftMs, toMs: note.toMs + shiftMs };
    });
    return ledgerKey({ notes: moved, refills: world.refills }) === expected;
  };
  return {
    isSameInAnyOrder: ledgerKey({ notes: shuffled, refills: world.refills.toReversed() }) === expected,
    isSameWithTruckClocks: isSame(({ truckId }) => truckClocks[Number(truckId)] ?? 0),
    isSameWithNoteTimes: isSame(withinSixHours),
  };
}

const ledgerKey = ({ notes, refills }: Pick<NoteWorld, 'notes' | 'refills'>): string =>
  matchNotes(notes, refills).groups.map(groupKey).join('\n\n');

function microsecondsPerNote(): number {
  const world = makeNoteWorld(SEED, {});
  matchNotes(world.notes, world.refills);
  const start = process.cpuUsage();
  matchNotes(world.notes, world.refills);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / world.notes.length;
}
