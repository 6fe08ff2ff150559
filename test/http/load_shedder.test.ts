import { expect, test } from 'vitest';
import { LoadShedder } from '../../src/http/load_shedder.ts';

/** A shedder with a clock of its own, whose event loop is busy. `tick` is one look at it, that many milliseconds late. */
function givenShedder() {
  const state = { nowMs: 0, waitingReads: 0, busyShare: 1 };
  const shedder = new LoadShedder({
    nowMs: () => state.nowMs,
    waitingReads: () => state.waitingReads,
    busyShare: () => state.busyShare,
  });
  const tick = (lateMs = 0): void => {
    state.nowMs += 50 + lateMs;
    shedder.tick();
  };
  const begin = (sender: string, requests: number): number =>
    Array.from({ length: requests }, () => shedder.begin(sender)).filter((isServed) => isServed).length;
  const end = (sender: string, requests: number): void => {
    for (let n = 0; n < requests; n++) shedder.end(sender);
  };
  return { state, shedder, tick, begin, end };
}

test('without overload every request is served, also after pauses and on a machine without CPU for this process', () => {
  const { state, shedder, tick, begin, end } = givenShedder();
  for (let n = 0; n < 100; n++) {
    expect(begin('a', 200)).toBe(200);
    end('a', 200);
    if (n === 50) state.busyShare = 0.5;
    tick(n > 50 || n % 3 === 0 ? 500 : 0);
  }
  expect(shedder.isOverloaded).toBe(false);
});

test('one sender cannot have more than 256 requests in progress, and does not keep others from being served', () => {
  const { shedder, begin } = givenShedder();
  expect(begin('busy', 10_000)).toBe(256);
  for (let n = 0; n < 100; n++) expect(begin(`quiet ${n}`, 2)).toBe(2);
  expect(shedder.refused).toBe(10_000 - 256);
});

test.each(['a late event loop', 'reads that wait for the database'])(
  'with %s, as many requests are in progress as are served in 0.2 s, and senders with few requests are not refused',
  (cause) => {
    const { state, shedder, tick, begin, end } = givenShedder();
    let inProgress = 0;
    for (let n = 0; n < 200; n++) {
      inProgress += begin('busy', 250);
      const ofQuiet = begin('quiet', 2);
      // 20 requests are served in each tick of 200 ms: 100 a second.
      if (n > 150) expect([inProgress <= 25, ofQuiet]).toEqual([true, 2]);
      const served = Math.min(inProgress, 20 - ofQuiet);
      end('busy', served);
      end('quiet', ofQuiet);
      inProgress -= served;
      if (cause !== 'a late event loop') state.waitingReads = 1_000;
      tick(150);
    }
    expect(shedder.isOverloaded).toBe(true);
  },
);

test('two seconds after the overload every request is served again', () => {
  const { state, shedder, tick, begin, end } = givenShedder();
  const changes: boolean[] = [];
  shedder.onChange = (isOverloaded) => changes.push(isOverloaded);
  state.waitingReads = 1_000;
  tick();
  expect(begin('a', 200)).toBeLessThan(50);
  end('a', 8);
  state.waitingReads = 0;
  for (let n = 0; n < 40; n++) tick();
  expect(begin('a', 200)).toBe(200);
  expect(changes).toEqual([true, false]);
});
