import { evaluate } from '../src/evaluation/pure/alerts/evaluate.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { type DaysRange, forecast, MAX_LEVEL_FORECAST_DAYS } from '../src/evaluation/pure/estimator/forecast.ts';
import { Random } from '../src/simulation/random.ts';
import { DAY_MS } from '../src/values/time.ts';
import { atLeast, atMost, type Check, figure, upperMedian } from './report.ts';

/** The constants of the forecast were chosen with other silos. Only the errors at which the use is found to turn also used these. */
const SEED = 40_404;
const START_MS = Date.UTC(2026, 0, 5);
const DAYS = 200;
/** Forecasts are asked for once a day, and count if the silo reaches its threshold within these days. */
const KNOWN_DAYS = 20;
const MAX_DAYS = 14;
const SETTINGS: AlertSettings = { minFillAlertPercentage: 20, capacity: 1_000, capacityUnit: 'liters' };

interface Question {
  index: number;
  fill: number;
  range: DaysRange;
}

/** The fill and the use of a silo at each reading. Animals eat more from week to week, are gone for days, and new ones come. */
class Silo {
  readonly fills: number[] = [];
  readonly used: number[] = [0];
  readonly refilled = new Set<number>();
  readonly questions: Question[] = [];

  constructor(random: Random, perDay: number) {
    const noise = random.between(0.3, 1.5);
    const [cycle, idle] = [random.between(30, 60), random.between(5, 15)];
    const [peak, irregularity] = [random.between(5, 13), random.between(0.1, 0.3)];
    let [fill, log, orderedAt] = [80, 0, Infinity];
    let state: TankState = INITIAL_STATE;
    for (let index = 0; index < DAYS * perDay; index++) {
      const day = index / perDay;
      if (index % perDay === 0) log = 0.5 * log + 0.85 * irregularity * random.normal();
      const grown = 0.15 + 0.85 * Math.min(1, (1.6 * (day % (cycle + idle))) / cycle);
      const use = Math.min(fill, day % (cycle + idle) < cycle ? (peak * grown * Math.exp(log)) / perDay : 0);
      fill -= use;
      this.used.push((this.used.at(-1) ?? 0) + use);
      if (fill < 20 && orderedAt === Infinity) orderedAt = index + perDay * random.between(0.3, 1.8);
      if (index >= orderedAt) {
        [fill, orderedAt] = [random.between(60, 95), Infinity];
        this.refilled.add(index);
      }
      this.fills.push(fill);
      const atMs = START_MS + day * DAY_MS;
      const shown = Math.min(100, Math.max(0, Math.round(100 * (fill + noise * random.normal())) / 100));
      state = evaluate(SETTINGS, state, { kind: 'reading', atMs, fillPercentage: shown }).state;
      const range =
        index % perDay === 0 && day > KNOWN_DAYS && fill > 25 ? forecast(SETTINGS, state, atMs, null) : null;
      if (range !== null) this.questions.push({ index, fill, range: range.daysToThreshold });
    }
  }

  /** The reading at which the silo reaches its threshold; undefined if it is filled before. */
  crossingAfter(index: number): number | undefined {
    const end = this.fills.findIndex((fill, n) => n > index && (fill <= 20 || this.refilled.has(n)));
    return end === -1 || this.refilled.has(end) ? undefined : end;
  }

  /** The mean true use a day in the days before a reading. */
  meanBefore(index: number, days: number, perDay: number): number {
    const from = Math.max(0, index - days * perDay);
    return Math.max(0.01, ((this.used[index] ?? 0) - (this.used[from] ?? 0)) / days);
  }
}

/** Compares forecasts of silos with two simple forecasts that know the true use: at most 1.2 times the error of the better one. */
export function siloChecks(silos: number): Check[] {
  return [24, 4].flatMap((perDay) => {
    const [own, mean, slope]: [number[], number[], number[]] = [[], [], []];
    let inside = 0;
    for (let number = 0; number < silos; number++) {
      const silo = new Silo(Random.named(SEED, `${perDay} ${number}`), perDay);
      for (const { index, fill, range } of silo.questions) {
        const end = silo.crossingAfter(index);
        const truth = ((end ?? index) - index) / perDay;
        if (end === undefined || truth < 1 || truth > MAX_DAYS) continue;
        const daysOf = (days: number | null): number => days ?? MAX_LEVEL_FORECAST_DAYS;
        const errorOf = (days: number): number => Math.abs(Math.min(60, days) - truth) / truth;
        own.push(errorOf(daysOf(range.likely)));
        mean.push(errorOf((fill - 20) / silo.meanBefore(index, 14, perDay)));
        slope.push(errorOf((fill - 20) / silo.meanBefore(index, 2, perDay)));
        if (daysOf(range.earliest) <= truth && daysOf(range.latest) >= truth) inside++;
      }
    }
    const title = `silos, ${perDay} a day`;
    const simple = Math.min(upperMedian(mean), upperMedian(slope));
    return [
      figure(`${title}: median error`, upperMedian(own)),
      atMost(`${title}: error as a multiple of the better simple forecast`, upperMedian(own) / simple, 1.2),
      atLeast(`${title}: share within the interval`, inside / own.length, 0.75),
      atMost(`${title}: share within the interval`, inside / own.length, 0.9),
    ];
  });
}
