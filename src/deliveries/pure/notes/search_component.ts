import { type DeliveryNote, type MatchedGroup, refillKey, type SeenRefill } from './delivery_note.ts';
import {
  ALONE_COST,
  type ClockShifts,
  correctedTime,
  hoursApart,
  SAME_STOP_MS,
  TWO_NOTES_COST,
  TWO_TANKS_COST,
  timeCost,
  volumeCost,
} from './match_cost.ts';

/** Notes and refills that compete with each other, and with no others. */
export interface Component {
  notes: readonly DeliveryNote[];
  refills: readonly SeenRefill[];
  /** The refills that each note may belong to. */
  candidates: ReadonlyMap<DeliveryNote, readonly SeenRefill[]>;
}

/** One way to divide the notes up to here: what later notes find used, what it costs, and its last group. */
interface Division {
  used: ReadonlySet<DeliveryNote | SeenRefill>;
  cost: number;
  group: MatchedGroup | null;
  before: Division | null;
}

/** Only a customer with a dozen tanks that one day fills, without a tank on any note, has more. Then the best are kept. */
const MOST_DIVISIONS = 2_000;
/** Sums of the same costs in another order differ by less. */
const SAME_COST = 1e-9;

/**
 * The division into groups that costs least. Notes are taken in the order of time. Of all divisions that leave the same
 * choice to later notes only the best is kept, so that a year of daily deliveries is searched exactly, in time that grows
 * with the number of notes.
 */
export function searchComponent({ notes, refills, candidates }: Component, shifts: ClockShifts): MatchedGroup[] {
  const inOrder = notes.toSorted((a, b) => timeOf(a, shifts) - timeOf(b, shifts) || (a.id < b.id ? -1 : 1));
  const lastUse = lastUses(inOrder, candidates);
  let divisions: Division[] = [{ used: new Set(), cost: 0, group: null, before: null }];
  inOrder.forEach((note, at) => {
    const next = new Map<string, Division>();
    const keep = (division: Division): void => {
      const used = [...division.used].filter((member) => (lastUse.get(member)?.at ?? 0) > at);
      const key = used
        .map((member) => lastUse.get(member)?.name ?? '')
        .toSorted()
        .join('\n');
      const known = next.get(key);
      if (known === undefined || isBetter(division, known)) next.set(key, { ...division, used: new Set(used) });
    };
    const later = inOrder.slice(at + 1);
    for (const division of divisions) {
      // A note that an earlier one took along has its group already.
      if (division.used.has(note)) keep(division);
      else
        for (const { group, cost } of groupsOf(note, later, division.used, candidates, shifts))
          keep({
            used: new Set([...division.used, ...group.notes, ...group.refills]),
            cost: division.cost + cost,
            group,
            before: division,
          });
    }
    divisions = [...next.values()];
    if (divisions.length > MOST_DIVISIONS)
      divisions = divisions.toSorted((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, MOST_DIVISIONS);
  });
  const groups = groupsUpTo(divisions.reduce((best, division) => (isBetter(division, best) ? division : best)));
  const matched = new Set(groups.flatMap((group) => group.refills));
  const alone = refills.filter((refill) => !matched.has(refill));
  return [...groups, ...alone.map((refill) => ({ notes: [], refills: [refill] }))];
}

function groupsUpTo(division: Division): MatchedGroup[] {
  const groups: MatchedGroup[] = [];
  for (let part: Division | null = division; part !== null; part = part.before)
    if (part.group !== null) groups.push(part.group);
  return groups;
}

/**
 * By cost, and by the ids where two cost the same: by time, the clocks of the trucks would decide. The better one has the
 * first of the groups that only one of the two has; later groups do not change that.
 */
function isBetter(a: Division, b: Division): boolean {
  if (Math.abs(a.cost - b.cost) > SAME_COST) return a.cost < b.cost;
  const namesOfA = new Set(groupsUpTo(a).map(nameOf));
  const [first] = [...namesOfA.symmetricDifference(new Set(groupsUpTo(b).map(nameOf)))].toSorted();
  return first !== undefined && namesOfA.has(first);
}

const nameOf = ({ notes, refills }: MatchedGroup): string =>
  [...notes.map(({ id }) => id).toSorted(), ...refills.map(refillKey).toSorted()].join('\n');

/**
 * All groups that a note can be in: alone, with a refill, together with a later note, or with two tanks. Taking a refill
 * saves the cost of a refill alone.
 */
function* groupsOf(
  note: DeliveryNote,
  later: readonly DeliveryNote[],
  used: Division['used'],
  candidates: Component['candidates'],
  shifts: ClockShifts,
): Generator<{ group: MatchedGroup; cost: number }> {
  const costOf = (group: MatchedGroup, extra: number): { group: MatchedGroup; cost: number } => ({
    group,
    cost: groupCost(group, shifts) + extra - ALONE_COST * group.refills.length,
  });
  const free = (candidates.get(note) ?? []).filter((refill) => !used.has(refill));
  const atMs = timeOf(note, shifts);
  for (const refill of free) {
    yield costOf({ notes: [note], refills: [refill] }, 0);
    for (const other of later) {
      if (timeOf(other, shifts) - atMs > SAME_STOP_MS) break;
      if (!used.has(other) && candidates.get(other)?.includes(refill) === true)
        yield costOf({ notes: [note, other], refills: [refill] }, TWO_NOTES_COST);
    }
    if (note.tankId !== null) continue;
    for (const second of free) {
      const isLater = refillKey(second) > refillKey(refill) && second.tankId !== refill.tankId;
      const apartMs = Math.max(refill.fromMs, second.fromMs) - Math.min(refill.toMs, second.toMs);
      if (isLater && apartMs <= SAME_STOP_MS)
        yield costOf({ notes: [note], refills: [refill, second] }, TWO_TANKS_COST);
    }
  }
  yield { group: { notes: [note], refills: [] }, cost: ALONE_COST };
}

function groupCost({ notes, refills }: MatchedGroup, shifts: ClockShifts): number {
  const time = notes.reduce((sum, note) => {
    const corrected = correctedTime(note, shifts);
    return sum + Math.min(...refills.map((refill) => timeCost(hoursApart(corrected, refill))));
  }, 0);
  return time + volumeCost(notes, refills);
}

const timeOf = (note: DeliveryNote, shifts: ClockShifts): number => correctedTime(note, shifts).fromMs;

/** The last note that could use each refill, and each note itself: after it, nobody asks whether it is used. */
function lastUses(
  notes: readonly DeliveryNote[],
  candidates: Component['candidates'],
): Map<DeliveryNote | SeenRefill, { at: number; name: string }> {
  const last = new Map<DeliveryNote | SeenRefill, { at: number; name: string }>();
  notes.forEach((note, at) => {
    last.set(note, { at, name: note.id });
    for (const refill of candidates.get(note) ?? []) last.set(refill, { at, name: refillKey(refill) });
  });
  return last;
}
