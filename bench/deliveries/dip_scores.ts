import {
  advanceDays,
  beginWithLevel,
  DIP_DEVIATION_POINTS,
  type DipEstimate,
  type ScalePrior,
  updateWithDelivery,
  updateWithLevel,
} from '../../src/evaluation/pure/dips/dip_filter.ts';
import { daysToLevel, type ExpectedUse, isDipWanted } from '../../src/evaluation/pure/dips/dip_forecast.ts';
import type { DaysRange } from '../../src/evaluation/pure/estimator/forecast.ts';
import type { Random } from '../../src/simulation/random.ts';
import { clamp, mean } from '../../src/values/statistics.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { round } from '../report.ts';

/** A tank without a sensor, for the filter alone: its use by day, and the use of its region. */
export interface DippedLife {
  random: Random;
  number: number;
  use: ArrayLike<number>;
  firstFill: number;
  orderBelow: [number, number];
  /** The regional use of a day, in points. */
  regionalUse: (day: number) => number;
  /** The regional use that is expected from a day on. */
  expectedFrom: (day: number) => ExpectedUse;
  prior: ScalePrior;
  from: number;
  to: number;
  askedFrom: number;
  /** The day after the last one whose use is known. */
  end: number;
  hasDips: boolean;
}

/** One forecast, and when the tank was really empty. */
export interface DipQuestion {
  range: DaysRange;
  /** Infinite if the tank was not empty on the last known day. */
  trueDays: number;
  /** Days until the last known day. */
  knownDays: number;
  isDipWanted: boolean;
}

/** Simulates a tank with one dip a month and notes that say "filled to 80 %". Asks every fifth day when it will be empty. */
export function askDippedTank(life: DippedLife): DipQuestion[] {
  const { random, use, from, to } = life;
  const questions: DipQuestion[] = [];
  const dialError = 2.5 * random.normal();
  const orderLevel = (): number => random.between(...life.orderBelow);
  let order = orderLevel();
  let dipDay = from + Math.floor(random.between(0, 30));
  let fill = life.firstFill;
  let estimate: DipEstimate | null = null;
  const takeDip = (day: number, level: number): void => {
    estimate =
      estimate === null
        ? beginWithLevel(day * DAY_MS, level, DIP_DEVIATION_POINTS, life.prior)
        : updateWithLevel(estimate, level, DIP_DEVIATION_POINTS);
  };
  for (let day = from; day < to; day++) {
    fill = Math.max(0, fill - (use[day - 1] ?? 0));
    if (estimate !== null) estimate = advanceDays(estimate, day * DAY_MS, life.regionalUse);
    if (day === dipDay) {
      if (life.hasDips) takeDip(day, clamp(Math.round(fill + dialError + 1.5 * random.normal()), 0, 95));
      dipDay += 28 + Math.floor(random.between(0, 6));
    }
    if (fill <= order) {
      const filledTo = 80 + 1.5 * random.normal();
      const metered = (filledTo - fill) * (1 + 0.005 * random.normal());
      estimate =
        estimate === null ? beginWithLevel(day * DAY_MS, 80, 2, life.prior) : updateWithDelivery(estimate, metered, 80);
      fill = filledTo;
      order = orderLevel();
    }
    if (day < life.askedFrom || day % 5 !== life.number % 5 || estimate === null || fill <= 3) continue;
    questions.push({
      range: daysToLevel(estimate, 0, life.expectedFrom(day)),
      trueDays: daysUntilUsed(use, day, fill, life.end),
      knownDays: life.end - day,
      isDipWanted: isDipWanted(estimate),
    });
  }
  return questions;
}

function daysUntilUsed(use: ArrayLike<number>, from: number, points: number, end: number): number {
  let left = points;
  for (let day = from; day < end; day++) {
    const used = use[day] ?? 0;
    if (used >= left && used > 0) return day - from + left / used;
    left -= used;
  }
  return Number.POSITIVE_INFINITY;
}

export interface DipCoverage {
  questions: number;
  /** The other figures are shares of the questions: the true day lies inside the range, before it, or after it. */
  inside: number;
  beforeEarliest: number;
  afterLatest: number;
  dipWanted: number;
}

/** A tank that is not empty on the last known day counts as inside if the latest day of the range is not earlier. */
export function coverageOf(questions: readonly DipQuestion[]): DipCoverage {
  const sides = questions.map(({ range, trueDays, knownDays }) => {
    const latest = range.latest ?? Number.POSITIVE_INFINITY;
    if (trueDays === Number.POSITIVE_INFINITY) return latest >= knownDays ? 0 : 1;
    if (trueDays < (range.earliest ?? Number.POSITIVE_INFINITY)) return -1;
    return trueDays > latest ? 1 : 0;
  });
  const share = (side: number): number => round(mean(sides.map((actual) => (actual === side ? 1 : 0))));
  return {
    questions: questions.length,
    inside: share(0),
    beforeEarliest: share(-1),
    afterLatest: share(1),
    dipWanted: round(mean(questions.map((question) => (question.isDipWanted ? 1 : 0)))),
  };
}
