import { isPermanentFailure } from '../db/permanent_failures.ts';
import type { EvaluationFailure } from './evaluation_failures.ts';

/**
 * Evaluates tanks together. If that fails because of one tank, for example because the database rejects its event,
 * evaluates each half of the tanks, until the failing tank is alone. Returns the tanks that fail. Throws if the
 * database is unavailable.
 * @param evaluateTanks evaluates tanks in a transaction of its own, and returns those of them that fail
 */
export async function isolateFailingTanks(
  tankNos: readonly number[],
  evaluateTanks: (tankNos: readonly number[]) => Promise<EvaluationFailure[]>,
): Promise<EvaluationFailure[]> {
  const [first] = tankNos;
  if (first === undefined) return [];
  try {
    return await evaluateTanks(tankNos);
  } catch (error) {
    if (!isPermanentFailure(error)) throw error;
    if (tankNos.length === 1) return [{ tankNo: first, error }];
    const middle = Math.ceil(tankNos.length / 2);
    return [
      ...(await isolateFailingTanks(tankNos.slice(0, middle), evaluateTanks)),
      ...(await isolateFailingTanks(tankNos.slice(middle), evaluateTanks)),
    ];
  }
}
