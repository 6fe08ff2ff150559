import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, Doubt, PriorKnowledge } from './assessed_reading.ts';
import { AGREED_DEVIATIONS, isHeld } from './doubt.ts';
import { isAtLimit, LONG_CADENCE_MS } from './gauge_health.ts';
import { plausibleUsePerDay, restartLeakDetector } from './leak_detector.ts';
import type { LevelReading } from './level_filter.ts';
import { predictReading } from './prediction.ts';
import { acceptFall, acceptRise } from './steps.ts';

/** A doubted level that is believed after all, and its last reading. */
export interface SettledDoubt extends Pick<AssessedReading, 'level' | 'loss' | 'gauge' | 'used' | 'rise'> {
  doubt: Doubt;
}

/** A reading this far from a level has left it. */
const LEFT_POINTS = 5;
/** A reading this near to the level before the doubt, in deviations or in points, is back at it. */
const BACK_DEVIATIONS = 3.5;
const BACK_POINTS = 4;

/**
 * Believes a doubted level that was held for hours, when a reading leaves it in the other direction: a fall and then a third
 * level are two steps, and not one step to the third. Back at the level before, it was a fault of the gauge, except where
 * readings are far apart. A fall that is over raises no loss.
 */
export function settleDoubt(known: PriorKnowledge, reading: LevelReading): SettledDoubt | null {
  const { doubt, cadenceMs } = known;
  if (doubt === null || !isHeld(doubt) || isAtLimit(reading)) return null;
  const { latest } = doubt;
  const prediction = predictReading(known, latest);
  const { expected, innovation } = prediction;
  const isRise = innovation.points > 0;
  const change = reading.fillPercentage - latest.fillPercentage;
  const least = Math.max(LEFT_POINTS, AGREED_DEVIATIONS * expected.noise);
  const used = isRise ? (plausibleUsePerDay(expected) * (reading.atMs - latest.atMs)) / DAY_MS : 0;
  if ((isRise ? -change : change) <= least + used) return null;
  if (cadenceMs < LONG_CADENCE_MS && isBack(known, reading)) return null;
  const accept = isRise ? acceptRise : acceptFall;
  const accepted = accept(known, doubt, latest, prediction);
  const { level, gauge, used: usedMeanwhile, rise } = accepted;
  return { doubt, level, loss: restartLeakDetector(accepted.loss, level.level), gauge, used: usedMeanwhile, rise };
}

function isBack(known: PriorKnowledge, reading: LevelReading): boolean {
  const { deviations, innovation } = predictReading(known, reading);
  return Math.abs(deviations) <= BACK_DEVIATIONS || Math.abs(innovation.points) <= BACK_POINTS;
}
