/** The sender of work. Groups share the queue equally, and within a group its members do. */
export interface Sender {
  /** The organization of a verified caller, otherwise an address. */
  group: string;
  /** A key or a session of the organization. */
  member: string;
}

/** A sender that is the only member of its group. */
export const senderAlone = (name: string): Sender => ({ group: name, member: '' });

export interface FairQueueLimits {
  /** The largest number of tasks in progress, of all senders. */
  maxInProgress: number;
  /**
   * The number of tasks of a group that start even if all slots are taken. A group that already waits gets one. As many
   * members of a group may start while another member uses all slots of the group.
   */
  reservedPerGroup: number;
  /** The largest number of tasks of one group in progress. */
  maxInProgressPerGroup: number;
  /**
   * The total cost of the tasks of one group in progress, in milliseconds of the shared resource. A group may always
   * have one task. Unlimited by default.
   */
  workMs?: number;
  /** The largest number of tasks of one member in progress. */
  maxInProgressPerMember: number;
  maxWaitingPerMember: number;
  /** The largest number of waiting tasks. Groups share it equally, and within a group its members do. */
  maxWaiting: number;
}

/** Groups that were both active within this time count as active at the same time. */
const SEVERAL_MS = 1_000;
/**
 * The tasks of the only active group that may be in progress, even if they are expensive: with fewer, the database is
 * idle while the thread works.
 */
const MIN_IN_PROGRESS_ALONE = 4;
/**
 * With more active groups than this, each gets a smaller part, so that the work in progress does not grow with their
 * number.
 */
const GROUPS_WITH_ALL = 4;
/** The weight of the newest task in the moving average of the cost. */
const NEWEST_PART = 0.2;
/** The largest number of remembered costs. Above it, all costs are forgotten and learned again. */
const MAX_COSTS = 10_000;

/** Clients do not wait for much longer than this. */
export const MAX_WAIT_MS = 10_000;

/**
 * Starts the work. Returns false if the work was not started: it waited too long, the client is gone, or it cannot run.
 */
export type StartWork = (hasWaitedTooLong: boolean) => boolean;

interface Waiting {
  start: StartWork;
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
  /** The number of members with a task in progress. */
  busyMembers: number;
  rotation: Rotation<Member>;
}

