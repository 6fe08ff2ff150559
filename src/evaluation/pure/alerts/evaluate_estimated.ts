import { tenth } from '../../../values/tenth.ts';
import {
  cannotBeTold,
  type DipState,
  expectFrom,
  initialDips,
  nextLookMs,
  passTo,
  seeDip,
  takeNote,
} from '../dips/dip_state.ts';
import { INITIAL_GAUGE } from '../estimator/gauge_health.ts';
import type { LevelReading } from '../estimator/level_filter.ts';
import { eventReadings, type TankEvent } from './tank_event.ts';
import {
  type AlertSettings,
  type EvaluationInput,
  INITIAL_STATE,
  latestReading,
  type TankState,
} from './tank_state.ts';

/** A tank state of a tank without a sensor. */
type EstimatedState = TankState & { dips: DipState };

/** An alert ends when the level is this far above the threshold. */
const HYSTERESIS = 5;

/**
 * Whether the input belongs to a tank without a sensor. Until the first reading of a new sensor, the estimate goes on: the level is
 * still known, and a sensor that has never reported is not silent.
 */
export function isEstimated({ manual }: AlertSettings, { dips }: TankState, { kind, atMs }: EvaluationInput): boolean {
  const isManual = manual !== undefined && atMs >= manual.fromMs && atMs < manual.toMs;
  return isManual || (dips !== null && kind !== 'reading');
}

/**
 * The next state of a tank without a sensor, as `evaluate` for others. Nothing is silent and no gauge is doubted. The level falls
 * from day to day by the use of the region, so an alert can come without a dip. It ends when somebody sees a level above it.
 */
export function evaluateEstimated(
  settings: AlertSettings,
  state: TankState,
  input: EvaluationInput,
): { state: TankState; events: TankEvent[] } {
  const events: TankEvent[] = [];
  const region = settings.manual?.region ?? null;
  const isTold = settings.manual?.isTold ?? state.dips?.isTold ?? true;
  const begun: EstimatedState =
    state.dips === null || state.dips.isTold !== isTold
      ? withDips(state, { ...(state.dips ?? initialDips(input.atMs)), isTold }, input.atMs)
      : { ...state, dips: state.dips };
  const looked = passLooks(settings, begun, input.atMs, events);
  // What people say about the tank counts at once, as a changed threshold does.
  const isChanged = state.dips !== null && state.dips.isTold !== isTold;
  const passed = isChanged ? judge(settings, { ...looked, atMs: input.atMs }, events, { canEnd: false }) : looked;
  if (input.kind === 'tick' || (input.kind === 'reading' && input.atMs === latestReading(passed)?.atMs))
    return { state: passed, events };
  if (input.kind === 'settings')
    return { state: judge(input.settings, { ...passed, atMs: input.atMs }, events), events };
  const { atMs } = input;
  const now = passTo(passed.dips, atMs, region);
  if (input.kind === 'delivery') {
    const dips = expectFrom(takeNote(now, input, region), atMs, region);
    return { state: judge(settings, { ...passed, atMs, dips }, events), events };
  }
  const dip = { atMs, fillPercentage: Math.round(input.fillPercentage * 100) / 100 };
  const dips = expectFrom(seeDip(now, dip, region), atMs, region);
  return { state: judge(settings, { ...passed, atMs, believed: dip, dips }, events, { dip }), events };
}

/** The state of a tank whose sensor was taken away: only the alert and the last reading stay. Also after people said what can be told. */
const withDips = (
  { believed, isLow, lowAtMs, recoveredAtMs }: TankState,
  dips: DipState,
  atMs: number,
): EstimatedState => ({
  ...INITIAL_STATE,
  gauge: INITIAL_GAUGE,
  atMs,
  believed,
  isLow,
  lowAtMs,
  recoveredAtMs,
  dips,
});

/** The state before the first reading of a new sensor. */
export const endEstimate = (state: TankState): TankState => ({ ...state, dips: null });

/** Moves the level on, day by day from the last dip, so that nothing depends on how often the clock ticks. */
function passLooks(settings: AlertSettings, state: EstimatedState, toMs: number, events: TankEvent[]): EstimatedState {
  const region = settings.manual?.region ?? null;
  let next = state;
  for (;;) {
    const lookMs = nextLookMs(next.dips);
    if (lookMs === null || lookMs > toMs)
      return next === state ? state : { ...next, dips: expectFrom(next.dips, next.dips.lookedAtMs, region) };
    const looked = { ...next, atMs: lookMs, dips: passTo(next.dips, lookMs, region) };
    next = judge(settings, looked, events, { canEnd: false });
  }
}

/** Raises and ends the alert. A person who sees the level at the threshold is believed, whatever was expected. */
function judge(
  { minFillAlertPercentage: threshold }: AlertSettings,
  state: EstimatedState,
  events: TankEvent[],
  { dip = null, canEnd = true }: { dip?: LevelReading | null; canEnd?: boolean } = {},
): EstimatedState {
  const { atMs, dips, believed } = state;
  if (dips.estimate === null) return state;
  const isTold = cannotBeTold(dips, atMs) === null;
  const level = isTold ? dips.estimate.level : (believed?.fillPercentage ?? dips.estimate.level);
  const isLow = level <= threshold || (dip !== null && dip.fillPercentage <= threshold);
  const data = {
    fill_percentage: tenth(isLow && dip !== null ? Math.min(level, dip.fillPercentage) : level),
    threshold_percentage: threshold,
    estimated: true as const,
  };
  if (isLow && !state.isLow && state.lowAtMs !== atMs) {
    events.push({ type: 'tank.low_fill', atMs, data, readings: eventReadings(believed) });
    return { ...state, isLow: true, lowAtMs: atMs };
  }
  const isClear = level >= threshold + Math.min(HYSTERESIS, (100 - threshold) / 2);
  // Nobody has seen anything: an alert does not end because the level cannot be told any more.
  if (!canEnd || !state.isLow || isLow || !isClear || state.recoveredAtMs === atMs) return state;
  events.push({ type: 'tank.fill_recovered', atMs, data, readings: eventReadings(believed) });
  return { ...state, isLow: false, recoveredAtMs: atMs };
}
