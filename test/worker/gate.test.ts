import { expect, test } from 'vitest';
import { Gate } from '../../src/worker/gate.ts';

test('an endpoint has one job at a time until it has answered well, then four', () => {
  const gate = new Gate(100);
  const leave = gate.enter('a');
  expect(gate.enter('a')).toBeUndefined();
  expect(gate.closedFlags()).toEqual(['a']);
  leave?.(true);
  expect(gate.closedFlags()).toEqual([]);
  const four = [1, 2, 3, 4].map(() => gate.enter('a'));
  expect(four.every((entered) => entered !== undefined)).toBe(true);
  expect([gate.enter('a'), gate.closedFlags()]).toEqual([undefined, ['a']]);
  four[0]?.(false);
  expect(gate.enter('a')).toBeUndefined();
});

test('however many hang, a quarter of the slots is left for those that answer', () => {
  let nowMs = 0;
  const gate = new Gate(100, () => nowMs);
  for (const flag of ['quick', 'turning']) gate.enter(flag)?.(true);
  const hung = Array.from({ length: 500 }, (_, n) => gate.enter(`hanging ${n}`)).filter((entered) => entered);
  expect(hung.length).toBe(75);
  const quick = [1, 2, 3, 4].map(() => gate.enter('quick'));
  expect(quick.every((entered) => entered !== undefined)).toBe(true);
  for (const leave of quick) leave?.(true);

  // One that was quick and hangs now is slow as soon as that shows.
  expect(gate.enter('turning')).toBeDefined();
  nowMs = 2_000;
  expect(gate.enter('turning')).toBeUndefined();
  expect(gate.closedFlags()).toContain('turning');
  expect(gate.closedFlags()).not.toContain('quick');
});
