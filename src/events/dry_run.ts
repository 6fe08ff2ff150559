import type { Db } from '../db/pool.ts';
import { fold } from './fold.ts';
import { BEGINNING_MS } from './judge.ts';
import { type LiveTank, liveTanks } from './live_tanks.ts';
import { readReadings } from './readings.ts';
import { type Input, NO_STATE, type Settings, type State } from './state.ts';

export interface ThresholdTrial {
  organizationNo: number;
  /** This tank alone. */
  tankNo: number | null;
  thresholdPercentage: number;
  /** ISO 8601, UTC; low-fill alerts from this time on. */
  since: string;
}

/** When a tank's low-fill alerts would have been raised, by the threshold tried and by its own of today. */
export interface TriedTank {
  tank: LiveTank;
  firedAt: readonly string[];
  ownFiredAt: readonly string[];
}

/**
 * What a threshold would have done, had each tank always had it: the fold over what is stored; nothing is written. From
 * each tank's first reading, however late `since` is: begun 30 days before it, of 7,000 alerts 2 % came out on another day.
 */
export async function* tryThreshold(db: Db, trial: ThresholdTrial, nowMs: number): AsyncGenerator<TriedTank> {
  for await (const tank of liveTanks(db, trial.organizationNo, trial.tankNo)) yield await tryOn(db, tank, trial, nowMs);
}

async function tryOn(
  db: Db,
  tank: LiveTank,
  { thresholdPercentage, since }: ThresholdTrial,
  nowMs: number,
): Promise<TriedTank> {
  const { no, settings } = tank;
  const own: Run = { settings, state: NO_STATE, firedAt: [] };
  const tried: Run =
    thresholdPercentage === settings.minFillAlertPercentage
      ? own
      : { settings: { ...settings, minFillAlertPercentage: thresholdPercentage }, state: NO_STATE, firedAt: [] };
  const runs = new Set([own, tried]);
  const sinceMs = Date.parse(since);
  for await (const { readings } of readReadings(db, no, BEGINNING_MS)) {
    for (const reading of readings) for (const run of runs) take(run, reading, sinceMs);
  }
  for (const run of runs) take(run, { kind: 'tick', atMs: nowMs }, sinceMs);
  return { tank, firedAt: tried.firedAt, ownFiredAt: own.firedAt };
}

/** A tank folded by one threshold, and its low-fill alerts so far. */
interface Run {
  readonly settings: Settings;
  state: State;
  readonly firedAt: string[];
}

function take(run: Run, input: Input, sinceMs: number): void {
  const { state, events } = fold(run.settings, run.state, input);
  run.state = state;
  for (const { type, atMs } of events) {
    if (type === 'tank.low_fill' && atMs >= sinceMs) run.firedAt.push(new Date(atMs).toISOString());
  }
}
