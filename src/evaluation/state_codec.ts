import { PackedNumbers } from './packed_numbers.ts';
import type { TankState } from './pure/alerts/tank_state.ts';
import type { Doubt } from './pure/estimator/assessed_reading.ts';
import type { GaugeFault } from './pure/estimator/gauge_health.ts';
import type { LevelEstimate } from './pure/estimator/level_filter.ts';
import type { UseHistory } from './pure/estimator/use_history.ts';

/**
 * The version that `encodeState` writes. An encoded state begins with `[`, its version and a comma. Increase it when the
 * format or the estimator changes: writers then re-evaluate all tanks in the background.
 */
export const STATE_VERSION = 2;

/** An encoded state that this release cannot read: another release wrote it, or it is damaged. */
export class UnreadableState extends Error {
  override name = 'UnreadableState';
  /** The version it was written with; null if it has none. */
  readonly version: number | null;

  constructor(version: number | null) {
    super(
      version !== null && version !== STATE_VERSION
        ? `the tank state has version ${version}, and this release reads version ${STATE_VERSION}; re-evaluate the tank`
        : 'the tank state is damaged; re-evaluate the tank',
    );
    this.version = version;
  }
}

/** The version of a state that a newer release wrote; null for every other error. */
export const newerVersion = (error: unknown): number | null =>
  error instanceof UnreadableState && error.version !== null && error.version > STATE_VERSION ? error.version : null;

/** Whether another release wrote the state. Then the tank waits for its re-evaluation, and nothing is wrong with it. */
export const isOtherVersion = (error: unknown): boolean =>
  error instanceof UnreadableState && error.version !== null && error.version !== STATE_VERSION;

/**
 * The stored form of a state: a JSON array of whole numbers, a third of the size of the object and faster to write. Times
 * are milliseconds before the state's own time; every number is stored with the precision that evaluation rounds it to, so
 * that decoding gives back the same state.
 */
export function encodeState(state: TankState): string {
  const { atMs, believed, doubt, firstLow, level, history, loss, gauge } = state;
  const ago = (ms: number | null | undefined): number | null => (ms === null || ms === undefined ? null : atMs - ms);
  const numbers = [
    STATE_VERSION,
    atMs,
    ago(believed?.atMs),
    hundredths(believed?.fillPercentage),
    state.cadenceMs,
    state.isSilent ? 1 : 0,
    state.isLow ? 1 : 0,
    ago(state.lowAtMs),
    ago(state.recoveredAtMs),
    ago(firstLow?.atMs),
    hundredths(firstLow?.fillPercentage),
    millionths(loss.smooth),
    millionths(loss.points),
    ago(loss.from?.atMs),
    hundredths(loss.from?.fillPercentage),
    ago(loss.raisedAtMs),
    ago(loss.seenAtMs),
    gauge.fault === null ? 0 : GAUGE_FAULTS.indexOf(gauge.fault) + 1,
    ago(gauge.sinceMs),
    ago(gauge.changedAtMs),
    ago(gauge.badAtMs),
    tenThousandths(gauge.contradictions),
    gauge.jump,
    gauge.isFullReal ? 1 : 0,
    ago(gauge.stepAtMs),
    tenThousandths(gauge.stepFrom),
    doubt === null ? 0 : doubt.count,
  ];
  if (doubt !== null) {
    const { first, latest } = doubt;
    numbers.push(ago(first.atMs), hundredths(first.fillPercentage));
    numbers.push(ago(latest.atMs), hundredths(latest.fillPercentage), doubt.agreeing);
  }
  if (level !== null && history !== null) {
    packLevel(level, numbers);
    packHistory(history, atMs, numbers);
  }
  return JSON.stringify(numbers);
}

/**
 * Throws `UnreadableState` for a text that this release did not write. The caller then stores readings as always and
 * marks the tank for re-evaluation.
 */
export function decodeState(text: string): TankState {
  const numbers = parseNumbers(text);
  const version = numbers?.[0];
  if (numbers === null || typeof version !== 'number') throw new UnreadableState(null);
  if (version !== STATE_VERSION) throw new UnreadableState(version);
  const packed = new PackedNumbers(numbers);
  const state = unpackState(packed);
  if (packed.isDamaged) throw new UnreadableState(version);
  return state;
}

/**
 * Whether an older release wrote the state. Old formats are not read: the tank is evaluated again from its stored
 * readings, so that its state is what the current estimator makes of them.
 */
