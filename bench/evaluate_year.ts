import { evaluate } from '../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { type BackTest, type BackTestSample, backTestForecast } from '../src/evaluation/pure/score/back_test.ts';
import type { Delivery } from './tank_year.ts';

/** Evaluates all readings in their order, and tests the forecasts at the times of the questions. */
export function evaluateYear<Question extends BackTestSample>(
  settings: AlertSettings,
  readings: readonly Delivery[],
  questions: readonly Question[],
): { state: TankState; reports: ReportedEvent[]; tests: BackTest<Question>[] } {
  let state: TankState = INITIAL_STATE;
  const reports: ReportedEvent[] = [];
  const tests: BackTest<Question>[] = [];
  for (const { atMs, fillPercentage } of readings) {
    for (let next = questions[tests.length]; next !== undefined && next.atMs < atMs; next = questions[tests.length]) {
      tests.push({ ...next, ...backTestForecast(settings, state, next) });
    }
    const evaluated = evaluate(settings, state, { kind: 'reading', atMs, fillPercentage });
    state = evaluated.state;
    reports.push(...evaluated.events.map((event) => ({ event, retractedMs: Number.POSITIVE_INFINITY })));
    for (const { type, atMs: eventMs } of evaluated.retracted) {
      const report = reports.findLast(({ event }) => event.type === type && event.atMs === eventMs);
      if (report !== undefined) report.retractedMs = atMs;
    }
  }
  return { state, reports, tests };
}

/** An event, and when it was retracted. */
export interface ReportedEvent {
  event: TankEvent;
  retractedMs: number;
}

/** The events that were not retracted within a time. */
export const standingAfter = (reports: readonly ReportedEvent[], timeMs: number): TankEvent[] =>
  reports.filter(({ event, retractedMs }) => retractedMs - event.atMs > timeMs).map(({ event }) => event);
