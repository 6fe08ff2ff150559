import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { MAX_FORECAST_DAYS } from '../src/evaluation/pure/estimator/forecast.ts';
import { DAY_MS } from '../src/values/time.ts';
import { type BackTest, evaluateYear, insideShare, medianError, type Question } from './evaluate_year.ts';
import { indexAfter, Score } from './event_scores.ts';
import { bestForecastDays } from './forecast_bound.ts';
import { type RealisticTank, realisticTank } from './realistic_fleet.ts';
import { scoreRealisticLeaks, scoreRealisticLows, scoreRealisticRefills } from './realistic_scores.ts';
import { atLeast, atMost, type Check, median, round } from './report.ts';
import type { TankKind } from './tank_use.ts';
import { inOrder, YEAR_STARTS_MS } from './tank_year.ts';

/** Constants were chosen by the fleet of seed 11 only. */
const REPORTED_SEEDS = [4_711, 52_021, 90_125];
/** Busy tanks are never two weeks from their threshold. */
const FORECAST_DAYS: Readonly<Record<TankKind, number>> = {
  household: 14,
  busy: 2,
  generator: 2,
  sporadic: 14,
  seasonal: 14,
};

interface RealisticQuestion extends Question {
  /** What can be known of the true days until the crossing. */
  bestDays: number;
  isOnset: boolean;
}

type RealisticTest = BackTest<RealisticQuestion>;

export class RealisticScore {
  readonly lows = new Score();
  readonly refills = new Score();
  readonly leaks = new Score();
  readonly tests: RealisticTest[] = [];
  tanks = 0;
  healthyTanks = 0;
  falseOnHealthy = 0;
  falseByType: Record<string, number> = {};

  add(tank: RealisticTank, events: readonly TankEvent[], tests: readonly RealisticTest[]): void {
    const isHealthy = tank.health === 'healthy';
    const wrong = {
      low_fill: scoreRealisticLows(tank, events, this.lows),
      refilled: scoreRealisticRefills(tank, events, this.refills),
      rapid_loss: scoreRealisticLeaks(tank, events, this.leaks),
      gauge: isHealthy ? events.filter(({ type }) => type === 'tank.gauge_unreliable').length : 0,
    };
    this.tanks++;
    if (isHealthy) {
      this.healthyTanks++;
      for (const [type, count] of Object.entries(wrong)) {
        this.falseOnHealthy += count;
        this.falseByType[type] = (this.falseByType[type] ?? 0) + count;
      }
    }
    this.tests.push(...tests);
  }

  get medianError(): number {
    return medianError(this.tests);
  }

  get bound(): number {
    return median(this.tests.map(({ bestDays, days }) => Math.abs(bestDays - days) / days));
  }

  coverage(isOnset?: boolean): number {
    return insideShare(this.tests.filter((test) => isOnset === undefined || test.isOnset === isOnset));
  }

  summary() {
    return {
      tanks: this.tanks,
      low_fill: [round(this.lows.recall), round(this.lows.precision), this.lows.happened],
      refill: [round(this.refills.recall), round(this.refills.precision), this.refills.happened],
      rapid_loss: [round(this.leaks.recall), round(this.leaks.precision), this.leaks.happened],
      false_per_healthy_tank_year: round(this.falseOnHealthy / this.healthyTanks),
      false_on_healthy: this.falseByType,
      forecasts: this.tests.length,
      median_error: round(this.medianError),
      best_without_weather: round(this.bound),
      within_interval: round(this.coverage()),
      within_interval_at_onset: [round(this.coverage(true)), this.tests.filter(({ isOnset }) => isOnset).length],
    };
  }
}

/** Scores by kind of tank, by readings a day, and for all tanks with four or more. */
export class RealisticFleetScores {
  readonly all = new RealisticScore();
  readonly often = new RealisticScore();
  readonly dailySlow = new RealisticScore();
  readonly byKind = new Map<string, RealisticScore>();
  readonly byReadings = new Map<string, RealisticScore>();
  readonly byHealth = new Map<string, RealisticScore>();

