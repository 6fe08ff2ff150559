import { expect, test } from 'vitest';
import { Gate, Turnstile } from '../../src/worker/gate.ts';

test('an endpoint has one job at a time until it has answered well, then four', () => {
  const gate = new Gate(100);
  gate.enter('a', '0');
  expect(gate.closedFlags()).toEqual(['a']);
  gate.leave('a', '0', true);
  for (const id of ['1', '2', '3']) gate.enter('a', id);
  expect(gate.closedFlags()).toEqual([]);
  gate.enter('a', '4');
  expect(gate.closedFlags()).toEqual(['a']);
  gate.leave('a', '1', false);
  expect(gate.closedFlags()).toEqual(['a']);
  for (const id of ['2', '3', '4']) gate.leave('a', id, false);
  expect(gate.closedFlags()).toEqual([]);
});

test('however many hang, a quarter of the slots is left for those that answer', () => {
  let nowMs = 0;
  const gate = new Gate(100, () => nowMs);
  for (const flag of ['quick', 'turning']) {
    gate.enter(flag, '0');
    gate.leave(flag, '0', true);
  }
  gate.enter('failing', '0');
  gate.leave('failing', '0', false);
  const hung = Array.from({ length: 200 }, (_, n) => gate.enter(`hanging ${n}`, '1'));
  expect(hung.filter((isIn) => isIn).length).toBe(75);
  expect(gate.closedFlags()).toContain('failing');
  expect(gate.closedFlags()).not.toContain('quick');

  // One that was quick and hangs now is slow as soon as that shows.
  gate.enter('turning', '1');
  expect(gate.closedFlags()).not.toContain('turning');
  nowMs = 2_000;
  expect(gate.closedFlags()).toContain('turning');
  expect(gate.closedFlags()).not.toContain('quick');
});

test('one passes the turnstile at a time, in the order they came', async () => {
  const turnstile = new Turnstile();
  const passed: number[] = [];
  const all = [1, 2, 3].map((n) => turnstile.enter().then(() => passed.push(n)));
  for (const n of [1, 2, 3]) {
    await all[n - 1];
    expect(passed.at(-1)).toBe(n);
    turnstile.leave();
  }
  await turnstile.enter();
});
