import { type DeliveryNote, type MatchedGroup, refillKey } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { groupKey, matchNotes } from '../../src/deliveries/pure/notes/match_notes.ts';
import { Random } from '../../src/simulation/random.ts';
import { atOnce } from '../../src/values/slices.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { atLeast, type Check, figure } from '../report.ts';
import { makeNoteWorld, type NoteWorld, type TrueGroup, type WorldOptions } from './note_world.ts';

const SEED = 260_401;
const SITUATIONS: Readonly<Record<string, WorldOptions>> = {
  'right clocks': { clocks: 'right' },
  'one truck 6 hours off, one 1 hour, 10 % random': {},
  'every clock random within 6 hours': { clocks: 'random' },
  'every clock random within 6 hours, 10 % of deliveries 10 to 30 % short': { clocks: 'random', shortShare: 0.1 },
};

/** Every delivery has its notes and its refills. */
export const COMPLETE: WorldOptions = { missingNoteShare: 0, missingRefillShare: 0 };

export function scoreMatching(isQuick: boolean): Check[] {
  const worlds = isQuick ? 1 : 4;
  const ledgers = isQuick ? 5 : 60;
  const situations = Object.entries(SITUATIONS).map(([name, options]) =>
    atLeast(`ledger: groups matched right, ${name}`, rightShare(worlds, options), 0.99),
  );
  const missing = rightShare(worlds, { missingNoteShare: 0.15, missingRefillShare: 0.15 });
  const complete = Array.from({ length: ledgers }, (_, index) => sameGroups(SEED + 100 + index, COMPLETE));
  const gaps = Array.from({ length: ledgers }, (_, index) => sameGroups(SEED + 100 + index, {}));
  const least = (shares: readonly SameGroups[], key: keyof SameGroups): number =>
    Math.min(...shares.map((share) => share[key]));
  return [
    ...situations,
    figure('ledger: groups matched right, 15 % of notes and refills missing', missing),
    atLeast('ledger: in another order and imported twice: groups the same', least(gaps, 'inAnyOrder'), 1),
    atLeast('ledger: clocks of trucks moved within 6 hours: groups the same', least(complete, 'withTruckClocks'), 1),
    // If a tank with one reading a day is filled on two days in a row, volumes decide: errors of up to 6 hours have no weight.
    atLeast('ledger: time of each note moved within 6 hours: groups the same', least(complete, 'withNoteTimes'), 1),
    // A note without its refill can be matched with the next one. A shifted time can move it over the limit of 30 hours.
    figure(
      'ledger: clocks or notes moved within 6 hours, 4 % of notes and refills missing, worst ledger: groups the same',
      Math.min(least(gaps, 'withTruckClocks'), least(gaps, 'withNoteTimes')),
    ),
    figure('ledger: microseconds of CPU for each note', measureUsPerNote()),
  ];
}

/** Returns the share of true groups that are found. A single note or refill is also a group. */
function rightShare(worlds: number, options: WorldOptions): number {
  let right = 0;
  let total = 0;
  for (let number = 0; number < worlds; number++) {
    const world = makeNoteWorld(SEED + number, options);
    const found = new Set(atOnce(matchNotes(world.notes, world.refills)).groups.map(keyOf));
    for (const group of world.truth) {
      if (group.notes.length === 0 && group.refills.length === 0) continue;
      total++;
      if (isFound(group, found)) right++;
    }
  }
  return right / total;
}

/** True notes whose refill is missing are found if each is a group of its own. */
const isFound = (group: TrueGroup, found: ReadonlySet<string>): boolean =>
  found.has(trueKey(group)) || (group.refills.length === 0 && group.notes.every((id) => found.has(`${id}=`)));

const keyOf = ({ notes, refills }: MatchedGroup): string =>
  trueKey({ notes: notes.map(({ id }) => id), refills: refills.map(refillKey) });

const trueKey = ({ notes, refills }: TrueGroup): string =>
  `${notes.toSorted().join('+')}=${refills.toSorted().join('+')}`;

/** How much of a ledger stays the same, as a share of its groups. */
export interface SameGroups {
  /** The same notes shuffled, a third of them twice. */
  inAnyOrder: number;
  /** The clock of each truck moved by up to 6 hours. */
  withTruckClocks: number;
  /** The time of each note moved by up to 6 hours. */
  withNoteTimes: number;
}

export function sameGroups(seed: number, options: WorldOptions): SameGroups {
  const world = makeNoteWorld(seed, { clocks: 'right', customers: 120, ...options });
  const random = new Random(seed);
  const expected = groupKeys(world);
  const shareOf = (changed: Pick<NoteWorld, 'notes' | 'refills'>): number =>
    expected.intersection(groupKeys(changed)).size / expected.size;
  const shuffled = [...world.notes, ...world.notes.filter(() => random.chance(0.3))]
    .map((note) => ({ note, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ note }) => note);
  const withinSixHours = (): number => Math.round(random.between(-6, 6) * HOUR_MS);
  const truckClocks = [withinSixHours(), withinSixHours(), withinSixHours()];
  const moved = (shiftOf: (note: DeliveryNote) => number): DeliveryNote[] =>
    world.notes.map((note) => {
      const shiftMs = shiftOf(note);
      return { ...note, fromMs: note.fromMs + shiftMs, toMs: note.toMs + shiftMs };
    });
  return {
    inAnyOrder: shareOf({ notes: shuffled, refills: world.refills.toReversed() }),
    withTruckClocks: shareOf({
      notes: moved(({ truckId }) => truckClocks[Number(truckId)] ?? 0),
      refills: world.refills,
    }),
    withNoteTimes: shareOf({ notes: moved(withinSixHours), refills: world.refills }),
  };
}

const groupKeys = ({ notes, refills }: Pick<NoteWorld, 'notes' | 'refills'>): Set<string> =>
  new Set(atOnce(matchNotes(notes, refills)).groups.map(groupKey));

function measureUsPerNote(): number {
  const world = makeNoteWorld(SEED, {});
  atOnce(matchNotes(world.notes, world.refills));
  const start = process.cpuUsage();
  atOnce(matchNotes(world.notes, world.refills));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / world.notes.length;
}