  add(tank: RealisticTank): void {
    const { events, tests } = evaluateYear(tank.settings, inOrder(tank.deliveries), questionsOf(tank));
    const meanUse = tank.use.perDay.reduce((sum, use) => sum + use, 0) / tank.use.perDay.length;
    const scores = [
      this.all,
      ...(tank.readingsPerDay >= 4 ? [this.often] : []),
      ...(tank.readingsPerDay === 1 && meanUse < 5 ? [this.dailySlow] : []),
      scoreOf(this.byKind, tank.use.kind),
      scoreOf(this.byReadings, String(tank.readingsPerDay)),
      scoreOf(this.byHealth, tank.health),
    ];
    for (const score of scores) score.add(tank, events, tests);
  }

  checks(): Check[] {
    const { lows, refills, leaks } = this.often;
    const of = 'realistic, 4 or more a day';
    return [
      atLeast(`${of}: low fill: recall`, lows.recall, 0.98),
      atLeast(`${of}: low fill: precision`, lows.precision, 0.98),
      atLeast(`${of}: refill: recall`, refills.recall, 0.97),
      atLeast(`${of}: refill: precision`, refills.precision, 0.98),
      atLeast(`${of}: rapid loss: recall`, leaks.recall, 0.9),
      atLeast(`${of}: rapid loss: precision`, leaks.precision, 0.95),
      atMost(`${of}: false events a year, healthy gauge`, this.often.falseOnHealthy / this.often.healthyTanks, 0.2),
      atLeast('realistic, 1 a day, under 5 points a day: refill: recall', this.dailySlow.refills.recall, 0.9),
      atLeast('realistic, 1 a day, under 5 points a day: refill: precision', this.dailySlow.refills.precision, 0.95),
      ...[...this.byKind].flatMap(([kind, score]) => [
        atLeast(`realistic, ${kind}: share within the interval`, score.coverage(), 0.75),
        atMost(`realistic, ${kind}: share within the interval`, score.coverage(), 0.9),
        atMost(`realistic, ${kind}: median error / best without weather`, score.medianError / score.bound, 1.3),
      ]),
    ];
  }

  summary() {
    const summaries = (scores: Map<string, RealisticScore>) =>
      Object.fromEntries([...scores].map(([name, score]) => [name, score.summary()]));
    return {
      all: this.all.summary(),
      four_or_more_a_day: this.often.summary(),
      one_a_day_under_5_points: this.dailySlow.summary(),
      by_kind: summaries(this.byKind),
      by_readings_a_day: summaries(this.byReadings),
      by_gauge: summaries(this.byHealth),
    };
  }
}

export function scoreRealisticFleet(
  tanksPerSeed: number,
  seeds: readonly number[] = REPORTED_SEEDS,
): RealisticFleetScores {
  const scores = new RealisticFleetScores();
  for (const seed of seeds) {
    for (let number = 0; number < tanksPerSeed; number++) scores.add(realisticTank(seed, number));
  }
  return scores;
}

function scoreOf(scores: Map<string, RealisticScore>, name: string): RealisticScore {
  const score = scores.get(name) ?? new RealisticScore();
  scores.set(name, score);
  return score;
}

/** Before each true crossing: two weeks of readings, a good reading just before, and neither truck nor leak until it. */
function questionsOf(tank: RealisticTank): RealisticQuestion[] {
  const { truth, use, goodTimes, settings } = tank;
  const days = FORECAST_DAYS[use.kind];
  return truth.lows.flatMap(({ fromMs }) => {
    const atMs = fromMs - days * DAY_MS;
    const day = Math.floor((atMs - YEAR_STARTS_MS) / DAY_MS);
    const latest = goodTimes[indexAfter(goodTimes, atMs) - 1] ?? 0;
    const isAsked =
      tank.health === 'healthy' &&
      atMs - latest < 2 * truth.cadenceMs + DAY_MS / 24 &&
      day >= 14 &&
      !truth.refills.some((refill) => refill.atMs > atMs - DAY_MS / 4 && refill.atMs < fromMs) &&
      !truth.leaks.some((leak) => leak.toMs > atMs - 3 * DAY_MS && leak.fromMs < fromMs);
    if (!isAsked) return [];
    const points = truth.fillAt(atMs) - settings.minFillAlertPercentage;
    const bestDays = bestForecastDays(use, points, atMs, MAX_FORECAST_DAYS);
    return [{ atMs, days, bestDays, isOnset: use.onsets.some((onset) => onset > day - 2 && onset <= day + days) }];
  });
}
