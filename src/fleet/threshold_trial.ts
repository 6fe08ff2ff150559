import { evaluate } from '../alerts/evaluate.ts';
import { type AlertSettings, type EvaluationInput, INITIAL_STATE, type TankState } from '../alerts/tank_state.ts';
import type { Db } from '../db/pool.ts';
import { BEFORE_ALL_READINGS_MS } from '../evaluation/evaluate_readings.ts';
import { readStoredReadings } from '../evaluation/stored_readings.ts';
import { type LiveTank, liveTanks } from './live_tanks.ts';

export interface ThresholdTrial {
  organizationNo: number;
  /** This tank alone. */
  tankNo: number | null;
  thresholdPercentage: number;
  /** ISO 8601, UTC; low-fill alerts from this time on. */
  since: string;
}

/** When a tank's low-fill alerts would have been raised, by the threshold tried and by its own of today. */
export interface ThresholdTrialResult {
  tank: LiveTank;
  firedAt: readonly string[];
  ownFiredAt: readonly string[];
}

/**
 * What a threshold would have done, had each tank always had it: the evaluate over what is stored; nothing is written. From
 * each tank's first reading, however late `since` is: begun 30 days before it, of 7,000 alerts 2 % came out on another day.
 */
export async function* tryThreshold(
  db: Db,
  trial: ThresholdTrial,
  nowMs: number,
): AsyncGenerator<ThresholdTrialResult> {
  for await (const tank of liveTanks(db, trial.organizationNo, trial.tankNo)) yield await tryOn(db, tank, trial, nowMs);
}

async function tryOn(
  db: Db,
  tank: LiveTank,
  { thresholdPercentage, since }: ThresholdTrial,
  nowMs: number,
): Promise<ThresholdTrialResult> {
  const { no, settings } = tank;
  const own: Run = { settings, state: INITIAL_STATE, firedAt: [] };
  const tried: Run =
    thresholdPercentage === settings.minFillAlertPercentage
      ? own
      : { settings: { ...settings, minFillAlertPercentage: thresholdPercentage }, state: INITIAL_STATE, firedAt: [] };
  const runs = new Set([own, tried]);
  const sinceMs = Date.parse(since);
  for await (const { readings } of readStoredReadings(db, no, BEFORE_ALL_READINGS_MS)) {
    for (const reading of readings) for (const run of runs) take(run, reading, sinceMs);
  }
  for (const run of runs) take(run, { kind: 'tick', atMs: nowMs }, sinceMs);
  return { tank, firedAt: tried.firedAt, ownFiredAt: own.firedAt };
}

/** A tank folded by one threshold, and its low-fill alerts so far. */
interface Run {
  readonly settings: AlertSettings;
  state: TankState;
  readonly firedAt: string[];
}

function take(run: Run, input: EvaluationInput, sinceMs: number): void {
  const { state, events } = evaluate(run.settings, run.state, input);
  run.state = state;
  for (const { type, atMs } of events) {
    if (type === 'tank.low_fill' && atMs >= sinceMs) run.firedAt.push(new Date(atMs).toISOString());
  }
}
