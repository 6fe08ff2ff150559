import { mean } from '../../src/values/statistics.ts';
import { atLeast, atMost, type Check, figure, round } from '../report.ts';
import { DippedTank } from './dipped_tank.ts';
import { makeRegion, type Region } from './region.ts';
import { chanceRule, thresholdRule } from './round_rules.ts';
import { UseOfRegion } from './use_of_region.ts';
import { liveWinter, type RoundRule, type WinterScore } from './winter.ts';

/** Constants were chosen by other seeds. */
const SEEDS = [260_101, 260_102, 260_103, 260_104];
const TANKS = 500;
/** Tanks without a sensor learn from the region once its sensors have been watched for three weeks. */
const PRIOR_DAY = 20;
const LIMIT = 0.05;

type MeanScore = Record<keyof WinterScore, number>;

export interface WinterScores {
  checks: Check[];
  policies: Record<string, MeanScore>;
}

/** Run-outs, stops and kilometres of a winter of 500 tanks and two trucks, by the rule that chooses the stops. */
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
  const careful = run('chance 2 %', (region) => liveWinter(region, chanceRule(0.02)));
  const bold = run('chance 6 %', (region) => liveWinter(region, chanceRule(0.06)));
  const could = run('chance 5 % and could', (region) => liveWinter(region, chanceRule(LIMIT, { withCould: true })));
  const base = policies['threshold 20 %'] ?? chance;
  const equal = atRunOuts(thresholds, chance.runOuts);
  const equalCareful = atRunOuts(thresholds, careful.runOuts);
  const checks = [
    atLeast('run-outs against threshold 20 %: fewer by', 1 - chance.runOuts / base.runOuts, 0.6),
    figure('stops against threshold 20 %: more by', chance.stops / base.stops - 1),
    // The limit is a setting of the round.
    atLeast('run-outs against threshold 20 %, chance 6 %: fewer by', 1 - bold.runOuts / base.runOuts, 0.6),
    atMost('stops against threshold 20 %, chance 6 %: more by', bold.stops / base.stops - 1, 0.03),
    atLeast('stops at equal run-outs: fewer by', 1 - chance.stops / equal, 0.08),
    figure('stops at equal run-outs, chance 2 %: fewer by', 1 - careful.stops / equalCareful),
    atLeast('km with could against without: fewer by', 1 - could.km / chance.km, 0.05),
    figure('stops with could against without: more by', could.stops / chance.stops - 1),
    ...scoreDipped(run),
  ];
  return { checks, policies };
}

/** 150 of 500 tanks have no sensor. The others follow the same rule, so that only these differ. */
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
  const equal = runOutsAt(kFactor, middle.dippedStops);
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
  const of = (key: keyof WinterScore): number => round(mean(scores.map((score) => score[key])));
  return {
    runOuts: of('runOuts'),
    stops: of('stops'),
    liters: of('liters'),
    km: of('km'),
    dippedRunOuts: of('dippedRunOuts'),
    dippedStops: of('dippedStops'),
  };
};

/** Stops of the curve of a rule at this number of run-outs; between two points by the logarithm. NaN outside of the curve. */
function atRunOuts(curve: readonly MeanScore[], runOuts: number): number {
  const points = curve.map((score) => ({ at: Math.log(score.runOuts + 0.5), value: score.stops }));
  return between(points, Math.log(runOuts + 0.5));
}

/** Run-outs of the curve of a rule at this number of stops. */
function runOutsAt(curve: readonly MeanScore[], dippedStops: number): number {
  const points = curve.map((score) => ({ at: score.dippedStops, value: Math.log(score.dippedRunOuts + 0.5) }));
  return Math.exp(between(points, dippedStops)) - 0.5;
}

function between(points: readonly { at: number; value: number }[], at: number): number {
  const sorted = points.toSorted((a, b) => a.at - b.at);
  for (const [index, high] of sorted.entries()) {
    const low = sorted[index - 1];
    if (low !== undefined && low.at <= at && high.at >= at)
      return low.value + ((high.value - low.value) * (at - low.at)) / (high.at - low.at || 1);
  }
  return Number.NaN;
}
