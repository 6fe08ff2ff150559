import { expect, test } from 'vitest';
import { RequestTurns } from '../../src/http/request_turns.ts';

const LIMITS = { places: 4, ownPlaces: 1 };

/** Enters requests that begin and end when the test says so. `begun` has their names in the order of their turns. */
function turnsOf(limits = LIMITS) {
  const turns = new RequestTurns(limits);
  const begun: string[] = [];
  const enter = (sender: string, isWanted = () => true): boolean =>
    turns.enter(sender, { begin: () => begun.push(sender), isWanted });
  return { turns, begun, enter };
}

test('a sender with all the places it can have does not delay the first request of another one', () => {
  const { begun, enter } = turnsOf();
  for (let n = 0; n < 100; n++) enter('busy');
  for (const stranger of ['a', 'b', 'c']) enter(stranger);
  expect(begun).toEqual(['busy', 'busy', 'busy', 'busy', 'a', 'b', 'c']);
});

test('requests that wait begin in turns by sender, and all of them begin', () => {
  const { turns, begun, enter } = turnsOf();
  for (const sender of ['a', 'b', 'c', 'd']) enter(sender);
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 2; n++) enter('b');
  for (const sender of ['c', 'd']) turns.leave(sender);
  expect(begun.slice(4)).toEqual(['a', 'b']);
  for (let at = 0; at < begun.length; at++) if (!['c', 'd'].includes(begun[at] ?? '')) turns.leave(begun[at] ?? '');
  expect(begun.slice(6).toSorted()).toEqual(['a', 'a', 'a', 'b']);
});

test('a burst of 1,000 requests of one sender is served, and the next one is refused', () => {
  const { turns, begun, enter } = turnsOf();
  for (let n = 0; n < 1_004; n++) expect(enter('key')).toBe(true);
  expect(enter('key')).toBe(false);
  expect(enter('other')).toBe(true);
  for (let n = 0; n < 1_004; n++) turns.leave('key');
  expect(begun.filter((sender) => sender === 'key')).toHaveLength(1_004);
});

test('many senders cannot make more than some thousand requests wait', () => {
  const { enter } = turnsOf();
  let waiting = 0;
  for (let round = 0; round < 200; round++)
    for (let sender = 0; sender < 1_000; sender++) if (enter(String(sender))) waiting++;
  expect(waiting).toBeLessThan(7_000);
});

test('a request whose sender has gone takes no place', () => {
  const { turns, begun, enter } = turnsOf();
  for (let n = 0; n < 4; n++) enter('a');
  for (let n = 0; n < 500; n++) enter('a', () => false);
  enter('a');
  turns.leave('a');
  expect(begun).toHaveLength(5);
});
