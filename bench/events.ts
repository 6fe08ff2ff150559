import { isDeepStrictEqual } from 'node:util';
import { evaluate } from '../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { type BackTest, insideShare, medianError } from '../src/evaluation/pure/score/back_test.ts';
import { decodeState, encodeState } from '../src/evaluation/state_codec.ts';
import { DAY_MS } from '../src/values/time.ts';
import { EventLedger } from '../test/support/event_ledger.ts';
import { evaluateYear, standingAfter } from './evaluate_year.ts';
import { Score, scoreLeaks, scoreLows, scoreRefills } from './event_scores.ts';
import { labelTank } from './labelled_year.ts';
import { scoreRealisticFleet } from './realistic_events.ts';
import { atLeast, atMost, type BenchOptions, type Check, figure, type Report, round } from './report.ts';
import { siloChecks } from './silos.ts';
import { specialTankChecks } from './special_tanks.ts';
import { type Delivery, inOrder, type LabelledTank, YEAR_STARTS_MS } from './tank_year.ts';

/** The constants of the evaluation were chosen without this fleet. */
const SEED = 20_260;
const FORECAST_DAYS = 14;
/** The use of each day of another fleet differs by 40 % (lognormal), more than the fleet with targets. It has no targets. */
const IRREGULARITY = 0.4;

/** Measures the evaluation of labelled years: recall and precision of events, errors of forecasts, CPU time. */
export async function benchEvents({ isQuick, log }: BenchOptions): Promise<Report> {
  const tanks = isQuick ? 100 : 1_000;
  const fleet = new FleetScore();
  const perDay = new Map<number, FleetScore>();
  let differing = 0;
  let refolds = 0;
  for (let number = 0; number < tanks; number++) {
    const tank = labelTank(SEED, number);
    const readings = inOrder(tank.deliveries);
    const { state, events, tests } = foldYear(tank, readings);
    const cadence = Math.round(DAY_MS / tank.truth.cadenceMs);
    const cadenceScore = perDay.get(cadence) ?? new FleetScore();
    perDay.set(cadence, cadenceScore);
    for (const score of [fleet, cadenceScore]) score.add(tank, readings, events, tests);
    const ledger = deliver(tank);
    refolds += ledger.refolds;
    if (!isDeepStrictEqual([ledger.state, byIdentity(ledger.events)], [state, byIdentity(events)])) differing++;
    if ((number + 1) % 100 === 0) log(`${number + 1} tanks`);
  }
  const irregular = new FleetScore();
  for (let number = 0; number < tanks / 5; number++) {
    const tank = labelTank(SEED, number, IRREGULARITY);
    const readings = inOrder(tank.deliveries);
    const { events, tests } = foldYear(tank, readings);
    irregular.add(tank, readings, events, tests);
  }
  const realistic = scoreRealisticFleet(isQuick ? 100 : 500);
  return {
    name: 'events',
    checks: [
      ...fleet.checks(),
      atMost('tanks whose state or events differ when delivered late, twice and out of order', differing, 0),
      ...realistic.checks(),
      ...specialTankChecks(isQuick ? 20 : 100),
      ...siloChecks(isQuick ? 6 : 30),
      ...measureCosts(Array.from({ length: 50 }, (_, number) => labelTank(SEED, number))),
    ],
    tanks,
    refolds,
    fleet: fleet.summary(),
    with_irregular_use: irregular.summary(),
    realistic: realistic.summary(),
    by_readings_a_day: Object.fromEntries([...perDay].map(([cadence, score]) => [cadence, score.summary()])),
  };
}

class FleetScore {
  readonly lows = new Score();
  readonly refills = new Score();
  readonly refillsOfADay = new Score();
  readonly leaks = new Score();
  readonly tests: BackTest[] = [];

  add(
    tank: LabelledTank,
    readings: readonly Delivery[],
    events: readonly TankEvent[],
    tests: readonly BackTest[],
  ): void {
    const times = readings.map(({ atMs }) => atMs);
    scoreLows(tank, times, events, this.lows);
    scoreRefills(tank, times, events, this.refills);
    scoreRefills(tank, times, events, this.refillsOfADay, true);
    scoreLeaks(tank, times, events, this.leaks);
    this.tests.push(...tests);
  }

