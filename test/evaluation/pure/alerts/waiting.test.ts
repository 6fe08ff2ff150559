import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE, type TankState } from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { describeWaiting, waitingFields, waitingFor } from '../../../../src/evaluation/pure/alerts/waiting.ts';
import { HOUR_MS } from '../../../../src/values/time.ts';

const SETTINGS = { minFillAlertPercentage: 20, capacity: 500, capacityUnit: 'liters' } as const;
const START_MS = Date.UTC(2026, 2, 1);

/** The state after readings every six hours. 80 readings fall from 60 % by a point a day, and these readings follow. */
function after(readings: readonly number[], before = 80): TankState {
  const steady = Array.from({ length: before }, (_, n) => 60 - n / 4);
  return [...steady, ...readings].reduce<TankState>(
    (state, fillPercentage, n) =>
      evaluate(SETTINGS, state, { kind: 'reading', atMs: START_MS + n * 6 * HOUR_MS, fillPercentage }).state,
    INITIAL_STATE,
  );
}

const sentences = (state: TankState): string[] => waitingFor(state).map(describeWaiting);

describe('waitingFor', () => {
  test('is empty for a tank whose readings fit', () => {
    expect(waitingFor(INITIAL_STATE)).toEqual([]);
    expect(waitingFor(after([]))).toEqual([]);
  });

  test('says that a low first reading waits for a second one, for 30 hours', () => {
    const state = after([18], 0);
    expect(sentences(state)).toEqual([
      '18 % at 2026-03-01 00:00 UTC is low; waiting for a second reading, at the latest until 2026-03-02 06:00 UTC',
    ]);
    const { events, state: later } = evaluate(SETTINGS, state, { kind: 'tick', atMs: START_MS + 30 * HOUR_MS });
    expect(events.map(({ type, atMs }) => [type, atMs - START_MS])).toEqual([['tank.low_fill', 30 * HOUR_MS]]);
    expect(waitingFor(later)).toEqual([]);
  });

  test('contains the expected level of a low reading that does not fit', () => {
    const [waiting] = waitingFor(after([12]));
    if (waiting === undefined) throw new Error('nothing is waited for');
    expect(waitingFields(waiting)).toEqual({
      kind: 'low_confirmation',
      text: '12 % at 2026-03-21 00:00 UTC is low, but 40 % was expected; waiting for a second reading, at the latest until 2026-03-22 06:00 UTC',
      reading: { created_at: '2026-03-21T00:00:00.000Z', fill_percentage: 12 },
      expected_percentage: 40,
      until: '2026-03-22T06:00:00.000Z',
    });
    expect(after([12, 11.8]).isLow).toBe(true);
  });

  test('says that a high reading that does not fit waits for readings that agree', () => {
    const state = after([85]);
    expect(sentences(state)).toEqual([
      '85 % at 2026-03-21 00:00 UTC differs from the expected 40 %; waiting for 1 more reading that agrees',
    ]);
    expect(waitingFor(state).map(waitingFields)).toMatchObject([{ agreeing_readings: 1, required_readings: 2 }]);
    expect(sentences(after([85, 84.8]))).toEqual([]);
  });

  test('says that a stuck gauge waits for plausible readings, and for nothing else', () => {
    const stuck = Array.from({ length: 9 }, () => 100);
    expect(sentences(after(stuck))).toEqual([
      'since 2026-03-21 00:00 UTC the gauge shows exactly 100 %, which nothing explains; waiting for plausible readings',
    ]);
    const [recovering] = sentences(after([...stuck, 37.5, 37.3, 37]));
    expect(recovering).toMatch(/^since 2026-03-21 00:00 UTC the gauge shows exactly 0 % or 100 %, which nothing/);
  });
});
