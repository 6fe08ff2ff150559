import type { AssessedReading } from '../estimator/assessed_reading.ts';
import { cannotProveLoss, isAtLimit } from '../estimator/gauge_health.ts';
import { isSameLeak } from '../estimator/leak_detector.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { endUnusualUse, updateUnusualUse } from '../estimator/unusual_use.ts';
import { eventReadings, type TankEvent, unusualUse } from './tank_event.ts';
import type { AlertSettings, TankState } from './tank_state.ts';

/**
 * Raises an event when the tank is used in a way that is unusual for it, and no loss was raised. A delivery, a step that undoes another
 * step and a gauge that jumps end the sum. `state` is new, and no other code holds it yet. Its sum is therefore set in place: copying the
 * whole state would be slow, because gauge noise changes the sum with many readings.
 */
export function judgeUse(
  settings: AlertSettings,
  before: TankState,
  state: TankState,
  { assessment, rise, loss, level }: AssessedReading,
  reading: LevelReading,
  events: TankEvent[],
): TankState {
  if (assessment.kind === 'outlier' || before.accepted === null || before.history === null) return state;
  const isStepped = assessment.kind === 'step' && assessment.stepReturn !== 'none';
  const isEnd = rise !== null || isStepped || assessment.kind === 'level_set';
  const isFaulty = state.gauge.fault !== null || isAtLimit(before.accepted) || cannotProveLoss(state.gauge);
  const isLossOrFault = isSameLeak(state.loss, reading.atMs) || isFaulty;
  const isOff = reading.atMs >= (settings.unusualUseOffAtMs ?? Infinity);
  if (isEnd || isLossOrFault || isOff || settings.isBatchTank === true || settings.isMobile === true)
    return state.unusual.from === null ? state : { ...state, unusual: endUnusualUse(state.unusual) };
  const fallen = before.loss.smooth - loss.smooth;
  const { accepted, history } = before;
  // The usual use comes from the readings before this one.
  const known = before.level ?? level;
  const { unusual, isFound } = updateUnusualUse(before.unusual, known, fallen, accepted, reading.atMs, history.days);
  state.unusual = unusual;
  if (!isFound || unusual.from === null) return state;
  const { from, usual } = unusual;
  events.push(unusualUse(settings, { from, usual }, reading, eventReadings(from, accepted, reading)));
  return { ...state, unusual: { ...endUnusualUse(unusual), raisedAtMs: reading.atMs } };
}
