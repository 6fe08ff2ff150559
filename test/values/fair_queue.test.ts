import { expect, onTestFinished, test, vi } from 'vitest';
import { FairQueue, MAX_WAIT_MS, type Sender, senderAlone } from '../../src/values/fair_queue.ts';

/** Of statements at the database. */
const LIMITS = {
  maxInProgress: 3,
  reservedPerGroup: 0,
  maxInProgressPerGroup: 2,
  maxInProgressPerMember: 2,
  maxWaitingPerMember: 4,
  maxWaiting: Number.POSITIVE_INFINITY,
};
/** Of requests at a process. */
const WITH_RESERVATION = {
  maxInProgress: 4,
  reservedPerGroup: 1,
  maxInProgressPerGroup: Number.POSITIVE_INFINITY,
  maxInProgressPerMember: Number.POSITIVE_INFINITY,
  maxWaitingPerMember: 1_000,
  maxWaiting: 4_096,
};

/** `a` is a group of its own, `a/1` a member of the group `a`. */
function senderOf(text: string): Sender {
  const [group = '', member = ''] = text.split('/');
  return { group, member };
}

/** Turns with a log of the senders whose turns began. */
function givenQueue(limits = {}) {
  const queue = new FairQueue({ ...LIMITS, ...limits });
  const began: string[] = [];
  const enter = (sender: string, canBegin = (): boolean => true): boolean =>
    queue.enter(senderOf(sender), () => {
      if (!canBegin()) return false;
      began.push(sender);
      return true;
    });
  const leave = (sender: string, costMs?: number): void => queue.leave(senderOf(sender), costMs);
  return { queue, began, enter, leave };
}

test('a sender with nothing in progress comes before all statements that others wait with', () => {
  const { began, enter, leave } = givenQueue({ maxInProgressPerGroup: 3, maxInProgressPerMember: 3 });
  for (let n = 0; n < 6; n++) enter('busy');
  enter('new');
  leave('busy');
  expect(began).toEqual(['busy', 'busy', 'busy', 'new']);
});

test('two busy senders take turns', () => {
  const { began, enter, leave } = givenQueue({ maxInProgress: 2 });
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 4; n++) enter('b');
  for (let n = 0; n < 6; n++) leave(began[n] ?? '');
  expect(began.toSorted()).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']);
  expect(began.slice(2, 6).toSorted()).toEqual(['a', 'a', 'b', 'b']);
});

test('a sender has at most its places, also while others are free', () => {
  const { queue, began, enter, leave } = givenQueue();
  for (let n = 0; n < 4; n++) enter('a');
  expect(began).toEqual(['a', 'a']);
  enter('b');
  expect(began).toEqual(['a', 'a', 'b']);
  leave('a');
  leave('b');
  expect(began).toEqual(['a', 'a', 'b', 'a']);
  expect([queue.inProgress, queue.waiting]).toEqual([2, 1]);
});

test('a sender with too many waiting statements is refused, and no other sender', () => {
  const { enter } = givenQueue();
  const accepted = Array.from({ length: 8 }, () => enter('a'));
  expect(accepted).toEqual([true, true, true, true, true, true, false, false]);
  expect(enter('b')).toBe(true);
});

test('what cannot begin when its turn comes takes no place', () => {
  const { queue, began, enter, leave } = givenQueue();
  for (let n = 0; n < 2; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('a', () => false);
  leave('a');
  expect(began).toEqual(['a', 'a']);
  expect([queue.inProgress, queue.waiting]).toEqual([1, 0]);
});

test('random senders: every accepted statement begins once, in the order of its sender, and no limit is exceeded', () => {
  let seed = 7;
  const random = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * n);
  };
  const { queue, leave } = givenQueue({ maxInProgressPerGroup: 3, workMs: 6 });
  const running: string[] = [];
  const begun = new Map<string, number[]>();
  const accepted = new Map<string, number[]>();
  for (let n = 0; n < 3_000; n++) {
    const sender = `g${random(3)}/${random(3)}`;
    if (random(2) === 0 || running.length === 0) {
      const isAccepted = queue.enter(senderOf(sender), () => {
        running.push(sender);
        begun.set(sender, [...(begun.get(sender) ?? []).slice(-20), n]);
        return true;
      });
      if (isAccepted) accepted.set(sender, [...(accepted.get(sender) ?? []), n]);
    } else {
      const [ended = ''] = running.splice(random(running.length), 1);
      leave(ended, 1 + random(5));
    }
    expect(queue.inProgress).toBe(running.length);
    for (let group = 0; group < 3; group++) {
      const ofGroup = running.filter((name) => name.startsWith(`g${group}/`));
      expect(ofGroup.length).toBeLessThanOrEqual(3);
      for (const one of ofGroup) expect(ofGroup.filter((name) => name === one).length).toBeLessThanOrEqual(2);
    }
  }
  while (running.length > 0) leave(running.shift() ?? '');
  expect([queue.inProgress, queue.waiting]).toEqual([0, 0]);
  for (const [sender, numbers] of begun) {
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.at(-1)).toBe(accepted.get(sender)?.at(-1));
  }
});

