import { evaluate } from '../src/evaluation/pure/alerts/evaluate.ts';
import type { TankEvent } from '../src/evaluation/pure/alerts/tank_event.ts';
import { type AlertSettings, INITIAL_STATE, type TankState } from '../src/evaluation/pure/alerts/tank_state.ts';
import { forecast, MAX_FORECAST_DAYS } from '../src/evaluation/pure/estimator/forecast.ts';
import { median } from './report.ts';
import type { Delivery } from './tank_year.ts';

/** When a forecast is asked for, and the true days until the crossing. */
export interface Question {
  atMs: number;
  days: number;
}

export type BackTest<Asked extends Question = Question> = Asked & { likely: number | null; isInside: boolean };

/** All readings in their order, and on the way the forecasts. */
export function evaluateYear<Asked extends Question>(
  settings: AlertSettings,
  readings: readonly Delivery[],
  questions: readonly Asked[],
): { state: TankState; events: TankEvent[]; tests: BackTest<Asked>[] } {
  let state: TankState = INITIAL_STATE;
  const events: TankEvent[] = [];
  const tests: BackTest<Asked>[] = [];
  for (const { atMs, fillPercentage } of readings) {
    for (let next = questions[tests.length]; next !== undefined && next.atMs < atMs; next = questions[tests.length]) {
      const days = forecast(settings, state, next.atMs, null)?.daysToThreshold;
      const earliest = days?.earliest ?? Number.POSITIVE_INFINITY;
      const latest = days?.latest ?? Number.POSITIVE_INFINITY;
      const isInside = earliest <= next.days && latest >= next.days;
      tests.push({ ...next, likely: days?.likely ?? null, isInside });
    }
    const evaluated = evaluate(settings, state, { kind: 'reading', atMs, fillPercentage });
    state = evaluated.state;
    events.push(...evaluated.events);
  }
  return { state, events, tests };
}

export const medianError = (tests: readonly BackTest[]): number =>
  median(tests.map(({ likely, days }) => Math.abs((likely ?? MAX_FORECAST_DAYS) - days) / days));

export const insideShare = (tests: readonly BackTest[]): number =>
  tests.filter(({ isInside }) => isInside).length / tests.length;
