import { type MatchedGroup, refillKey } from './delivery_note.ts';

/** A partial solution for the notes so far, with its cost and its last group. */
export interface Division {
  /** A bit for each member that later notes can no longer use. */
  used: bigint;
  cost: number;
  group: MatchedGroup | null;
  /** The name of the group. */
  name: string;
  before: Division | null;
  /** The number of groups. */
  groups: number;
}

/** Sums of the same costs in another order differ by less than this. */
const SAME_COST = 1e-9;

/** The cheapest division for each set of members that are left to later notes. */
export class BestDivisions {
  readonly #byUse = new Map<bigint, Division>();

  get size(): number {
    return this.#byUse.size;
  }

  keep(division: Division): void {
    const known = this.#byUse.get(division.used);
    if (known === undefined || isBetter(division, known)) this.#byUse.set(division.used, division);
  }

  all(): Division[] {
    return [...this.#byUse.values()];
  }
}

export function groupsUpTo(division: Division): MatchedGroup[] {
  const groups: MatchedGroup[] = [];
  for (let part: Division | null = division; part !== null; part = part.before)
    if (part.group !== null) groups.push(part.group);
  return groups;
}

/**
 * Compares by cost, then by ids. Times are not used as a tie-breaker, because wrong truck clocks would change the result. With equal costs,
 * the better division is the one with the first of the groups that only one of the two has. Groups that are added later do not change this.
 */
export function isBetter(a: Division, b: Division): boolean {
  if (Math.abs(a.cost - b.cost) > SAME_COST) return a.cost < b.cost;
  const { ofA, ofB } = namesSinceSame(a, b);
  // At the first position where the sorted names differ, the smaller name is the first one that only one of the two has.
  const difference = ofA.findIndex((name, index) => name !== ofB[index]);
  const [nameOfA, nameOfB] = [ofA[difference], ofB[difference]];
  return nameOfA !== undefined && (nameOfB === undefined || nameOfA < nameOfB);
}

/** The sorted names of the groups of both divisions, without the groups of the division that both continue. */
function namesSinceSame(a: Division, b: Division): { ofA: string[]; ofB: string[] } {
  const ofA: string[] = [];
  const ofB: string[] = [];
  let [partOfA, partOfB]: (Division | null)[] = [a, b];
  while (partOfA !== partOfB && partOfA && partOfB)
    if (partOfA.groups >= partOfB.groups) {
      ofA.push(partOfA.name);
      partOfA = partOfA.before;
    } else {
      ofB.push(partOfB.name);
      partOfB = partOfB.before;
    }
  for (; partOfA !== partOfB && partOfA; partOfA = partOfA.before) ofA.push(partOfA.name);
  for (; partOfA !== partOfB && partOfB; partOfB = partOfB.before) ofB.push(partOfB.name);
  return { ofA: ofA.toSorted(), ofB: ofB.toSorted() };
}

export const nameOf = ({ notes, refills }: MatchedGroup): string =>
  [...notes.map(({ id }) => id).toSorted(), ...refills.map(refillKey).toSorted()].join('\n');
