import { tenth } from '../../../values/tenth.ts';
import {
  advanceTo,
  applyDeliveryNote,
  applyDip,
  type DipState,
  initialDips,
  nextAdvanceMs,
  noEstimateReason,
  updateExpectedUse,
} from '../dips/dip_state.ts';
import { INITIAL_GAUGE } from '../estimator/gauge_health.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { beginOrder, endOrder, orderThresholdOf } from './order_threshold.ts';
import { eventReadings, type TankEvent } from './tank_event.ts';
import {
  type AlertSettings,
  type EvaluationInput,
  INITIAL_STATE,
  latestReading,
  type TankState,
} from './tank_state.ts';

type EstimatedState = TankState & { dips: DipState };

/** An alert ends when the level is this many points above the threshold. */
const HYSTERESIS_POINTS = 5;

/**
 * Returns true if the input belongs to a tank without a sensor. The estimate continues until the first reading of a new sensor:
 * the level is still known, and a sensor that has never reported is not silent.
 */
export function isEstimated({ manual }: AlertSettings, { dips }: TankState, { kind, atMs }: EvaluationInput): boolean {
  const isManual = manual !== undefined && atMs >= manual.fromMs && atMs < manual.toMs;
  return isManual || (dips !== null && kind !== 'reading');
}

/**
 * Computes the next state of a tank without a sensor, as `evaluate` does for other tanks. There is no silence and no
 * gauge fault. The level falls from day to day by the use of the region, so an alert can begin without a dip. It ends
 * when a dip or a delivery note shows a level above the threshold.
 */
export function evaluateEstimated(
  settings: AlertSettings,
  state: TankState,
  input: EvaluationInput,
): { state: TankState; events: TankEvent[] } {
  const events: TankEvent[] = [];
  const region = settings.manual?.region ?? null;
  const isUsePredictable = settings.manual?.isUsePredictable ?? state.dips?.isUsePredictable ?? true;
  const begun: EstimatedState =
    state.dips === null || state.dips.isUsePredictable !== isUsePredictable
      ? withDips(state, { ...(state.dips ?? initialDips(input.atMs)), isUsePredictable }, input.atMs)
      : { ...state, dips: state.dips };
  const advanced = advanceDaily(settings, begun, input.atMs, events);
  // A changed `isUsePredictable` takes effect at once, like a changed threshold.
  const isChanged = state.dips !== null && state.dips.isUsePredictable !== isUsePredictable;
  const current = isChanged ? judge(settings, { ...advanced, atMs: input.atMs }, events, { canEnd: false }) : advanced;
  if (input.kind === 'tick' || (input.kind === 'reading' && input.atMs === latestReading(current)?.atMs))
    return { state: current, events };
  if (input.kind === 'settings')
    return { state: judge(input.settings, { ...current, atMs: input.atMs }, events), events };
  const { atMs } = input;
  const now = advanceTo(current.dips, atMs, region);
  if (input.kind === 'delivery') {
    const dips = updateExpectedUse(applyDeliveryNote(now, input, region), atMs, region);
    return { state: judge(settings, { ...current, atMs, dips }, events), events };
  }
  const dip = { atMs, fillPercentage: Math.round(input.fillPercentage * 100) / 100 };
  const dips = updateExpectedUse(applyDip(now, dip, region), atMs, region);
  return { state: judge(settings, { ...current, atMs, accepted: dip, dips }, events, { dip }), events };
}

/**
 * The state of a tank after its sensor is removed, or after `isUsePredictable` changes. It keeps only the alert and the
 * last reading.
 */
const withDips = (
  { accepted, isLow, lowAtMs, recoveredAtMs, orderDueAtMs }: TankState,
  dips: DipState,
  atMs: number,
): EstimatedState => ({
  ...INITIAL_STATE,
  gauge: INITIAL_GAUGE,
  atMs,
  accepted,
  isLow,
  lowAtMs,
  recoveredAtMs,
  orderDueAtMs,
  dips,
});

/** The state before the first reading of a new sensor. */
export const endEstimate = (state: TankState): TankState => ({ ...state, dips: null });

/** Advances the estimate day by day from the last dip, so that the result does not depend on the frequency of ticks. */
function advanceDaily(
  settings: AlertSettings,
  state: EstimatedState,
  toMs: number,
  events: TankEvent[],
): EstimatedState {
  const region = settings.manual?.region ?? null;
  let next = state;
  for (;;) {
    const advanceMs = nextAdvanceMs(next.dips);
    if (advanceMs === null || advanceMs > toMs)
      return next === state ? state : { ...next, dips: updateExpectedUse(next.dips, next.dips.advancedToMs, region) };
    const advanced = { ...next, atMs: advanceMs, dips: advanceTo(next.dips, advanceMs, region) };
    next = judge(settings, advanced, events, { canEnd: false });
  }
}

interface JudgedEstimate {
  level: number;
  /** The level, or a dip below it: a dip at or below a threshold counts, even if the estimate is higher. */
  lowest: number;
  canEnd: boolean;
}

/** Raises and ends the alert and the order. */
function judge(
  settings: AlertSettings,
  state: EstimatedState,
  events: TankEvent[],
  { dip = null, canEnd = true }: { dip?: LevelReading | null; canEnd?: boolean } = {},
): EstimatedState {
  const { atMs, dips, accepted } = state;
  if (dips.estimate === null) return state;
  const hasEstimate = noEstimateReason(dips, atMs) === null;
  const level = hasEstimate ? dips.estimate.level : (accepted?.fillPercentage ?? dips.estimate.level);
  const judged = { level, lowest: Math.min(level, dip?.fillPercentage ?? level), canEnd };
  return judgeOrder(settings, judgeLow(settings, state, judged, events), judged, events);
}

function judgeOrder(
  settings: AlertSettings,
  state: EstimatedState,
  { level, lowest, canEnd }: JudgedEstimate,
  events: TankEvent[],
): EstimatedState {
  const threshold = orderThresholdOf(settings);
  if (threshold === null) return endOrder(state);
  if (state.orderDueAtMs !== null) return canEnd && isClear(level, threshold) ? endOrder(state) : state;
  if (lowest > threshold) return state;
  return beginOrder(state, state.atMs, { fillPercentage: tenth(lowest), threshold, isEstimated: true }, events);
}

const isClear = (level: number, threshold: number): boolean =>
  level >= threshold + Math.min(HYSTERESIS_POINTS, (100 - threshold) / 2);

function judgeLow(
  { minFillAlertPercentage: threshold }: AlertSettings,
  state: EstimatedState,
  { level, lowest, canEnd }: JudgedEstimate,
  events: TankEvent[],
): EstimatedState {
  const { atMs, accepted } = state;
  const isLow = lowest <= threshold;
  const data = {
    fill_percentage: tenth(isLow ? lowest : level),
    threshold_percentage: threshold,
    estimated: true as const,
  };
  if (isLow && !state.isLow && state.lowAtMs !== atMs) {
    events.push({ type: 'tank.low_fill', atMs, data, readings: eventReadings(accepted) });
    return { ...state, isLow: true, lowAtMs: atMs };
  }
  // Time alone does not end an alert, for example when the level can no longer be estimated.
  if (!canEnd || !state.isLow || isLow || !isClear(level, threshold) || state.recoveredAtMs === atMs) return state;
  events.push({ type: 'tank.fill_recovered', atMs, data, readings: eventReadings(accepted) });
  return { ...state, isLow: false, recoveredAtMs: atMs };
}
