import { DAY_MS } from '../../../values/time.ts';
import type { AssessedReading, OutlierRun, PriorKnowledge } from './assessed_reading.ts';
import { isAtLimit, LONG_CADENCE_MS } from './gauge_health.ts';
import { plausibleUsePerDay, restartLeakDetector } from './leak_detector.ts';
import type { LevelReading } from './level_filter.ts';
import { AGREED_DEVIATIONS, isHeld } from './outlier_run.ts';
import { predictReading } from './prediction.ts';
import { acceptFall, acceptRise } from './steps.ts';

/** Outliers that were accepted because they showed one level for hours. */
export interface HeldOutliers extends Pick<AssessedReading, 'level' | 'loss' | 'gauge' | 'used' | 'rise'> {
  outliers: OutlierRun;
}

/** A reading this far from the held level has left it. */
const LEFT_POINTS = 5;
/** A reading within this many deviations or points of the level before the outliers is back at that level. */
const BACK_DEVIATIONS = 3.5;
const BACK_POINTS = 4;

/**
 * Accepts the level of outliers that lasted for hours when a reading leaves it in the opposite direction: a fall and
 * then a third level are two steps, and not one step to the third. If the reading is back at the level before the
 * outliers, they were a gauge fault, except with a long cadence. A fall that is over raises no loss.
 */
export function acceptHeldOutliers(known: PriorKnowledge, reading: LevelReading): HeldOutliers | null {
  const { outliers, cadenceMs } = known;
  if (outliers === null || !isHeld(outliers) || isAtLimit(reading)) return null;
  const { latest } = outliers;
  const prediction = predictReading(known, latest);
  const { expected, innovation } = prediction;
  const isRise = innovation.points > 0;
  const change = reading.fillPercentage - latest.fillPercentage;
  const minChange = Math.max(LEFT_POINTS, AGREED_DEVIATIONS * expected.noise);
  const used = isRise ? (plausibleUsePerDay(expected) * (reading.atMs - latest.atMs)) / DAY_MS : 0;
  if ((isRise ? -change : change) <= minChange + used) return null;
  if (cadenceMs < LONG_CADENCE_MS && isBack(known, reading)) return null;
  const accept = isRise ? acceptRise : acceptFall;
  const effects = accept(known, outliers, latest, prediction);
  const { level, gauge, used: usedMeanwhile, rise } = effects;
  return { outliers, level, loss: restartLeakDetector(effects.loss, level.level), gauge, used: usedMeanwhile, rise };
}

function isBack(known: PriorKnowledge, reading: LevelReading): boolean {
  const { deviations, innovation } = predictReading(known, reading);
  return Math.abs(deviations) <= BACK_DEVIATIONS || Math.abs(innovation.points) <= BACK_POINTS;
}