test('a sender with all the places it can have does not delay the first request of another one', () => {
  const { began, enter } = givenQueue(WITH_RESERVATION);
  for (let n = 0; n < 100; n++) enter('busy');
  for (const stranger of ['a', 'b', 'c']) enter(stranger);
  expect(began).toEqual(['busy', 'busy', 'busy', 'busy', 'a', 'b', 'c']);
});

test('requests that wait begin in turns by sender, and all of them begin', () => {
  const { began, enter, leave } = givenQueue(WITH_RESERVATION);
  for (const sender of ['a', 'b', 'c', 'd']) enter(sender);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('b');
  for (const sender of ['c', 'd']) leave(sender);
  expect(began.slice(4)).toEqual(['a', 'b']);
  for (let at = 0; at < began.length; at++) if (!['c', 'd'].includes(began[at] ?? '')) leave(began[at] ?? '');
  expect(began.slice(6).toSorted()).toEqual(['a', 'a', 'a', 'b']);
});

test('fifty members give a group no more turns than one member has', () => {
  const { began, enter, leave } = givenQueue({ ...WITH_RESERVATION, reservedPerGroup: 0 });
  for (let n = 0; n < 200; n++) enter(`many/${n % 50}`);
  for (let n = 0; n < 100; n++) enter('one/1');
  for (let n = 0; n < 100; n++) leave(began[n] ?? '');
  const ofOne = began.slice(4, 104).filter((sender) => sender === 'one/1').length;
  expect(ofOne).toBeGreaterThanOrEqual(48);
  expect(ofOne).toBeLessThanOrEqual(52);
});

test('members of a group take turns: one with little to do does not wait for all requests of another one', () => {
  const { began, enter, leave } = givenQueue({ ...WITH_RESERVATION, reservedPerGroup: 1 });
  for (let n = 0; n < 100; n++) enter('group/busy');
  enter('group/new');
  leave('group/busy');
  expect(began).toEqual([...Array.from({ length: 4 }, () => 'group/busy'), 'group/new']);
});

test('while a member has all places, another one begins at once, and others follow it', () => {
  const { queue, began, enter, leave } = givenQueue({ ...WITH_RESERVATION, reservedPerGroup: 2 });
  for (let n = 0; n < 100; n++) enter('group/busy');
  for (const member of ['b', 'c', 'd']) enter(`group/${member}`);
  expect(began.slice(4)).toEqual(['group/b']);
  leave('group/b');
  leave('group/c');
  expect(began.slice(4)).toEqual(['group/b', 'group/c', 'group/d']);
  leave('group/d');
  expect(queue.inProgress).toBe(4);
});

test('a group has at most its places, whatever its members may have', () => {
  const { began, enter, leave } = givenQueue({ maxInProgress: 4, maxInProgressPerGroup: 3 });
  for (let n = 0; n < 3; n++) for (const member of ['1', '2', '3']) enter(`a/${member}`);
  expect(began).toEqual(['a/1', 'a/2', 'a/3']);
  enter('b/1');
  leave('a/1');
  expect(began.slice(3)).toEqual(['b/1', 'a/1']);
});

/** Turns of requests that cost this thread something: 5 ms of a group may be in progress. */
const BY_COST = { ...WITH_RESERVATION, maxInProgress: 40, reservedPerGroup: 2, maxInProgressPerGroup: 32, workMs: 5 };

test('beside another group, a group with expensive turns has one place, until the other one has been away for a second', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { began, enter, leave } = givenQueue(BY_COST);
  for (let n = 0; n < 20; n++) enter('expensive');
  expect(began).toHaveLength(4);
  enter('other');
  for (let n = 0; n < 4; n++) leave('expensive', 20);
  expect(began.slice(4)).toEqual(['other', 'expensive']);
  leave('expensive', 20);
  expect(began.slice(6)).toEqual(['expensive']);
  leave('other', 0.2);
  vi.advanceTimersByTime(1_001);
  leave('expensive', 20);
  expect(began.slice(7)).toEqual(Array.from({ length: 4 }, () => 'expensive'));
});