/**
 * A fair queue for a shared resource: a thread, or connections. A group with nothing in progress comes first; the
 * others are served in rotation. A group with little to do has reserved slots and never waits. The same holds for the
 * members of a group, so more members do not give a group more. A group whose tasks are expensive has few of them in
 * progress.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #groups = new Map<string, Group>();
  readonly #rotation = new Rotation<Group>();
  /** The mean cost of a task by the name of its group, in milliseconds. It is kept when the group has no tasks. */
  readonly #costsMs = new Map<string, number>();
  #inProgress = 0;
  #waiting = 0;
  #isFilling = false;
  #latestGroup = '';
  /** When the group of the newest task last changed (`performance.now()`). */
  #severalAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Starts work now or later. `leave` must be called when it has ended. Returns false if the sender is refused. */
  enter(sender: Sender, begin: StartWork): boolean {
    const member = this.#memberOf(sender);
    const { group } = member;
    this.#notice(group.name);
    if (this.#mayBegin(member)) {
      this.#begin(member, begin, false);
      if (group.waiting > 0) this.#requeue(member);
      return true;
    }
    const { maxWaitingPerMember, maxWaiting } = this.#limits;
    const share = maxWaiting / Math.max(1, this.#rotation.size) / Math.max(1, group.rotation.size);
    if (member.waiting.length >= Math.min(maxWaitingPerMember, share)) return false;
    member.waiting.push({ start: begin, sinceMs: performance.now() });
    group.waiting++;
    this.#waiting++;
    this.#requeue(member);
    return true;
  }

  /** `costMs` is the time for which the task has used the shared resource, if it is known. */
  leave(sender: Sender, costMs?: number): void {
    const member = this.#groups.get(sender.group)?.members.get(sender.member);
    if (member === undefined) return;
    if (costMs !== undefined && this.#limits.workMs !== undefined) this.#learn(sender.group, costMs);
    this.#end(member);
    if (this.#waiting > 0) this.#fill(member.group);
  }

  #memberOf({ group: groupName, member: name }: Sender): Member {
    let group = this.#groups.get(groupName);
    if (group === undefined) {
      group = {
        name: groupName,
        inProgress: 0,
        waiting: 0,
        members: new Map(),
        busyMembers: 0,
        rotation: new Rotation(),
      };
      this.#groups.set(groupName, group);
    }
    let member = group.members.get(name);
    if (member === undefined) group.members.set(name, (member = { name, group, inProgress: 0, waiting: [] }));
    return member;
  }

  /** Work of this process itself has no name and is not a group. */
  #notice(name: string): void {
    if (name === '' || name === this.#latestGroup) return;
    if (this.#latestGroup !== '') this.#severalAtMs = performance.now();
    this.#latestGroup = name;
  }

  #learn(name: string, costMs: number): void {
    if (this.#costsMs.size >= MAX_COSTS) this.#costsMs.clear();
    const meanMs = this.#costsMs.get(name) ?? costMs;
    this.#costsMs.set(name, meanMs + NEWEST_PART * (costMs - meanMs));
  }

  /** The largest number of tasks of a group in progress, from their mean cost. */
  #maxInProgressOf({ name }: Group): number {
    const { workMs, maxInProgressPerGroup } = this.#limits;
    if (workMs === undefined) return maxInProgressPerGroup;
    const isAlone = performance.now() - this.#severalAtMs >= SEVERAL_MS;
    const ofGroupMs = workMs * Math.min(1, GROUPS_WITH_ALL / this.#groups.size);
    const costMs = this.#costsMs.get(name) ?? workMs / MIN_IN_PROGRESS_ALONE;
    return Math.min(
      Math.max(Math.floor(ofGroupMs / costMs), isAlone ? MIN_IN_PROGRESS_ALONE : 1),
      maxInProgressPerGroup,
    );
  }

  #mayBegin({ inProgress, group }: Member): boolean {
    const { maxInProgress, reservedPerGroup, maxInProgressPerGroup, maxInProgressPerMember } = this.#limits;
    if (inProgress >= maxInProgressPerMember || group.inProgress >= maxInProgressPerGroup) return false;
    const ofGroup = this.#maxInProgressOf(group);
    if (inProgress === 0 && group.busyMembers < Math.min(reservedPerGroup, ofGroup)) return true;
    // A group that waits has one reserved slot. With two each, ten busy groups would have twenty tasks in progress.
    const own = Math.min(reservedPerGroup, group.waiting === 0 ? ofGroup : 1);
    return group.inProgress < ofGroup && (this.#inProgress < maxInProgress || group.inProgress < own);
  }

  /** Starts waiting tasks. A task may end at once and call `leave`, so this is a loop and not a recursion. */
  #fill(left?: Group): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    for (let member = this.#next(left); member !== undefined; member = this.#next(left)) {
      const next = member.waiting.shift();
      if (next === undefined) break;
      const { group } = member;
      group.waiting--;
      this.#waiting--;
      this.#rotation.delete(group); // to the end
      group.rotation.delete(member);
      this.#begin(member, next.start, performance.now() - next.sinceMs > MAX_WAIT_MS);
      this.#requeue(member);
    }
    this.#isFilling = false;
  }

  /** The next member in the rotation, or an idle member of the group in which a task has ended. */
  #next(left: Group | undefined): Member | undefined {
    let group = this.#rotation.next();
    // More groups came since the group joined the rotation, so it has more in progress than its part. It returns when
    // one of its tasks ends.
    for (; group !== undefined && group.inProgress >= this.#maxInProgressOf(group); group = this.#rotation.next())
      this.#rotation.delete(group);
    for (const member of [group?.rotation.next(), left?.rotation.next()])
      if (member !== undefined && this.#mayBegin(member)) return member;
    return undefined;
  }

  #begin(member: Member, begin: StartWork, hasWaitedTooLong: boolean): void {
    this.#inProgress++;
    member.group.inProgress++;
    if (member.inProgress++ === 0) member.group.busyMembers++;
    if (!begin(hasWaitedTooLong)) this.#end(member);
  }

  #end(member: Member): void {
    this.#inProgress--;
    member.group.inProgress--;
    if (--member.inProgress === 0) member.group.busyMembers--;
    this.#requeue(member);
  }

  /** Updates the positions of a member and its group in the rotations, and removes those without tasks. */
  #requeue(member: Member): void {
    const { group, inProgress, waiting } = member;
    group.rotation.put(member, waiting.length > 0 && inProgress < this.#limits.maxInProgressPerMember);
    this.#rotation.put(group, group.rotation.size > 0 && group.inProgress < this.#maxInProgressOf(group));
    if (inProgress > 0 || waiting.length > 0) return;
    if (group.members.get(member.name) === member) group.members.delete(member.name);
    if (group.members.size === 0 && this.#groups.get(group.name) === group) this.#groups.delete(group.name);
  }
}

/** Members or groups that wait and may have more in progress: first those with nothing in progress, then the others. */
class Rotation<T extends { inProgress: number }> {
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

  /** Adds or removes one. An existing one keeps its position, unless it has become busy or idle. */
  put(one: T, isWaiting: boolean): void {
    const isIdle = one.inProgress === 0;
    move(one, this.#idle, isWaiting && isIdle);
    move(one, this.#busy, isWaiting && !isIdle);
  }
}

function move<T>(one: T, line: Set<T>, belongsThere: boolean): void {
  if (belongsThere) line.add(one);
  else line.delete(one);
}

const first = <T>(items: ReadonlySet<T>): T | undefined => items.values().next().value;