export function isOutdated(text: string): boolean {
  if (text.startsWith(`[${STATE_VERSION},`)) return false;
  return Number(/^\[(\d+),/.exec(text)?.[1]) < STATE_VERSION;
}

function parseNumbers(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

const GAUGE_FAULTS: readonly GaugeFault[] = ['stuck_at_limit', 'contradictory_readings'];

// In the order of packing: an object's properties are evaluated in the order in which they are written.
function unpackState(packed: PackedNumbers): TankState {
  const base = {
    atMs: packed.atMs,
    believed: packed.reading(),
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
    gauge: {
      fault: GAUGE_FAULTS[packed.whole() - 1] ?? null,
      sinceMs: packed.time(),
      changedAtMs: packed.time(),
      badAtMs: packed.time(),
      contradictions: packed.tenThousandths(),
      jump: packed.whole(),
      isFullReal: packed.whole() === 1,
      stepAtMs: packed.time(),
      stepFrom: packed.tenThousandths(),
    },
  };
  const doubt = unpackDoubt(packed);
  if (packed.isAtEnd) return { ...base, doubt, level: null, history: null };
  return { ...base, doubt, level: unpackLevel(packed), history: unpackHistory(packed) };
}

function unpackDoubt(packed: PackedNumbers): Doubt | null {
  const count = packed.whole();
  if (count === 0) return null;
  const first = packed.reading();
  const latest = packed.reading();
  const agreeing = packed.whole();
  return first === null || latest === null ? null : { first, latest, agreeing, count };
}

function packLevel(level: LevelEstimate, numbers: (number | null)[]): void {
  numbers.push(
    millionths(level.level),
    millionths(level.rate),
    tenThousandths(level.irregularity),
    tenThousandths(level.agility),
    millionths(level.cosine),
    millionths(level.sine),
    tenThousandths(level.hourCosine),
    tenThousandths(level.hourSine),
    tenThousandths(level.deviations),
    tenThousandths(level.noise),
    level.seen,
    level.repeats,
    millionths(level.spikeShare),
    millionths(level.slowRate),
    tenThousandths(level.peakRate),
    millionths(level.ll),
    millionths(level.lr),
    millionths(level.lc),
    millionths(level.ls),
    millionths(level.rr),
    millionths(level.rc),
    millionths(level.rs),
    millionths(level.cc),
    millionths(level.cs),
    millionths(level.ss),
  );
  for (const share of level.week) numbers.push(tenThousandths(share));
}

const unpackLevel = (packed: PackedNumbers): LevelEstimate => ({
  level: packed.millionths(),
  rate: packed.millionths(),
  irregularity: packed.tenThousandths(),
  agility: packed.tenThousandths(),
  cosine: packed.millionths(),
  sine: packed.millionths(),
  hourCosine: packed.tenThousandths(),
  hourSine: packed.tenThousandths(),
  deviations: packed.tenThousandths(),
  noise: packed.tenThousandths(),
  seen: packed.whole(),
  repeats: packed.whole(),
  spikeShare: packed.millionths(),
  slowRate: packed.millionths(),
  peakRate: packed.tenThousandths(),
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
    packed.tenThousandths(),
    packed.tenThousandths(),
    packed.tenThousandths(),
    packed.tenThousandths(),
    packed.tenThousandths(),
    packed.tenThousandths(),
    packed.tenThousandths(),
  ],
});

function packHistory(history: UseHistory, atMs: number, numbers: (number | null)[]): void {
  numbers.push(
    tenThousandths(history.days),
    atMs - history.sinceMs,
    tenThousandths(history.used),
    tenThousandths(history.fast),
    tenThousandths(history.slow),
    tenThousandths(history.fastError),
    tenThousandths(history.slowError),
    atMs - history.dayMs,
    tenThousandths(history.dayUsed),
    tenThousandths(history.dayRate),
  );
}

const unpackHistory = (packed: PackedNumbers): UseHistory => ({
  days: packed.tenThousandths(),
  sinceMs: packed.time() ?? packed.atMs,
  used: packed.tenThousandths(),
  fast: packed.tenThousandths(),
  slow: packed.tenThousandths(),
  fastError: packed.tenThousandths(),
  slowError: packed.tenThousandths(),
  dayMs: packed.time() ?? packed.atMs,
  dayUsed: packed.tenThousandths(),
  dayRate: packed.tenThousandths(),
});

const hundredths = (value: number | undefined): number => Math.round((value ?? 0) * 100);
const tenThousandths = (value: number): number => Math.round(value * 1e4);
const millionths = (value: number): number => Math.round(value * 1e6);
