import { scoreDips } from './deliveries/dip_fleets.ts';
import { scoreMatching } from './deliveries/match_scores.ts';
import { scoreOrder } from './deliveries/order_scores.ts';
import { scoreTrucks } from './deliveries/truck_scores.ts';
import { scoreVerdicts } from './deliveries/verdict_scores.ts';
import { scoreWinters } from './deliveries/winter_scores.ts';
import type { BenchOptions, Report } from './report.ts';

/** Scores rounds, delivery notes, trucks and tanks without a sensor in simulations. It needs no other program. */
export async function benchDeliveries({ isQuick, log }: BenchOptions): Promise<Report> {
  const timesMs: Record<string, number> = {};
  const timed = <Result>(name: string, score: () => Result): Result => {
    const startMs = performance.now();
    const result = score();
    timesMs[name] = Math.round(performance.now() - startMs);
    log(`${name}: ${timesMs[name]} ms`);
    return result;
  };
  const order = timed('order', () => scoreOrder(isQuick));
  const matching = timed('matching', () => scoreMatching(isQuick));
  const verdicts = timed('verdicts', () => scoreVerdicts(isQuick));
  const trucks = timed('trucks', () => scoreTrucks(isQuick, log));
  const dips = timed('dips', () => scoreDips(isQuick, log));
  const winters = timed('winters', () => scoreWinters(isQuick, log));
  return {
    name: 'deliveries',
    checks: [...winters.checks, ...order, ...verdicts, ...matching, ...trucks.checks, ...dips.checks],
    policies: winters.policies,
    deliveries_until_flagged: trucks.deliveriesUntilFlagged,
    trucks_by_condition: trucks.conditions,
    without_a_sensor: { winter: dips.winter, winter_without_dips: dips.winterWithoutDips, year: dips.year },
    times_ms: timesMs,
  };
}
