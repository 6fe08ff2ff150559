import { type LevelEstimate, roundToMillionth } from './level_filter.ts';

/** Another level from here on (a refill, a loss). Use, wave and noise stay as they were. */
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

/** Without the wave, because the readings contradict it or cannot show one. */
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
