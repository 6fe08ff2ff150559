/** Who takes turns. Groups take turns, and inside a group its members do. */
export interface Sender {
  /** The organization of a verified caller. Else an address. */
  group: string;
  /** A key or a session of the organization. */
  member: string;
}

/** A sender that shares its turns with nobody. */
export const senderAlone = (name: string): Sender => ({ group: name, member: '' });

export interface TurnLimits {
  /** In progress at the same time, of all senders. */
  places: number;
  /**
   * Of each group, also if no place is free. One that already waits has one of them. As many members of a group may have something
   * in progress while another one of them has all places of the group.
   */
  ownPlaces: number;
  /** Own places that groups share while they wait, if there are several: one is too few for a group whose requests are many and cheap. */
  ownPlacesOfWaiting?: number;
  /** Of each group, at most. */
  placesPerGroup: number;
  /** The same if another group was here within the last second. The default is `placesPerGroup`. */
  placesPerGroupOfSeveral?: number;
  /** Of each member, at most. */
  placesPerMember: number;
  waitingPerMember: number;
  /** Of all groups, who share it equally, as the members of a group share its part. */
  waiting: number;
}

/** Groups whose statements take turns by the millisecond are there at the same time. */
const SEVERAL_MS = 1_000;

/** No client waits for much longer. */
export const MAX_WAIT_MS = 10_000;

/** Returns false if it has not begun: it has waited for too long, nobody waits for it any more, or it cannot. */
export type Begin = (hasWaitedTooLong: boolean) => boolean;

interface Waiting {
  begin: Begin;
  sinceMs: number;
}

interface Member {
  name: string;
  group: Group;
  inProgress: number;
  waiting: Waiting[];
}

interface Group {
  name: string;
  inProgress: number;
  waiting: number;
  members: Map<string, Member>;
  /** Members with something in progress. */
  busyMembers: number;
  line: Line<Member>;
}

