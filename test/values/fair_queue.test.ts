import { expect, onTestFinished, test, vi } from 'vitest';
import { FairQueue, MAX_WAIT_MS, type Sender, senderAlone } from '../../src/values/fair_queue.ts';

/** The limits of a queue of database statements. */
const LIMITS = {
  maxInProgress: 3,
  reservedPerGroup: 0,
  maxInProgressPerGroup: 2,
  maxInProgressPerMember: 2,
  maxWaitingPerMember: 4,
  maxWaiting: Number.POSITIVE_INFINITY,
};
/** The limits of a queue of requests in one process: each group has one reserved slot. */
const WITH_RESERVATION = {
  maxInProgress: 4,
  reservedPerGroup: 1,
  maxInProgressPerGroup: Number.POSITIVE_INFINITY,
  maxInProgressPerMember: Number.POSITIVE_INFINITY,
  maxWaitingPerMember: 1_000,
  maxWaiting: 4_096,
};

/** `a` is a group without members, `a/1` is a member of the group `a`. */
function senderOf(text: string): Sender {
  const [group = '', member = ''] = text.split('/');
  return { group, member };
}

/** A queue, and a log of the senders whose work began. */
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

test('a sender with nothing in progress comes before all waiting statements of other senders', () => {
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

test('a sender has at most maxInProgressPerMember in progress, also while other slots are free', () => {
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

test('a sender with too many waiting statements is refused, and other senders are not', () => {
  const { enter } = givenQueue();
  const accepted = Array.from({ length: 8 }, () => enter('a'));
  expect(accepted).toEqual([true, true, true, true, true, true, false, false]);
  expect(enter('b')).toBe(true);
});

test('a statement that cannot begin when its turn comes takes no slot', () => {
  const { queue, began, enter, leave } = givenQueue();
  for (let n = 0; n < 2; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('a', () => false);
  leave('a');
  expect(began).toEqual(['a', 'a']);
  expect([queue.inProgress, queue.waiting]).toEqual([1, 0]);
});

test('with random senders, the statements of a sender begin in order and no limit is exceeded', () => {
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
      const senders = running.filter((name) => name.startsWith(`g${group}/`));
      expect(senders.length).toBeLessThanOrEqual(3);
      for (const name of senders) expect(senders.filter((other) => other === name).length).toBeLessThanOrEqual(2);
    }
  }
  while (running.length > 0) leave(running.shift() ?? '');
  expect([queue.inProgress, queue.waiting]).toEqual([0, 0]);
  for (const [sender, numbers] of begun) {
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.at(-1)).toBe(accepted.get(sender)?.at(-1));
  }
});

test('a sender that fills all unreserved slots does not delay the first request of another one', () => {
  const { began, enter } = givenQueue(WITH_RESERVATION);
  for (let n = 0; n < 100; n++) enter('busy');
  for (const sender of ['a', 'b', 'c']) enter(sender);
  expect(began).toEqual(['busy', 'busy', 'busy', 'busy', 'a', 'b', 'c']);
});

test('waiting requests of several senders begin in turns, and all of them begin', () => {
  const { began, enter, leave } = givenQueue(WITH_RESERVATION);
  for (const sender of ['a', 'b', 'c', 'd']) enter(sender);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('b');
  for (const sender of ['c', 'd']) leave(sender);
  expect(began.slice(4)).toEqual(['a', 'b']);
  // The loop also sees the senders that it lets begin.
  for (const sender of began) if (!['c', 'd'].includes(sender)) leave(sender);
  expect(began.slice(6).toSorted()).toEqual(['a', 'a', 'a', 'b']);
});

test('fifty members give a group no more turns than one member has', () => {
  const { began, enter, leave } = givenQueue({ ...WITH_RESERVATION, reservedPerGroup: 0 });
  for (let n = 0; n < 200; n++) enter(`many/${n % 50}`);
  for (let n = 0; n < 100; n++) enter('one/1');
  for (let n = 0; n < 100; n++) leave(began[n] ?? '');
  const turnsOfOne = began.slice(4, 104).filter((sender) => sender === 'one/1').length;
  expect(turnsOfOne).toBeGreaterThanOrEqual(48);
  expect(turnsOfOne).toBeLessThanOrEqual(52);
});

test('the first request of a member does not wait for all requests of a busy member of its group', () => {
  const { began, enter, leave } = givenQueue({ ...WITH_RESERVATION, reservedPerGroup: 1 });
  for (let n = 0; n < 100; n++) enter('group/busy');
  enter('group/new');
  leave('group/busy');
  expect(began).toEqual([...Array.from({ length: 4 }, () => 'group/busy'), 'group/new']);
});

test('while a member fills the unreserved slots, the other members take turns in the reserved slot', () => {
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

test('a group has at most maxInProgressPerGroup in progress, however many its members may have', () => {
  const { began, enter, leave } = givenQueue({ maxInProgress: 4, maxInProgressPerGroup: 3 });
  for (let n = 0; n < 3; n++) for (const member of ['1', '2', '3']) enter(`a/${member}`);
  expect(began).toEqual(['a/1', 'a/2', 'a/3']);
  enter('b/1');
  leave('a/1');
  expect(began.slice(3)).toEqual(['b/1', 'a/1']);
});

/** A queue that counts what requests cost this thread: a group may have requests of 5 ms in progress. */
const BY_COST = { ...WITH_RESERVATION, maxInProgress: 40, reservedPerGroup: 2, maxInProgressPerGroup: 32, workMs: 5 };

test('a group with expensive requests has one slot until no other group was there for a second', () => {
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

test('the members of a group with expensive requests have one slot together', () => {
  const { began, enter, leave } = givenQueue(BY_COST);
  enter('other');
  enter('group/0');
  leave('group/0', 20);
  for (let n = 1; n < 50; n++) enter(`group/${n}`);
  expect(began.slice(1)).toEqual(['group/0', 'group/1']);
});

test('a group with cheap requests has 20 slots beside a group with expensive requests', () => {
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

test('20 groups have one to three requests in progress each', () => {
  const { queue, enter, leave } = givenQueue({ ...BY_COST, maxInProgress: 1_000 });
  const groups = Array.from({ length: 20 }, (_, n) => `group ${n}`);
  for (const group of groups) {
    enter(group);
    leave(group, 0.5);
  }
  for (let n = 0; n < 20; n++) for (const group of groups) enter(group);
  // The first groups have more, because they entered while there were few groups.
  expect(queue.inProgress).toBeGreaterThanOrEqual(20);
  expect(queue.inProgress).toBeLessThanOrEqual(60);
});

test('a group that has more in progress than its share, because other groups came later, does not delay them', () => {
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

test('1,000 senders cannot make 7,000 requests wait', () => {
  const { enter } = givenQueue(WITH_RESERVATION);
  let waiting = 0;
  for (let round = 0; round < 200; round++)
    for (let sender = 0; sender < 1_000; sender++) if (enter(String(sender))) waiting++;
  expect(waiting).toBeLessThan(7_000);
});

test('a request whose sender has gone takes no slot', () => {
  const { began, enter, leave } = givenQueue(WITH_RESERVATION);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 500; n++) enter('a', () => false);
  enter('a');
  leave('a');
  expect(began).toHaveLength(5);
});

test('20,000 requests that end as soon as they begin do not overflow the stack', () => {
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

test('a request that has waited for more than 10 s is told so when its turn comes, and the next one begins', () => {
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
