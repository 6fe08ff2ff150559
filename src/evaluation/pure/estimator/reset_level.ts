import { DAY_MS } from '../../../values/time.ts';
import { type LevelEstimate, type LevelReading, roundToMillionth } from './level_filter.ts';

/** Sets another level after a refill or a loss. Use, wave and noise stay as they are. */
export function resetLevel(at: LevelEstimate, level: number): LevelEstimate {
  return {
    ...at,
    level: roundToMillionth(Math.min(100, Math.max(0, level))),
    cosine: roundToMillionth(at.cosine),
    sine: roundToMillionth(at.sine),
    deviations: 0,
    ll: roundToMillionth(at.noise * at.noise),
    lr: 0,
    lc: 0,
    ls: 0,
    rr: roundToMillionth(at.rr),
    rc: roundToMillionth(at.rc),
    rs: roundToMillionth(at.rs),
    cc: roundToMillionth(at.cc),
    cs: roundToMillionth(at.cs),
    ss: roundToMillionth(at.ss),
  };
}

/** Removes the wave, because the readings contradict it or cannot show one. */
export const withoutWave = (at: LevelEstimate): LevelEstimate => ({
  ...at,
  cosine: 0,
  sine: 0,
  lc: 0,
  ls: 0,
  rc: 0,
  rs: 0,
  cc: 0,
  cs: 0,
  ss: 0,
});

/**
 * Nothing is predicted further than 60 days from a reading, because a delivery, the season or a tank out of use can
 * explain every level then.
 */
const MAX_PREDICTION_MS = 60 * DAY_MS;

/** Returns true if a reading is too old to predict the level at a later time. */
export const isTooOld = (readAtMs: number, atMs: number): boolean => atMs - readAtMs > MAX_PREDICTION_MS;

/** How uncertain the use is after a gap of months, in points a day. */
const RATE_DEVIATION_AFTER_GAP = 3;

/**
 * Sets a new level after a gap of months. The noise of the gauge is kept. The use may have changed and is learned
 * again.
 */
export function restartLevel(before: LevelEstimate, { fillPercentage }: LevelReading): LevelEstimate {
  const reset = resetLevel(withoutWave({ ...before, repeats: 0, agility: 1 }), fillPercentage);
  return { ...reset, rr: Math.max(reset.rr, RATE_DEVIATION_AFTER_GAP ** 2) };
}
