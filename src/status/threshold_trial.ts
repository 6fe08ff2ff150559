import type { Db } from '../db/pool.ts';
import { evaluate } from '../evaluation/pure/alerts/evaluate.ts';
import {
  type AlertSettings,
  type EvaluationInput,
  INITIAL_STATE,
  type TankState,
} from '../evaluation/pure/alerts/tank_state.ts';
import { BEFORE_ALL_READINGS_MS, readStoredReadings } from '../evaluation/stored_readings.ts';
import { type LiveTank, liveTanks } from './live_tanks.ts';

export interface ThresholdTrial {
  organizationNo: number;
  /** The tank; null for all live tanks. */
  tankNo: number | null;
  thresholdPercentage: number;
  /** ISO 8601, UTC. Earlier low-fill alerts are not counted. */
  since: string;
}

/** When a tank's low-fill alerts would have been raised. */
export interface ThresholdTrialResult {
  tank: LiveTank;
  /** The alerts with the threshold of the trial. */
  firedAt: readonly string[];
  /** The alerts with the tank's current threshold. */
  ownFiredAt: readonly string[];
}

/**
 * Computes the alerts of each tank as if it had always had this threshold. It evaluates the stored readings and writes
 * nothing. It begins with each tank's first reading, even if `since` is much later: an evaluation that began 30 days
 * before `since` put 2 % of 7,000 alerts on another day.
 */
export async function* tryThreshold(
  db: Db,
  trial: ThresholdTrial,
  nowMs: number,
): AsyncGenerator<ThresholdTrialResult> {
  for await (const tank of liveTanks(db, trial.organizationNo, trial.tankNo))
    yield await tryOnTank(db, tank, trial, nowMs);
}

async function tryOnTank(
  db: Db,
  tank: LiveTank,
  { thresholdPercentage, since }: ThresholdTrial,
  nowMs: number,
): Promise<ThresholdTrialResult> {
  const runs = new TrialRuns(tank.settings, thresholdPercentage, Date.parse(since));
  for await (const { readings } of readStoredReadings(db, tank.no, BEFORE_ALL_READINGS_MS)) {
    for (const reading of readings) runs.evaluate(reading);
  }
  runs.evaluate({ kind: 'tick', atMs: nowMs });
  return { tank, firedAt: runs.firedAt, ownFiredAt: runs.ownFiredAt };
}

/** The evaluation of a tank with one threshold, and its low-fill alerts so far. */
interface TrialRun {
  readonly settings: AlertSettings;
  state: TankState;
  readonly firedAt: string[];
}

/** Evaluates the readings of a tank, oldest first, with its own threshold and with another one. */
export class TrialRuns {
  readonly #own: TrialRun;
  readonly #tried: TrialRun;
  readonly #sinceMs: number;

  /** Alerts before `sinceMs` are not counted. */
  constructor(settings: AlertSettings, thresholdPercentage: number, sinceMs: number) {
    this.#own = { settings, state: INITIAL_STATE, firedAt: [] };
    this.#tried =
      thresholdPercentage === settings.minFillAlertPercentage
        ? this.#own
        : { settings: { ...settings, minFillAlertPercentage: thresholdPercentage }, state: INITIAL_STATE, firedAt: [] };
    this.#sinceMs = sinceMs;
  }

  get firedAt(): readonly string[] {
    return this.#tried.firedAt;
  }

  get ownFiredAt(): readonly string[] {
    return this.#own.firedAt;
  }

  evaluate(input: EvaluationInput): void {
    for (const run of new Set([this.#own, this.#tried])) evaluateInput(run, input, this.#sinceMs);
  }
}

function evaluateInput(run: TrialRun, input: EvaluationInput, sinceMs: number): void {
  const { state, events, retracted } = evaluate(run.settings, run.state, input);
  run.state = state;
  for (const { type, atMs } of events) {
    if (type === 'tank.low_fill' && atMs >= sinceMs) run.firedAt.push(new Date(atMs).toISOString());
  }
  for (const { type, atMs } of retracted) {
    const index = type === 'tank.low_fill' ? run.firedAt.indexOf(new Date(atMs).toISOString()) : -1;
    if (index >= 0) run.firedAt.splice(index, 1);
  }
}