test('the members of a group with expensive turns have one place together', () => {
  const { began, enter, leave } = givenQueue(BY_COST);
  enter('other');
  enter('group/0');
  leave('group/0', 20);
  for (let n = 1; n < 50; n++) enter(`group/${n}`);
  expect(began.slice(1)).toEqual(['group/0', 'group/1']);
});

test('a group with cheap turns has many places beside one with expensive turns', () => {
  const { began, enter, leave } = givenQueue(BY_COST);
  for (const [group, costMs] of [
    ['expensive', 20],
    ['cheap', 0.25],
  ] as const)
    for (let n = 0; n < 2; n++) {
      enter(group);
      leave(group, costMs);
    }
  for (let n = 0; n < 30; n++) for (const group of ['expensive', 'cheap']) enter(group);
  const inProgress = began.slice(4);
  expect(inProgress.filter((group) => group === 'expensive')).toHaveLength(1);
  expect(inProgress.filter((group) => group === 'cheap')).toHaveLength(20);
});

test('many groups have less in progress each, and at least one', () => {
  const { queue, enter, leave } = givenQueue({ ...BY_COST, maxInProgress: 1_000 });
  const groups = Array.from({ length: 20 }, (_, n) => `group ${n}`);
  for (const group of groups) {
    enter(group);
    leave(group, 0.5);
  }
  for (let n = 0; n < 20; n++) for (const group of groups) enter(group);
  // The first ones came while few were there.
  expect(queue.inProgress).toBeGreaterThanOrEqual(20);
  expect(queue.inProgress).toBeLessThanOrEqual(60);
});

test('a group that has more in progress than its part, because others came, does not hold up the line', () => {
  const { began, enter, leave } = givenQueue({ ...BY_COST, maxInProgress: 4, reservedPerGroup: 0 });
  for (let n = 0; n < 6; n++) enter('early');
  for (const group of ['b', 'c']) for (let n = 0; n < 3; n++) enter(group);
  leave('early', 20);
  leave('early', 20);
  expect(began.slice(4).toSorted()).toEqual(['b', 'c']);
});

test('a burst of 1,000 requests of one sender is served, and the next one is refused', () => {
  const { began, enter, leave } = givenQueue(WITH_RESERVATION);
  for (let n = 0; n < 1_004; n++) expect(enter('key')).toBe(true);
  expect(enter('key')).toBe(false);
  expect(enter('other')).toBe(true);
  for (let n = 0; n < 1_004; n++) leave('key');
  expect(began.filter((sender) => sender === 'key')).toHaveLength(1_004);
});

test('many senders cannot make more than some thousand requests wait', () => {
  const { enter } = givenQueue(WITH_RESERVATION);
  let waiting = 0;
  for (let round = 0; round < 200; round++)
    for (let sender = 0; sender < 1_000; sender++) if (enter(String(sender))) waiting++;
  expect(waiting).toBeLessThan(7_000);
});

test('a request whose sender has gone takes no place', () => {
  const { began, enter, leave } = givenQueue(WITH_RESERVATION);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 500; n++) enter('a', () => false);
  enter('a');
  leave('a');
  expect(began).toHaveLength(5);
});

test('20,000 turns that end as soon as they begin do not overflow the stack', () => {
  const { queue, enter, leave } = givenQueue({ ...WITH_RESERVATION, maxWaitingPerMember: 20_000, maxWaiting: 20_000 });
  for (let n = 0; n < 4; n++) enter('a');
  let ended = 0;
  for (let n = 0; n < 20_000; n++)
    queue.enter(senderAlone('a'), () => {
      ended++;
      leave('a');
      return true;
    });
  leave('a');
  expect(ended).toBe(20_000);
  expect([queue.inProgress, queue.waiting]).toEqual([3, 0]);
});

test('what has waited for 10 s learns it when its turn comes, and does not take the turn', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { queue, leave } = givenQueue({ maxInProgress: 1 });
  const seen: string[] = [];
  const enter = (name: string) =>
    queue.enter(senderAlone('a'), (hasWaitedTooLong) => {
      seen.push(`${name} ${hasWaitedTooLong ? 'late' : 'begins'}`);
      return !hasWaitedTooLong;
    });
  enter('1');
  enter('2');
  enter('3');
  vi.advanceTimersByTime(MAX_WAIT_MS + 1);
  enter('4');
  leave('a');
  expect(seen).toEqual(['1 begins', '2 late', '3 late', '4 begins']);
  expect([queue.inProgress, queue.waiting]).toEqual([1, 0]);
});
