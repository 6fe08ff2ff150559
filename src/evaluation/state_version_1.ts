import { INITIAL_STATE, type TankState } from '../alerts/tank_state.ts';
import { initialEstimate, type LevelReading } from '../estimator/level_filter.ts';
import { initialHistory } from '../estimator/use_history.ts';
import type { PackedNumbers } from './packed_numbers.ts';

const MILLION = 1e6;
/** Readings counted by version 1 when its estimate had settled. */
const SETTLED_DAYS = 14;

/**
 * Reads a state of the release before. Alerts, timers and silence go on as they were. Level, rate, wave and noise start from
 * what that release knew, within today's bounds; covariances start from their initial values, because that release could
 * hold a wrong level with confidence.
 */
export function decodeVersion1(packed: PackedNumbers): TankState {
  const believed = packed.reading(MILLION);
  const doubted = packed.reading(MILLION);
  const doubts = packed.whole();
  const base = {
    cadenceMs: packed.whole(),
    isSilent: packed.whole() === 1,
    isLow: packed.whole() === 1,
    lowAtMs: packed.time(),
    recoveredAtMs: packed.time(),
    firstLow: packed.reading(MILLION),
    loss: {
      smooth: packed.millionths(),
      points: packed.millionths(),
      from: packed.reading(MILLION),
      raisedAtMs: packed.time(),
      seenAtMs: packed.time(),
    },
  };
  const doubt = doubted === null ? null : { first: doubted, latest: doubted, agreeing: 1, count: Math.max(1, doubts) };
  const state: TankState = { ...INITIAL_STATE, ...base, atMs: packed.atMs, believed, doubt };
  if (believed === null || packed.isAtEnd) return state;
  return {
    ...state,
    level: unpackLevel(packed, believed),
    history: { ...initialHistory(believed.atMs), days: SETTLED_DAYS },
  };
}

function unpackLevel(packed: PackedNumbers, believed: LevelReading): TankState['level'] {
  // The level itself is taken from the reading: a runaway noise may have left it far behind.
  packed.millionths();
  const rate = packed.millionths();
  const [, , irregularity, , noise, seen] = [
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
    packed.millionths(),
  ];
  for (let covariance = 0; covariance < 10; covariance++) packed.millionths();
  const week = Array.from({ length: 7 }, () => packed.millionths());
  return {
    ...initialEstimate(believed),
    rate,
    slowRate: rate,
    peakRate: Math.round(rate * 1e4) / 1e4,
    irregularity: Math.min(1, Math.round((irregularity ?? 0.2) * 1e4) / 1e4),
    noise: Math.min(2, Math.max(0.5, Math.round((noise ?? 1) * 1e4) / 1e4)),
    seen: seen ?? 1,
    week,
  };
}
