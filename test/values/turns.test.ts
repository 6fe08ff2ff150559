import { expect, onTestFinished, test, vi } from 'vitest';
import { MAX_WAIT_MS, Turns } from '../../src/values/turns.ts';

/** Of statements at the database. */
const LIMITS = { places: 3, ownPlaces: 0, placesPerSender: 2, waitingPerSender: 4, waiting: Number.POSITIVE_INFINITY };
/** Of requests at a process. */
const WITH_OWN_PLACES = {
  places: 4,
  ownPlaces: 1,
  placesPerSender: Number.POSITIVE_INFINITY,
  waitingPerSender: 1_000,
  waiting: 4_096,
};

/** Turns with a log of the senders whose turns began. */
function givenTurns(limits = {}) {
  const turns = new Turns({ ...LIMITS, ...limits });
  const began: string[] = [];
  const enter = (sender: string, canBegin = (): boolean => true): boolean =>
    turns.enter(sender, () => {
      if (!canBegin()) return false;
      began.push(sender);
      return true;
    });
  return { turns, began, enter };
}

test('a sender with nothing in progress comes before all statements that others wait with', () => {
  const { turns, began, enter } = givenTurns({ placesPerSender: 3 });
  for (let n = 0; n < 6; n++) enter('busy');
  enter('new');
  turns.leave('busy');
  expect(began).toEqual(['busy', 'busy', 'busy', 'new']);
});

test('two busy senders take turns', () => {
  const { turns, began, enter } = givenTurns({ places: 2, placesPerSender: 2 });
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 4; n++) enter('b');
  for (let n = 0; n < 6; n++) turns.leave(began[n] ?? '');
  expect(began.toSorted()).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']);
  expect(began.slice(2, 6).toSorted()).toEqual(['a', 'a', 'b', 'b']);
});

test('a sender has at most its places, also while others are free', () => {
  const { turns, began, enter } = givenTurns();
  for (let n = 0; n < 4; n++) enter('a');
  expect(began).toEqual(['a', 'a']);
  enter('b');
  expect(began).toEqual(['a', 'a', 'b']);
  turns.leave('a');
  turns.leave('b');
  expect(began).toEqual(['a', 'a', 'b', 'a']);
  expect([turns.inProgress, turns.waiting]).toEqual([2, 1]);
});

test('a sender with too many waiting statements is refused, and no other sender', () => {
  const { enter } = givenTurns();
  const accepted = Array.from({ length: 8 }, () => enter('a'));
  expect(accepted).toEqual([true, true, true, true, true, true, false, false]);
  expect(enter('b')).toBe(true);
});

test('what cannot begin when its turn comes takes no place', () => {
  const { turns, began, enter } = givenTurns();
  for (let n = 0; n < 2; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('a', () => false);
  turns.leave('a');
  expect(began).toEqual(['a', 'a']);
  expect([turns.inProgress, turns.waiting]).toEqual([1, 0]);
});

test('random senders: every accepted statement begins once, in the order of its sender, and no limit is exceeded', () => {
  let seed = 7;
  const random = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * n);
  };
  const turns = new Turns(LIMITS);
  const running: string[] = [];
  const begun = new Map<string, number[]>();
  const accepted = new Map<string, number[]>();
  for (let n = 0; n < 3_000; n++) {
    const sender = `s${random(6)}`;
    if (random(2) === 0 || running.length === 0) {
      const isAccepted = turns.enter(sender, () => {
        running.push(sender);
        begun.set(sender, [...(begun.get(sender) ?? []).slice(-20), n]);
        return true;
      });
      if (isAccepted) accepted.set(sender, [...(accepted.get(sender) ?? []), n]);
    } else {
      const [ended = ''] = running.splice(random(running.length), 1);
      turns.leave(ended);
    }
    if (n % 500 === 0) turns.places = 1 + random(5);
    expect(turns.inProgress).toBe(running.length);
    for (let s = 0; s < 6; s++)
      expect(running.filter((name) => name === `s${s}`).length).toBeLessThanOrEqual(LIMITS.placesPerSender);
  }
  while (running.length > 0) turns.leave(running.shift() ?? '');
  expect([turns.inProgress, turns.waiting]).toEqual([0, 0]);
  for (const [sender, numbers] of begun) {
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.at(-1)).toBe(accepted.get(sender)?.at(-1));
  }
});

