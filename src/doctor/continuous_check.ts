import type { Db } from '../db/pool.ts';
import { readCounterCheck } from '../telemetry/counter_check.ts';
import { type CheckFinding, finding, firstOfMany, warning } from './finding.ts';

/** Reports the wrong counters that the worker found in the background. */
export async function checkContinuousCheck(db: Db): Promise<CheckFinding[]> {
  const { wrong_counters, example, ended_wrong, ended_example, checked_at, is_stalled } = await readCounterCheck(db);
  const count = Math.max(wrong_counters, ended_wrong);
  const findings: CheckFinding[] = [];
  if (count > 0) {
    findings.push(
      finding(
        `the worker found wrong counters: ${firstOfMany(example ?? ended_example ?? '', count)}`,
        'run tankwatch doctor --fix, which counts all readings again; the worker confirms it in its next round',
      ),
    );
  }
  if (is_stalled) {
    findings.push(
      warning(
        `the worker has counted no readings again since ${checked_at}`,
        'check that tankwatch worker is running; see its log. tankwatch doctor --full counts all readings now',
      ),
    );
  }
  return findings;
}
