import type { Level, Reading } from './level.ts';
import type { State } from './state.ts';

/**
 * The state as stored: a JSON array of some 50 whole numbers, 300 bytes where the object takes 750, and a fifth of its time
 * to write. Times are milliseconds before the state's own; what the fold keeps to a millionth is in millionths, so that
 * what comes out is what went in, to the last digit.
 */
export function packState(state: State): string {
  const { atMs, believed, doubted, firstLow, level, loss } = state;
  const ago = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : atMs - ms);
  const numbers = [
    state.v,
    atMs,
    ago(believed?.atMs),
    millions(believed?.fillPercentage ?? 0),
    ago(doubted?.atMs),
    millions(doubted?.fillPercentage ?? 0),
    state.doubts,
    state.cadenceMs,
    state.isSilent ? 1 : 0,
    state.isLow ? 1 : 0,
    ago(state.lowAtMs),
    ago(state.recoveredAtMs),
    ago(firstLow?.atMs),
    millions(firstLow?.fillPercentage ?? 0),
    millions(loss.smooth),
    millions(loss.points),
    ago(loss.from?.atMs),
    millions(loss.from?.fillPercentage ?? 0),
    ago(loss.raisedAtMs),
    ago(loss.seenAtMs),
  ];
  if (level !== null) packLevel(level, numbers);
  return JSON.stringify(numbers);
}

export function unpackState(text: string): State {
  const numbers: unknown = JSON.parse(text);
  if (!Array.isArray(numbers) || numbers[0] !== 1) throw new Error('not a state, or one of another version');
  let next = 1;
  const optional = (): number | null => {
    const value: unknown = numbers[next++];
    return typeof value === 'number' ? value : null;
  };
  const whole = (): number => {
    const value = optional();
    if (value === null) throw new Error(`a state without its number ${next}`);
    return value;
  };
  const millionths = (): number => whole() / 1e6;
  const atMs = whole();
  const time = (): number | null => {
    const ago = optional();
    return ago === null ? null : atMs - ago;
  };
  const reading = (): Reading | null => {
    const readAtMs = time();
    const fillPercentage = millionths();
    return readAtMs === null ? null : { atMs: readAtMs, fillPercentage };
  };
  // In the order of packing, which is the order in which an object's properties are evaluated.
  return {
    v: 1,
    atMs,
    believed: reading(),
    doubted: reading(),
    doubts: whole(),
    cadenceMs: whole(),
    isSilent: whole() === 1,
    isLow: whole() === 1,
    lowAtMs: time(),
    recoveredAtMs: time(),
    firstLow: reading(),
    loss: { smooth: millionths(), points: millionths(), from: reading(), raisedAtMs: time(), seenAtMs: time() },
    level: next < numbers.length ? unpackLevel(millionths) : null,
  };
}

function packLevel(level: Level, numbers: (number | null)[]): void {
  numbers.push(
    millions(level.level),
    millions(level.rate),
    millions(level.cosine),
    millions(level.sine),
    millions(level.irregularity),
    millions(level.deviations),
    millions(level.noise),
    millions(level.seen),
    millions(level.ll),
    millions(level.lr),
    millions(level.lc),
    millions(level.ls),
    millions(level.rr),
    millions(level.rc),
    millions(level.rs),
    millions(level.cc),
    millions(level.cs),
    millions(level.ss),
  );
  for (const share of level.week) numbers.push(millions(share));
}

const unpackLevel = (millionths: () => number): Level => ({
  level: millionths(),
  rate: millionths(),
  cosine: millionths(),
  sine: millionths(),
  irregularity: millionths(),
  deviations: millionths(),
  noise: millionths(),
  seen: millionths(),
  ll: millionths(),
  lr: millionths(),
  lc: millionths(),
  ls: millionths(),
  rr: millionths(),
  rc: millionths(),
  rs: millionths(),
  cc: millionths(),
  cs: millionths(),
  ss: millionths(),
  week: [millionths(), millionths(), millionths(), millionths(), millionths(), millionths(), millionths()],
});

const millions = (value: number): number => Math.round(value * 1e6);
