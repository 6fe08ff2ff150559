import { expect, test } from 'vitest';
import { StatementTurns } from '../../src/db/statement_turns.ts';

const LIMITS = { places: 3, placesPerSender: 2, waitingPerSender: 4 };

/** Turns with a log of the senders whose statements began, and of those that were refused. */
function givenTurns(limits = {}, untilMs = Number.POSITIVE_INFINITY) {
  const turns = new StatementTurns({ ...LIMITS, ...limits });
  const began: string[] = [];
  const refused: string[] = [];
  const enter = (sender: string): boolean =>
    turns.enter(sender, { begin: () => began.push(sender), refuse: () => refused.push(sender), untilMs });
  return { turns, began, refused, enter };
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

test('a statement whose turn comes too late is refused, and the place is given on', () => {
  const { turns, began, refused, enter } = givenTurns({}, 0);
  for (let n = 0; n < 4; n++) enter('a');
  turns.leave('a');
  expect([began, refused]).toEqual([
    ['a', 'a'],
    ['a', 'a'],
  ]);
  expect([turns.inProgress, turns.waiting]).toEqual([1, 0]);
});

test('random senders: every accepted statement begins once, in the order of its sender, and no limit is exceeded', () => {
  let seed = 7;
  const random = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * n);
  };
  const turns = new StatementTurns(LIMITS);
  const running: string[] = [];
  const begun = new Map<string, number[]>();
  const accepted = new Map<string, number[]>();
  for (let n = 0; n < 3_000; n++) {
    const sender = `s${random(6)}`;
    if (random(2) === 0 || running.length === 0) {
      const begin = (): void => {
        running.push(sender);
        begun.set(sender, [...(begun.get(sender) ?? []).slice(-20), n]);
      };
      const isAccepted = turns.enter(sender, {
        begin,
        refuse: () => expect.fail('refused'),
        untilMs: Number.POSITIVE_INFINITY,
      });
      if (isAccepted) accepted.set(sender, [...(accepted.get(sender) ?? []), n]);
    } else {
      const [ended = ''] = running.splice(random(running.length), 1);
      turns.leave(ended);
    }
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
