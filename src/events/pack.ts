import type { Level, Reading } from './level.ts';
import type { State } from './state.ts';

/**
 * The state as stored: a JSON array of numbers, some 300 bytes where the object takes 750. Times are milliseconds before
 * the state's own. Unpacked it is the same to the last digit.
 */
export function packState(state: State): string {
  const { atMs, believed, doubted, firstLow, level, loss } = state;
  const ago = (ms: number | null): number | null => (ms === null ? null : atMs - ms);
  const reading = (of: Reading | null): (number | null)[] => [ago(of?.atMs ?? null), of?.fillPercentage ?? null];
  return JSON.stringify([
    state.v,
    atMs,
    ...reading(believed),
    ...reading(doubted),
    state.cadenceMs,
    state.isSilent ? 1 : 0,
    state.isLow ? 1 : 0,
    ago(state.lowAtMs),
    ago(state.recoveredAtMs),
    ...reading(firstLow),
    loss.smooth,
    loss.points,
    ...reading(loss.from),
    ago(loss.raisedAtMs),
    ago(loss.seenAtMs),
    ...(level === null ? [] : [...LEVEL.map((key) => level[key]), ...level.week]),
  ]);
}

export function unpackState(text: string): State {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values) || values[0] !== 1) throw new Error('a state of another version');
  const numbers = values.map((value: unknown) => (typeof value === 'number' ? value : null));
  let next = 1;
  const optional = (): number | null => numbers[next++] ?? null;
  const number = (): number => {
    const value = optional();
    if (value === null) throw new Error(`a state with its number ${next} missing`);
    return value;
  };
  const atMs = number();
  const time = (): number | null => {
    const ago = optional();
    return ago === null ? null : atMs - ago;
  };
  const reading = (): Reading | null => {
    const readAtMs = time();
    const fillPercentage = optional();
    return readAtMs === null || fillPercentage === null ? null : { atMs: readAtMs, fillPercentage };
  };
  return {
    v: 1,
    atMs,
    believed: reading(),
    doubted: reading(),
    cadenceMs: number(),
    isSilent: number() === 1,
    isLow: number() === 1,
    lowAtMs: time(),
    recoveredAtMs: time(),
    firstLow: reading(),
    loss: { smooth: number(), points: number(), from: reading(), raisedAtMs: time(), seenAtMs: time() },
    level: next < numbers.length ? unpackLevel(number) : null,
  };
}

const LEVEL = [
  'level',
  'rate',
  'cosine',
  'sine',
  'noise',
  'seen',
  'll',
  'lr',
  'lc',
  'ls',
  'rr',
  'rc',
  'rs',
  'cc',
  'cs',
  'ss',
] as const satisfies readonly (keyof Level)[];

/** In the order of LEVEL. */
const unpackLevel = (number: () => number): Level => ({
  level: number(),
  rate: number(),
  cosine: number(),
  sine: number(),
  noise: number(),
  seen: number(),
  ll: number(),
  lr: number(),
  lc: number(),
  ls: number(),
  rr: number(),
  rc: number(),
  rs: number(),
  cc: number(),
  cs: number(),
  ss: number(),
  week: [number(), number(), number(), number(), number(), number(), number()],
});
