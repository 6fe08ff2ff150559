import { mean } from '../../src/values/statistics.ts';
import { atLeast, atMost, type Check, figure, round } from '../report.ts';
import { DippedTank } from './dipped_tank.ts';
import { makeRegion, type Region } from './region.ts';
import { chanceRule, thresholdRule } from './round_rules.ts';
import { UseOfRegion } from './use_of_region.ts';
import { liveWinter, type RoundRule, type WinterScore } from './winter.ts';

/** The constants of the rounds were chosen with other seeds. */
const SEEDS = [260_101, 260_102, 260_103, 260_104];
const TANKS = 500;
/** The day on which tanks without a sensor get the prior of the region, after three weeks of readings. */
const PRIOR_DAY = 20;
const LIMIT = 0.05;

type MeanScore = Record<keyof WinterScore, number>;

export interface WinterScores {
  checks: Check[];
  policies: Record<string, MeanScore>;
}

/** Counts run-outs, stops and km in a winter of 500 tanks and two trucks, for each rule that chooses the stops. */
export function scoreWinters(isQuick: boolean, log: (line: string) => void): WinterScores {
  const regions = SEEDS.slice(0, isQuick ? 1 : SEEDS.length).map((seed) => makeRegion(seed, isQuick ? 200 : TANKS));
  const policies: Record<string, MeanScore> = {};
  const run = (name: string, live: (region: Region) => WinterScore): MeanScore => {
    const score = meanScore(regions.map(live));
    policies[name] = score;
    log(`${name}: ${score.runOuts} run-outs, ${score.stops} stops, ${score.km} km`);
    return score;
  };
  const thresholds = [15, 20, 25, 30, 35].map((threshold) =>
    run(`threshold ${threshold} %`, (region) => liveWinter(region, thresholdRule(threshold))),
  );
  const chance = run('chance 5 %', (region) => liveWinter(region, chanceRule(LIMIT)));
  const chance2 = run('chance 2 %', (region) => liveWinter(region, chanceRule(0.02)));
  const chance6 = run('chance 6 %', (region) => liveWinter(region, chanceRule(0.06)));
  const could = run('chance 5 % and could', (region) => liveWinter(region, chanceRule(LIMIT, { withCould: true })));
  const base = policies['threshold 20 %'] ?? chance;
  const equal = interpolateStops(thresholds, chance.runOuts);
  const equalChance2 = interpolateStops(thresholds, chance2.runOuts);
  const checks = [
    atLeast('run-outs against threshold 20 %: fewer by', 1 - chance.runOuts / base.runOuts, 0.6),
    figure('stops against threshold 20 %: more by', chance.stops / base.stops - 1),
    // The limit is a setting of the round.
    atLeast('run-outs against threshold 20 %, chance 6 %: fewer by', 1 - chance6.runOuts / base.runOuts, 0.6),
    atMost('stops against threshold 20 %, chance 6 %: more by', chance6.stops / base.stops - 1, 0.03),
    atLeast('stops at equal run-outs: fewer by', 1 - chance.stops / equal, 0.08),
    figure('stops at equal run-outs, chance 2 %: fewer by', 1 - chance2.stops / equalChance2),
    atLeast('km with could against without: fewer by', 1 - could.km / chance.km, 0.05),
    figure('stops with could against without: more by', could.stops / chance.stops - 1),
    ...scoreDipped(run),
  ];
  return { checks, policies };
}

/** Scores rules for 150 of 500 tanks, which have no sensor. The rule for the others stays the same. */
function scoreDipped(run: (name: string, live: (region: Region) => WinterScore) => MeanScore): Check[] {
  const kFactor = [15, 20, 25, 30, 35, 40].map((reserve) =>
    run(`without a sensor by K-factor, reserve ${reserve} %`, (region) =>
      liveDipped(region, chanceRule(LIMIT, { dipped: { kind: 'k_factor', reserve } })),
    ),
  );
  const byChance = [0.02, 0.05, 0.1].map((limit) =>
    run(`without a sensor by dips, chance ${100 * limit} %`, (region) =>
      liveDipped(region, chanceRule(LIMIT, { dipped: { kind: 'chance', limit } })),
    ),
  );
  run('150 without a sensor: threshold 20 %, K-factor', (region) => liveDipped(region, thresholdRule(20)));
  const [, middle] = byChance;
  if (middle === undefined) return [];
  const equal = interpolateRunOuts(kFactor, middle.dippedStops);
  return [
    atMost(
      '150 tanks without a sensor: run-outs as a share of a K-factor at equal deliveries',
      middle.dippedRunOuts / equal,
      1,
    ),
  ];
}

export function liveDipped(region: Region, rule: RoundRule): WinterScore {
  const use = new UseOfRegion();
  return liveWinter(region, rule, {
    dippedOf: (tank) => (tank.number % 10 < 3 ? new DippedTank(tank, use, region.celsius) : null),
    endOfDay(day, tanks) {
      use.endOfDay(day, tanks);
      if (day === PRIOR_DAY) for (const { dipped, kind } of tanks) dipped?.takePrior(use.prior(kind, day, tanks));
    },
  });
}

const meanScore = (scores: readonly WinterScore[]): MeanScore => {
  const meanOf = (key: keyof WinterScore): number => round(mean(scores.map((score) => score[key])));
  return {
    runOuts: meanOf('runOuts'),
    stops: meanOf('stops'),
    liters: meanOf('liters'),
    km: meanOf('km'),
    dippedRunOuts: meanOf('dippedRunOuts'),
    dippedStops: meanOf('dippedStops'),
  };
};

/** Interpolates the stops that a rule needs for this number of run-outs, by its logarithm. NaN outside of the curve. */
function interpolateStops(curve: readonly MeanScore[], runOuts: number): number {
  const points = curve.map((score) => ({ x: Math.log(score.runOuts + 0.5), y: score.stops }));
  return interpolate(points, Math.log(runOuts + 0.5));
}

/** Interpolates the run-outs of a rule with this number of stops. */
function interpolateRunOuts(curve: readonly MeanScore[], dippedStops: number): number {
  const points = curve.map((score) => ({ x: score.dippedStops, y: Math.log(score.dippedRunOuts + 0.5) }));
  return Math.exp(interpolate(points, dippedStops)) - 0.5;
}

function interpolate(points: readonly { x: number; y: number }[], x: number): number {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  for (const [index, high] of sorted.entries()) {
    const low = sorted[index - 1];
    if (low !== undefined && low.x <= x && high.x >= x)
      return low.y + ((high.y - low.y) * (x - low.x)) / (high.x - low.x || 1);
  }
  return Number.NaN;
}