  checks(): Check[] {
    return [
      atLeast('low fill: recall', this.lows.recall, 0.99),
      atLeast('low fill: precision', this.lows.precision, 0.99),
      atLeast('refill, volume within 3 points: recall', this.refills.recall, 0.97),
      atLeast('refill, volume within 3 points: precision', this.refills.precision, 0.99),
      figure('refill within a day, volume within 3 points or the use meanwhile: recall', this.refillsOfADay.recall),
      figure(
        'refill within a day, volume within 3 points or the use meanwhile: precision',
        this.refillsOfADay.precision,
      ),
      atLeast('rapid loss: recall', this.leaks.recall, 0.95),
      atLeast('rapid loss: precision', this.leaks.precision, 0.95),
      atMost(`days to threshold, ${FORECAST_DAYS} days ahead: median error`, medianError(this.tests), 0.15),
      figure(`days to threshold, ${FORECAST_DAYS} days ahead: share within the interval`, insideShare(this.tests)),
    ];
  }

  summary() {
    return {
      crossings: this.lows.happened,
      unclear_crossings: this.lows.unclear,
      low_fill_recall_of_all: round(this.lows.recallOfAll),
      low_fill: [round(this.lows.recall), round(this.lows.precision)],
      refills: this.refills.happened,
      refill: [round(this.refills.recall), round(this.refills.precision)],
      leaks: this.leaks.happened,
      unclear_leaks: this.leaks.unclear,
      rapid_loss_recall_of_all: round(this.leaks.recallOfAll),
      rapid_loss: [round(this.leaks.recall), round(this.leaks.precision)],
      forecasts: this.tests.length,
      median_error: round(medianError(this.tests)),
      within_interval: round(insideShare(this.tests)),
    };
  }
}

/** Evaluates all readings in their order, and asks for a forecast 14 days before each true crossing. */
function foldYear({ settings, truth }: LabelledTank, readings: readonly Delivery[]) {
  const questions = truth.lows
    .map(({ fromMs }) => ({ atMs: fromMs - FORECAST_DAYS * DAY_MS, days: FORECAST_DAYS }))
    .filter(({ atMs }) => isAsUsual(truth, atMs));
  const { state, reports, tests } = evaluateYear(settings, readings, questions);
  const end = evaluate(settings, state, { kind: 'tick', atMs: endMs(readings) });
  const standing = standingAfter(reports, Number.MAX_VALUE);
  return { state: end.state, events: [...standing, ...end.events], tests };
}

/** Whether there are two weeks of readings before the forecast, and neither a truck nor a leak until the crossing. */
function isAsUsual({ refills, leaks }: LabelledTank['truth'], atMs: number): boolean {
  const untilMs = atMs + FORECAST_DAYS * DAY_MS;
  return (
    atMs - FORECAST_DAYS * DAY_MS >= YEAR_STARTS_MS &&
    !refills.some((refill) => refill.atMs > atMs && refill.atMs < untilMs) &&
    !leaks.some(({ fromMs, toMs }) => toMs > atMs && fromMs < untilMs)
  );
}

/** Evaluates the readings as they arrived: late, twice and out of order, with a tick of the clock at every arrival. */
function deliver({ settings, deliveries }: LabelledTank): EventLedger {
  const ledger = new EventLedger(settings);
  for (const { atMs, fillPercentage, arrivesMs } of deliveries) {
    ledger.take({ kind: 'reading', atMs, fillPercentage }, arrivesMs);
  }
  ledger.tick(endMs(deliveries));
  return ledger;
}

/** Measures the CPU time of a reading. The fastest of seven passes counts, because other programs use the machine too. */
function measureCosts(tanks: readonly LabelledTank[]): Check[] {
  const series = tanks.map(({ settings, deliveries }) => ({ settings, readings: inOrder(deliveries) }));
  const count = series.reduce((sum, { readings }) => sum + readings.length, 0);
  let largestBytes = 0;
  const pass = (afterEach: (state: TankState) => TankState): number => {
    const start = process.cpuUsage();
    for (const { settings, readings } of series) {
      let state: TankState = INITIAL_STATE;
      for (const { atMs, fillPercentage } of readings) {
        state = afterEach(evaluate(settings, state, { kind: 'reading', atMs, fillPercentage }).state);
      }
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / count;
  };
  const best = (afterEach: (state: TankState) => TankState): number =>
    Math.min(...Array.from({ length: 7 }, () => pass(afterEach)));
  const bare = best((state) => state);
  const stored = best((state) => {
    const text = encodeState(state);
    largestBytes = Math.max(largestBytes, text.length);
    return decodeState(text);
  });
  return [
    atMost('evaluating one reading, microseconds', bare, 2),
    figure('evaluating one reading, with encoding and decoding its state, microseconds', stored),
    atMost('largest encoded state, bytes', largestBytes, 600),
  ];
}

const endMs = (deliveries: readonly Delivery[]): number =>
  Math.max(...deliveries.map(({ arrivesMs }) => arrivesMs)) + 10 * DAY_MS;

const byIdentity = (events: readonly TankEvent[]): TankEvent[] =>
  events.toSorted((a, b) => a.atMs - b.atMs || a.type.localeCompare(b.type));
