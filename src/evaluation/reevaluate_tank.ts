import { type StoredCheckpoint, storedCheckpoint } from './checkpoints.ts';
import { compareEvents, differencesAfterUpgrade, type EventDifferences } from './pure/alerts/compare_events.ts';
import { nextTimerMs } from './pure/alerts/evaluate.ts';
import type { RetractionReason } from './pure/alerts/event_types.ts';
import { foldInputs } from './pure/alerts/fold_inputs.ts';
import type { RetractedEvent, TankEvent } from './pure/alerts/tank_event.ts';
import { compareInputs, type EvaluationInput, type TankState } from './pure/alerts/tank_state.ts';
import type { ReevaluationStart } from './reevaluation_start.ts';
import type { SavedState } from './save_states.ts';
import { encodeState } from './state_codec.ts';
import type { ReadingInput } from './stored_readings.ts';
import { settingsAt, type TankSettingsHistory } from './tank_settings.ts';

export type DeliveryInput = Extract<EvaluationInput, { kind: 'delivery' }>;

export interface ReevaluationInputs {
  readings: readonly ReadingInput[];
  /** The deliveries to a tank without a sensor, from its delivery notes. */
  deliveries: readonly DeliveryInput[];
  /** True if there are more readings. The re-evaluation stops at the last of these. */
  isPart: boolean;
  recorded: readonly TankEvent[];
  /** True if an older release recorded the events. */
  isAfterUpgrade: boolean;
  /** Why recorded events that are not found again are retracted. Null for late readings. */
  retractBecause: RetractionReason | null;
}

export interface ReevaluatedTank {
  tank: TankSettingsHistory;
  saved: SavedState;
  state: TankState;
  differences: EventDifferences;
  /** Events that later readings have shown to be wrong, including events from before the start. */
  retracted: readonly RetractedEvent[];
  isAfterUpgrade: boolean;
  retractBecause: RetractionReason | null;
  checkpoints: StoredCheckpoint[];
}

/**
 * Evaluates a tank again from a start, and compares the events with the recorded ones. The result is the same as if all
 * inputs had come in order. With a part of the readings, the tank stays marked from the last of them on.
 */
export function reevaluateTank(
  tank: TankSettingsHistory,
  start: ReevaluationStart,
  { readings, deliveries, isPart, recorded, isAfterUpgrade, retractBecause }: ReevaluationInputs,
  upToMs: number,
): ReevaluatedTank {
  const { tankNo } = tank;
  const untilMs = isPart ? (readings.at(-1)?.atMs ?? start.atMs) : Number.POSITIVE_INFINITY;
  const isInPart = ({ atMs }: { atMs: number }): boolean => atMs > start.atMs && atMs <= untilMs;
  const changes = tank.changes.filter(isInPart);
  const tick = { kind: 'tick', atMs: upToMs } as const;
  const inputs = [...readings, ...changes, ...deliveries.filter(isInPart), ...(isPart ? [] : [tick])].toSorted(
    compareInputs,
  );
  const from = { settings: settingsAt(tank, start.atMs), state: start.state };
  const { state, events, retracted, checkpoints } = foldInputs(from, inputs, tankNo);
  const compared = recorded.filter(({ atMs }) => atMs > start.eventsAfterMs && atMs <= untilMs);
  const found = start.isWarmingUp ? events.filter(({ atMs }) => atMs > start.eventsAfterMs) : events;
  const differences = compareEvents(found, compared);
  const firstReadingMs = start.state.accepted?.atMs ?? readings[0]?.atMs ?? Number.POSITIVE_INFINITY;
  return {
    tank,
    state,
    saved: {
      tankNo,
      encodedState: encodeState(state),
      timerMs: isPart || tank.isDeleted ? null : nextTimerMs(state),
      reevaluateFromMs: isPart ? untilMs + 1 : null,
    },
    differences: isAfterUpgrade
      ? differencesAfterUpgrade(differences, compared, { state, firstReadingMs, nowMs: Date.now() })
      : differences,
    retracted,
    isAfterUpgrade,
    retractBecause,
    checkpoints: checkpoints.map((checkpoint) => storedCheckpoint(tankNo, checkpoint)),
  };
}
