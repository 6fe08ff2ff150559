import type { Tx } from '../db/pool.ts';
import { readCheckpoints, type StoredCheckpoint } from './checkpoints.ts';
import { foldInputs } from './pure/alerts/fold_inputs.ts';
import { compareInputs } from './pure/alerts/tank_state.ts';
import { startFromCheckpoint } from './reevaluation_start.ts';
import { encodeState } from './state_codec.ts';
import type { ReadingInput } from './stored_readings.ts';
import { readSettingsHistory, settingsAt } from './tank_settings.ts';

/**
 * Computes the state of each tank at the last of these readings, which are all its stored readings up to that time.
 * After the readings are deleted, evaluation begins with this state and finds the same events as with all readings.
 */
export async function computeBaseCheckpoints(
  tx: Tx,
  readings: ReadonlyMap<number, readonly ReadingInput[]>,
): Promise<StoredCheckpoint[]> {
  const tankNos = [...readings.keys()];
  const [settings, checkpoints] = [await readSettingsHistory(tx, tankNos), await readCheckpoints(tx, tankNos)];
  return [...readings].flatMap(([tankNo, tankReadings]) => {
    const [tank, last] = [settings.get(tankNo), tankReadings.at(-1)];
    if (tank === undefined || last === undefined) return [];
    const tankCheckpoints = checkpoints.get(tankNo) ?? [];
    const base = tankCheckpoints.find(({ isBase }) => isBase);
    // All readings are late readings of the period that was dropped before. They were never evaluated.
    if (base !== undefined && last.atMs <= base.atMs) return [base];
    const start = startFromCheckpoint(tankCheckpoints, last.atMs + 1);
    const isNew = ({ atMs }: { atMs: number }): boolean => atMs > start.atMs && atMs <= last.atMs;
    const inputs = [...tankReadings.filter(isNew), ...tank.changes.filter(isNew)].toSorted(compareInputs);
    const from = { settings: settingsAt(tank, start.atMs), state: start.state };
    const { state } = foldInputs(from, inputs, tankNo);
    return [{ tankNo, atMs: last.atMs, encodedState: encodeState(state), isBase: true }];
  });
}
