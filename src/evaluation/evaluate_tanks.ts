import type { TankReading } from '../telemetry/reading.ts';
import {
  evaluateLater,
  evaluateReadings,
  type ReadingsOfTank,
  type TankToEvaluate,
  type TankUpdate,
  withoutEvaluation,
} from './evaluate_readings.ts';

export interface EvaluationFailure {
  tankNo: number;
  error: unknown;
}

/**
 * Evaluates the new readings of each tank and returns one update per tank, sorted by tank. An error affects one tank
 * only: its update keeps the stored state and marks the tank for re-evaluation, so that readings are stored even if
 * evaluation fails. With `knownError`, no tank is evaluated and all of them are marked.
 * @param readings sorted by tank and time
 * @param toEvaluate returns null for a tank whose readings are stored without evaluation
 */
export function evaluateTanks(
  readings: readonly TankReading[],
  toEvaluate: (tankNo: number) => TankToEvaluate | null,
  nowMs: number,
  knownError?: Error,
): { updates: TankUpdate[]; failures: EvaluationFailure[] } {
  const updates: TankUpdate[] = [];
  const failures: EvaluationFailure[] = [];
  for (const newReadings of groupByTank(readings)) {
    const tank = toEvaluate(newReadings.tankNo);
    if (tank === null) {
      updates.push(withoutEvaluation(newReadings));
      continue;
    }
    try {
      if (knownError !== undefined) throw knownError;
      updates.push(evaluateReadings(tank, newReadings, nowMs));
    } catch (error) {
      updates.push(evaluateLater(tank, newReadings));
      failures.push({ tankNo: tank.tankNo, error });
    }
  }
  return { updates, failures };
}

function groupByTank(sorted: readonly TankReading[]): ReadingsOfTank[] {
  const groups: ReadingsOfTank[] = [];
  for (const reading of sorted) {
    const last = groups.at(-1);
    if (last?.tankNo === reading.tankNo) {
      last.readings.push(reading);
      last.latest = reading;
    } else groups.push({ tankNo: reading.tankNo, readings: [reading], firstMs: reading.atMs, latest: reading });
  }
  return groups;
}
