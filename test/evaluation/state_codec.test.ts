import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/pure/alerts/evaluate.ts';
import { INITIAL_STATE } from '../../src/evaluation/pure/alerts/tank_state.ts';
import {
  decodeState,
  encodeState,
  isOutdated,
  STATE_VERSION,
  UnreadableStateError,
} from '../../src/evaluation/state_codec.ts';
import { DAY_MS, evaluateSeries, SETTINGS, Series } from '../support/series.ts';
import ENCODED from './encoded_states.json' with { type: 'json' };

/** Series that fill every part of a state. */
const SERIES: Readonly<Record<string, Series>> = {
  'one reading': new Series(4, 61.5).use(2, 0.25),
  'ordinary use': new Series(24, 88.4).use(1.7, 20),
  'a doubted reading': new Series(4, 70).use(2, 10).show(20.25),
  'a low tank': new Series(4, 40).use(1.5, 14),
  'a refill': new Series(4, 60).use(3, 12).fillTo(85).use(3, 2),
  'a leak': new Series(24, 80).use(1, 12).use(24, 0.75),
  'a fall that may be retracted': new Series(24, 60).use(1, 12).show(9, 9, 9, 9, 9, 9, 9, 9),
  'a gauge stuck at 0': new Series(4, 60).use(1, 10).show(...Array<number>(10).fill(0)),
  'a contradictory gauge': new Series(24, 60)
    .use(1, 5)
    .show(...Array.from({ length: 24 }, (_, n) => (n % 2 ? 75 : 35))),
  'an empty tank of a daily gauge': new Series(1, 30).use(2.5, 20),
};

test('readings give exactly the encoded states of this STATE_VERSION; if not, increase it', () => {
  const encoded = Object.entries(SERIES).flatMap(([name, { readings }]) => {
    const { state } = evaluateSeries(readings);
    const silent = evaluate(SETTINGS, state, { kind: 'tick', atMs: state.atMs + 40 * DAY_MS }).state;
    return [
      [name, encodeState(state)],
      [`${name}, then silence`, encodeState(silent)],
    ];
  });
  expect(Object.fromEntries(encoded)).toEqual(ENCODED);
  for (const text of Object.values(ENCODED)) expect(encodeState(decodeState(text))).toBe(text);
});

describe('an encoded state', () => {
  test('is small and is decoded to the same state', () => {
    const { state } = evaluateSeries(new Series(4, 60).use(1.5, 15).show(9, 60, 30, 29).readings);
    expect(decodeState(encodeState(state))).toEqual(state);
    expect(decodeState(encodeState(INITIAL_STATE))).toEqual(INITIAL_STATE);
    expect(encodeState(state).length).toBeLessThan(520);
  });

  test('of an older release is outdated and not read', () => {
    const encoded = encodeState(evaluateSeries(new Series(4, 60).use(1.5, 15).readings).state);
    const older = encoded.replace(/^\[\d+/, `[${STATE_VERSION - 1}`);
    expect([isOutdated(encoded), isOutdated(older)]).toEqual([false, true]);
    expect(() => decodeState(older)).toThrow(UnreadableStateError);
    for (const other of [encoded.replace(/^\[\d+/, `[${STATE_VERSION + 1}`), '', '{}', 'x']) {
      expect(isOutdated(other)).toBe(false);
    }
  });

  test('of a newer release, or a damaged one, is refused with its own error', () => {
    const encoded = encodeState(evaluateSeries(new Series(4, 60).use(1.5, 15).readings).state);
    const newer = encoded.replace(/^\[\d+/, `[${STATE_VERSION + 1}`);
    expect(() => decodeState(newer)).toThrow(UnreadableStateError);
    expect(() => decodeState(newer)).toThrow(`version ${STATE_VERSION + 1}`);
    for (const damaged of [
      '',
      '{}',
      '[]',
      `[${STATE_VERSION}]`,
      encoded.slice(0, 100),
      encoded.replace(/,\d+]$/, ']'),
    ]) {
      expect(() => decodeState(damaged)).toThrow(UnreadableStateError);
    }
  });
});