/**
 * Lets senders take turns at something that they share: a thread, or connections. A group with nothing in progress comes
 * first; the others take turns. One with little to do has places of its own and never waits. The same holds for the members of
 * a group, so more members give a group no more turns.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #groups = new Map<string, Group>();
  readonly #line = new Line<Group>();
  #places: number;
  #inProgress = 0;
  #waiting = 0;
  #ended = 0;
  #isFilling = false;
  #latestGroup = '';
  /** When another group than the one before it came, in time of `performance.now()`. */
  #severalAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#places = limits.places;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** So far. */
  get ended(): number {
    return this.#ended;
  }

  get places(): number {
    return this.#places;
  }

  set places(places: number) {
    this.#places = places;
    this.#fill();
  }

  /** Begins at once, or when the turn comes. Call `leave` when it has ended. Returns false if the sender is refused now. */
  enter(sender: Sender, begin: Begin): boolean {
    const member = this.#memberOf(sender);
    const { group } = member;
    this.#notice(group.name);
    if (this.#mayBegin(member)) {
      this.#begin(member, begin, false);
      if (group.waiting > 0) this.#queue(member);
      return true;
    }
    const { waitingPerMember, waiting } = this.#limits;
    const share = waiting / Math.max(1, this.#line.size) / Math.max(1, group.line.size);
    if (member.waiting.length >= Math.min(waitingPerMember, share)) return false;
    member.waiting.push({ begin, sinceMs: performance.now() });
    group.waiting++;
    this.#waiting++;
    this.#queue(member);
    return true;
  }

  leave(sender: Sender): void {
    const member = this.#groups.get(sender.group)?.members.get(sender.member);
    if (member === undefined) return;
    this.#ended++;
    this.#end(member);
    if (this.#waiting > 0) this.#fill(member.group);
  }

  #memberOf({ group: groupName, member: name }: Sender): Member {
    let group = this.#groups.get(groupName);
    if (group === undefined) {
      group = { name: groupName, inProgress: 0, waiting: 0, members: new Map(), busyMembers: 0, line: new Line() };
      this.#groups.set(groupName, group);
    }
    let member = group.members.get(name);
    if (member === undefined) group.members.set(name, (member = { name, group, inProgress: 0, waiting: [] }));
    return member;
  }

  /** What this process needs itself has no name and is no group. */
  #notice(name: string): void {
    if (name === '' || name === this.#latestGroup) return;
    if (this.#latestGroup !== '') this.#severalAtMs = performance.now();
    this.#latestGroup = name;
  }

  get #placesPerGroup(): number {
    const { placesPerGroup, placesPerGroupOfSeveral = placesPerGroup } = this.#limits;
    return performance.now() - this.#severalAtMs < SEVERAL_MS ? placesPerGroupOfSeveral : placesPerGroup;
  }

  #mayBegin({ inProgress, group }: Member): boolean {
    const { ownPlaces, ownPlacesOfWaiting = 0, placesPerMember } = this.#limits;
    if (inProgress >= placesPerMember || group.inProgress >= this.#placesPerGroup) return false;
    // A group that waits has one if there are many: ten busy groups with two each would have twenty in progress.
    const share = this.#groups.size > 1 ? Math.floor(ownPlacesOfWaiting / this.#groups.size) : 0;
    const own = group.waiting === 0 ? ownPlaces : Math.max(share, Math.min(1, ownPlaces));
    return (
      this.#inProgress < this.#places || group.inProgress < own || (inProgress === 0 && group.busyMembers < ownPlaces)
    );
  }

  /** What begins may end at once and call `leave`: a loop instead of a recursion that is as deep as many wait. */
  #fill(left?: Group): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    for (let member = this.#next(left); member !== undefined; member = this.#next(left)) {
      const next = member.waiting.shift();
      if (next === undefined) break;
      const { group } = member;
      group.waiting--;
      this.#waiting--;
      this.#line.delete(group); // to the end
      group.line.delete(member);
      this.#begin(member, next.begin, performance.now() - next.sinceMs > MAX_WAIT_MS);
      this.#queue(member);
    }
    this.#isFilling = false;
  }

  /** The first in line, or a member with nothing in progress of a group in which another member has ended. */
  #next(left: Group | undefined): Member | undefined {
    for (const member of [this.#line.next()?.line.next(), left?.line.next()])
      if (member !== undefined && this.#mayBegin(member)) return member;
    return undefined;
  }

  #begin(member: Member, begin: Begin, hasWaitedTooLong: boolean): void {
    this.#inProgress++;
    member.group.inProgress++;
    if (member.inProgress++ === 0) member.group.busyMembers++;
    if (!begin(hasWaitedTooLong)) this.#end(member);
  }

  #end(member: Member): void {
    this.#inProgress--;
    member.group.inProgress--;
    if (--member.inProgress === 0) member.group.busyMembers--;
    this.#queue(member);
  }

  /** Puts a member and its group where they belong now in their lines, and forgets those that do nothing. */
  #queue(member: Member): void {
    const { group, inProgress, waiting } = member;
    group.line.put(member, waiting.length > 0 && inProgress < this.#limits.placesPerMember);
    this.#line.put(group, group.line.size > 0 && group.inProgress < this.#placesPerGroup);
    if (inProgress > 0 || waiting.length > 0) return;
    if (group.members.get(member.name) === member) group.members.delete(member.name);
    if (group.members.size === 0 && this.#groups.get(group.name) === group) this.#groups.delete(group.name);
  }
}

/** Those who wait and may have more in progress, in the order of their turns: those with nothing in progress, then the others. */
class Line<T extends { inProgress: number }> {
  readonly #idle = new Set<T>();
  readonly #busy = new Set<T>();

  get size(): number {
    return this.#idle.size + this.#busy.size;
  }

  next(): T | undefined {
    return first(this.#idle) ?? first(this.#busy);
  }

  delete(one: T): void {
    this.#idle.delete(one);
    this.#busy.delete(one);
  }

  /** One that is there already keeps its turn, unless it now has something in progress, or nothing any more. */
  put(one: T, isInLine: boolean): void {
    const isIdle = one.inProgress === 0;
    move(one, this.#idle, isInLine && isIdle);
    move(one, this.#busy, isInLine && !isIdle);
  }
}

function move<T>(one: T, line: Set<T>, belongsThere: boolean): void {
  if (belongsThere) line.add(one);
  else line.delete(one);
}

const first = <T>(items: ReadonlySet<T>): T | undefined => items.values().next().value;
