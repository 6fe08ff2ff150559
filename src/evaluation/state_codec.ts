import type { TankState } from '../alerts/tank_state.ts';
import type { LevelEstimate, LevelReading } from '../estimator/level_filter.ts';

/** The version that `encodeState` writes. An encoded state begins with `[`, its version and a comma. */
export const STATE_VERSION = 1;

/** An encoded state that this release cannot read: a newer release wrote it, or it is damaged. */
export class UnreadableState extends Error {
  override name = 'UnreadableState';
  /** The version it was written with; null if it has none. */
  readonly version: number | null;

  constructor(version: number | null) {
    super(
      version !== null && version > STATE_VERSION
        ? `the tank state has version ${version}, and this release reads versions up to ${STATE_VERSION}`
        : 'the tank state is damaged',
    );
    this.version = version;
  }
}

/**
 * The state as stored: a JSON array of some 50 whole numbers, 300 bytes where the object takes 750, and a fifth of its time
 * to write. Times are milliseconds before the state's own; what the fold keeps to a millionth is in millionths, so that
 * what comes out is what went in, to the last digit.
 */
export function encodeState(state: TankState): string {
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

export function decodeState(text: string): TankState {
  const numbers = parseNumbers(text);
  const version = numbers?.[0];
  if (numbers === null || typeof version !== 'number') throw new UnreadableState(null);
  if (version !== STATE_VERSION) throw new UnreadableState(version);
  const packed = new Packed(numbers);
  // In the order of packing, which is the order in which an object's properties are evaluated.
  return {
    v: 1,
    atMs: packed.atMs,
    believed: packed.reading(),
    doubted: packed.reading(),
    doubts: packed.whole(),
    cadenceMs: packed.whole(),
    isSilent: packed.whole() === 1,
    isLow: packed.whole() === 1,
    lowAtMs: packed.time(),
    recoveredAtMs: packed.time(),
    firstLow: packed.reading(),
    loss: {
      smooth: packed.millionths(),
      points: packed.millionths(),
      from: packed.reading(),
      raisedAtMs: packed.time(),
      seenAtMs: packed.time(),
    },
    level: packed.isAtEnd ? null : unpackLevel(packed),
  };
}

function parseNumbers(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Takes number after number. A class and not a few closures: made for every tank of every batch, those cost twice as much. */
class Packed {
  readonly #numbers: readonly unknown[];
  #next = 1;
  readonly atMs: number;

  constructor(numbers: readonly unknown[]) {
    this.#numbers = numbers;
    this.atMs = this.whole();
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#numbers.length;
  }

  whole(): number {
    const value = this.#numbers[this.#next++];
    if (typeof value !== 'number') throw new UnreadableState(null);
    return value;
  }

  millionths(): number {
    return this.whole() / 1e6;
  }

  time(): number | null {
    const ago = this.#numbers[this.#next++];
    return typeof ago === 'number' ? this.atMs - ago : null;
  }

  reading(): LevelReading | null {
    const atMs = this.time();
    const fillPercentage = this.millionths();
    return atMs === null ? null : { atMs, fillPercentage };
  }
}

function packLevel(level: LevelEstimate, numbers: (number | null)[]): void {
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

const unpackLevel = (packed: Packed): LevelEstimate => ({
  level: packed.millionths(),
  rate: packed.millionths(),
  cosine: packed.millionths(),
  sine: packed.millionths(),
  irregularity: packed.millionths(),
  deviations: packed.millionths(),
  noise: packed.millionths(),
  seen: packed.millionths(),
  ll: packed.millionths(),
  lr: packed.millionths(),
  lc: packed.millionths(),
  ls: packed.millionths(),
  rr: packed.millionths(),
  rc: packed.millionths(),
  rs: packed.millionths(),
  cc: packed.millionths(),
  cs: packed.millionths(),
  ss: packed.millionths(),
  week: [
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
  ],
});

const millions = (value: number): number => Math.round(value * 1e6);
