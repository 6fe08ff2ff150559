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
   * The number of tasks of a group that may start even if all slots are taken; one for a group with waiting tasks. Also the number of
   * members of a group that may start a task while another member uses all slots of the group.
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

/** Two groups that sent tasks within this time count as active at the same time. */
const SIMULTANEOUS_MS = 1_000;
/**
 * The number of tasks that the only active group may have in progress even if they are expensive. With fewer tasks, the database would
 * be idle while the thread works.
 */
const MIN_IN_PROGRESS_ALONE = 4;
/** Up to this number of active groups have `workMs` each. More groups share the same total. */
const GROUPS_WITH_FULL_WORK = 4;
/** The weight of the newest task in the moving average of the cost. */
const NEWEST_PART = 0.2;
/** The largest number of stored costs. Above it, all costs are deleted and measured again. */
const MAX_COSTS = 10_000;

/** The longest time that a task waits. Clients do not wait for much longer. */
export const MAX_WAIT_MS = 10_000;

/** Starts the work. Returns false if it was not started: it waited too long, the client disconnected, or it cannot run. */
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
 * A fair queue for a shared resource: a thread, or connections. A group with nothing in progress comes first; the others are served in
 * rotation. A group with few tasks uses its reserved slots and does not wait. The members of a group share its slots by the same
 * rules, so a group does not get more with more members. A group whose tasks are expensive has few of them in progress.
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
  /** When the newest task was last of another group than the task before it (`performance.now()`). */
  #groupChangedAtMs = Number.NEGATIVE_INFINITY;

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
    this.#recordGroup(group.name);
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

  /** Ends a task. `costMs` is the time for which it has used the shared resource, if this is known. */
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

  /** Records which group sent the newest task. Tasks of this process itself have an empty name and are not counted. */
  #recordGroup(name: string): void {
    if (name === '' || name === this.#latestGroup) return;
    if (this.#latestGroup !== '') this.#groupChangedAtMs = performance.now();
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
    const isAlone = performance.now() - this.#groupChangedAtMs >= SIMULTANEOUS_MS;
    const groupWorkMs = workMs * Math.min(1, GROUPS_WITH_FULL_WORK / this.#groups.size);
    const costMs = this.#costsMs.get(name) ?? workMs / MIN_IN_PROGRESS_ALONE;
    return Math.min(
      Math.max(Math.floor(groupWorkMs / costMs), isAlone ? MIN_IN_PROGRESS_ALONE : 1),
      maxInProgressPerGroup,
    );
  }

  #mayBegin({ inProgress, group }: Member): boolean {
    const { maxInProgress, reservedPerGroup, maxInProgressPerGroup, maxInProgressPerMember } = this.#limits;
    if (inProgress >= maxInProgressPerMember || group.inProgress >= maxInProgressPerGroup) return false;
    const groupMax = this.#maxInProgressOf(group);
    if (inProgress === 0 && group.busyMembers < Math.min(reservedPerGroup, groupMax)) return true;
    // A group that waits has one reserved slot. With two each, ten busy groups would have twenty tasks in progress.
    const reserved = Math.min(reservedPerGroup, group.waiting === 0 ? groupMax : 1);
    return group.inProgress < groupMax && (this.#inProgress < maxInProgress || group.inProgress < reserved);
  }

  /**
   * Starts waiting tasks after a task of the group `ended`. A task may end at once and call `leave`, so this is a loop and not a recursion.
   */
  #fill(ended: Group): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    for (;;) {
      const member = this.#next(ended);
      const next = member?.waiting.shift();
      if (member === undefined || next === undefined) break;
      const { group } = member;
      group.waiting--;
      this.#waiting--;
      this.#rotation.delete(group); // #requeue adds it again at the end
      group.rotation.delete(member);
      this.#begin(member, next.start, performance.now() - next.sinceMs > MAX_WAIT_MS);
      this.#requeue(member);
    }
    this.#isFilling = false;
  }

  /** Returns the next member in the rotation, or a member of the group in which a task has ended. */
  #next(ended: Group): Member | undefined {
    let group = this.#rotation.next();
    // Other groups became active after this group joined the rotation, so its limit fell. It joins again when one of its tasks ends.
    while (group !== undefined && group.inProgress >= this.#maxInProgressOf(group)) {
      this.#rotation.delete(group);
      group = this.#rotation.next();
    }
    for (const member of [group?.rotation.next(), ended.rotation.next()])
      if (member !== undefined && this.#mayBegin(member)) return member;
    return undefined;
  }

  #begin(member: Member, begin: StartWork, hasWaitedTooLong: boolean): void {
    this.#inProgress++;
    member.group.inProgress++;
    if (member.inProgress === 0) member.group.busyMembers++;
    member.inProgress++;
    if (!begin(hasWaitedTooLong)) this.#end(member);
  }

  #end(member: Member): void {
    this.#inProgress--;
    member.group.inProgress--;
    member.inProgress--;
    if (member.inProgress === 0) member.group.busyMembers--;
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

/** Members or groups that wait and may have more tasks in progress. Those with no task in progress come first. */
class Rotation<T extends { inProgress: number }> {
  readonly #idle = new Set<T>();
  readonly #busy = new Set<T>();

  get size(): number {
    return this.#idle.size + this.#busy.size;
  }

  next(): T | undefined {
    return first(this.#idle) ?? first(this.#busy);
  }

  delete(item: T): void {
    this.#idle.delete(item);
    this.#busy.delete(item);
  }

  /** Adds or removes an item. An existing item keeps its position, unless it has become busy or idle. */
  put(item: T, isWaiting: boolean): void {
    const isIdle = item.inProgress === 0;
    setMembership(this.#idle, item, isWaiting && isIdle);
    setMembership(this.#busy, item, isWaiting && !isIdle);
  }
}

function setMembership<T>(items: Set<T>, item: T, isMember: boolean): void {
  if (isMember) items.add(item);
  else items.delete(item);
}

const first = <T>(items: ReadonlySet<T>): T | undefined => items.values().next().value;