test('a sender with all the places it can have does not delay the first request of another one', () => {
  const { began, enter } = givenTurns(WITH_OWN_PLACES);
  for (let n = 0; n < 100; n++) enter('busy');
  for (const stranger of ['a', 'b', 'c']) enter(stranger);
  expect(began).toEqual(['busy', 'busy', 'busy', 'busy', 'a', 'b', 'c']);
});

test('requests that wait begin in turns by sender, and all of them begin', () => {
  const { turns, began, enter } = givenTurns(WITH_OWN_PLACES);
  for (const sender of ['a', 'b', 'c', 'd']) enter(sender);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('b');
  for (const sender of ['c', 'd']) turns.leave(sender);
  expect(began.slice(4)).toEqual(['a', 'b']);
  for (let at = 0; at < began.length; at++) if (!['c', 'd'].includes(began[at] ?? '')) turns.leave(began[at] ?? '');
  expect(began.slice(6).toSorted()).toEqual(['a', 'a', 'a', 'b']);
});

test('a burst of 1,000 requests of one sender is served, and the next one is refused', () => {
  const { turns, began, enter } = givenTurns(WITH_OWN_PLACES);
  for (let n = 0; n < 1_004; n++) expect(enter('key')).toBe(true);
  expect(enter('key')).toBe(false);
  expect(enter('other')).toBe(true);
  for (let n = 0; n < 1_004; n++) turns.leave('key');
  expect(began.filter((sender) => sender === 'key')).toHaveLength(1_004);
});

test('many senders cannot make more than some thousand requests wait', () => {
  const { enter } = givenTurns(WITH_OWN_PLACES);
  let waiting = 0;
  for (let round = 0; round < 200; round++)
    for (let sender = 0; sender < 1_000; sender++) if (enter(String(sender))) waiting++;
  expect(waiting).toBeLessThan(7_000);
});

test('a request whose sender has gone takes no place', () => {
  const { turns, began, enter } = givenTurns(WITH_OWN_PLACES);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 500; n++) enter('a', () => false);
  enter('a');
  turns.leave('a');
  expect(began).toHaveLength(5);
});

test('20,000 turns that end as soon as they begin do not overflow the stack', () => {
  const { turns, enter } = givenTurns({ ...WITH_OWN_PLACES, waitingPerSender: 20_000, waiting: 20_000 });
  for (let n = 0; n < 4; n++) enter('a');
  let ended = 0;
  for (let n = 0; n < 20_000; n++)
    turns.enter('a', () => {
      ended++;
      turns.leave('a');
      return true;
    });
  turns.leave('a');
  expect(ended).toBe(20_000);
  expect([turns.inProgress, turns.waiting]).toEqual([3, 0]);
});

test('what has waited for 10 s learns it when its turn comes, and does not take the turn', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { turns } = givenTurns({ places: 1 });
  const seen: string[] = [];
  const enter = (name: string) =>
    turns.enter('a', (hasWaitedTooLong) => {
      seen.push(`${name} ${hasWaitedTooLong ? 'late' : 'begins'}`);
      return !hasWaitedTooLong;
    });
  enter('1');
  enter('2');
  enter('3');
  vi.advanceTimersByTime(MAX_WAIT_MS + 1);
  enter('4');
  turns.leave('a');
  expect(seen).toEqual(['1 begins', '2 late', '3 late', '4 begins']);
  expect([turns.inProgress, turns.waiting]).toEqual([1, 0]);
});
