import { expect, test } from 'vitest';
import { LoadShedder } from '../../src/http/load_shedder.ts';

/** A shedder with a clock of its own, whose process uses the CPU. `tick` is one look at it, that many milliseconds late. */
function givenShedder() {
  const state = { nowMs: 0, waitingReads: 0, cpuShare: 1 };
  const shedder = new LoadShedder({
    nowMs: () => state.nowMs,
    waitingReads: () => state.waitingReads,
    cpuShare: () => state.cpuShare,
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
    if (n === 50) state.cpuShare = 0.5;
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
  'with %s, no more requests are in progress than are served in time, and senders with few requests are not refused',
  (cause) => {
    const { state, shedder, tick, begin, end } = givenShedder();
    let inProgress = 0;
    for (let n = 0; n < 200; n++) {
      inProgress += begin('busy', 250);
      const ofQuiet = begin('quiet', 2);
      // 20 requests are served in each tick of 200 ms: 100 a second.
      if (n > 150) expect([inProgress <= 10, ofQuiet]).toEqual([true, 2]);
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

test('the limit falls while requests take longer than twice their usual time, and grows while they do not', () => {
  const { state, shedder, tick, begin, end } = givenShedder();
  state.waitingReads = 1_000;
  tick();
  state.waitingReads = 0;
  const limits: number[] = [];
  let inProgress = 0;
  for (let n = 0; n < 400; n++) {
    inProgress += begin('busy', 300);
    limits.push(inProgress);
    // 1,000 a second are possible, so each takes as many milliseconds as there are requests.
    const served = Math.min(inProgress, 50);
    for (let request = 0; request < served; request++) shedder.end('busy', inProgress);
    inProgress -= served;
    if (inProgress === 0) inProgress = begin('busy', 300); // the next ones are there before the tick
    tick();
  }
  expect(shedder.isOverloaded).toBe(true);
  expect(Math.max(...limits.slice(100))).toBeLessThan(100);
  end('busy', inProgress);
  for (let n = 0; n < 60; n++) {
    end('busy', begin('busy', 300)); // without delay
    tick();
  }
  expect(begin('busy', 300)).toBe(256);
});

test('requests that take longer without overload may take longer during overload', () => {
  const limitAfter = (ms: number): number => {
    const { state, shedder, tick, begin } = givenShedder();
    for (let n = 0; n < 200; n++) {
      for (let request = 0; request < 150; request++) {
        shedder.begin('a');
        shedder.end('a', ms);
      }
      tick();
    }
    state.waitingReads = 1_000;
    tick();
    return begin('busy', 250);
  };
  // 3,000 a second, for at most 20 ms and for twice 30 ms
  const [short, long] = [limitAfter(5), limitAfter(30)];
  expect([short > 50 && short < 70, long > 150 && long < 190]).toEqual([true, true]);
});

test('two seconds after the overload every request is served again', () => {
  const { state, shedder, tick, begin, end } = givenShedder();
  const changes: boolean[] = [];
  shedder.onChange = (isOverloaded) => changes.push(isOverloaded);
  state.waitingReads = 1_000;
  tick();
  const served = begin('a', 200);
  expect(served).toBeLessThan(50);
  end('a', served);
  state.waitingReads = 0;
  tick(); // has seen the refusals
  for (let n = 0; n < 40; n++) tick();
  expect(begin('a', 200)).toBe(200);
  expect(changes).toEqual([true, false]);
});
