import { expect, test } from 'vitest';
import { isReadingError, type LevelField, parseReading, toPercentage } from '../../src/telemetry/reading.ts';

const NOW_MS = Date.parse('2025-08-13T16:38:55.453Z');
const now = { receivedAtMs: NOW_MS, nowMs: NOW_MS };

/** The time and level of one that is taken, or the code of one that is not. */
function judge(item: unknown, field?: LevelField): unknown {
  const judged = parseReading('A', item, now, field);
  if (!isReadingError(judged)) return [judged.atMs - NOW_MS, judged.level];
  expect(judged.detail).toMatch(/^\P{Cc}{10,200}\.$/u); // a sentence, fit for a terminal
  return judged.code;
}

const level = (fill_percentage: unknown): unknown => judge({ fill_percentage });
const time = (created_at: unknown): unknown => {
  const judged = judge({ fill_percentage: 1, created_at });
  return Array.isArray(judged) ? new Date(NOW_MS + judged[0]).toISOString() : judged;
};

test('a percentage is from 0 to 100, both included, and kept to 0.01', () => {
  const taken: [number, number][] = [
    [0, 0],
    [-0, 0],
    [100, 100],
    [45.506, 45.51],
    [100.004, 100],
    [-0.001, 0],
    [1e-300, 0],
  ];
  for (const [given, kept] of taken) expect(level(given)).toEqual([0, kept]);
  for (const given of [-0.01, 100.01, 101, 255, -1, 1e308, -1e308]) expect(level(given)).toBe('out_of_range');
});

test('a level that is no number is malformed, also where it looks like one', () => {
  const given = ['45.5', '', 'NaN', null, true, [], [45], { valueOf: 45 }, undefined, Number.NaN];
  for (const value of given) expect(level(value)).toBe('malformed_level');
  for (const item of [{}, { Fill_Percentage: 1 }, { level: 1 }]) expect(judge(item)).toBe('malformed_level');
});

test('a level says its unit by its name, or its source declares both', () => {
  expect(judge({ fill_fraction: 0.455 })).toEqual([0, 45.5]);
  expect(judge({ fill_fraction: 1 })).toEqual([0, 100]);
  expect(judge({ fill_fraction: 1.1 })).toBe('out_of_range');
  expect(judge({ volume_liters: 12.5 })).toEqual([0, { amount: 12.5, unit: 'liters' }]);
  expect(judge({ volume_gallons: 0 })).toEqual([0, { amount: 0, unit: 'gallons' }]);
  expect(judge({ volume_gallons: -0.1 })).toBe('out_of_range');
  expect(judge({ fill_percentage: 40, volume_liters: 7 })).toEqual([0, 40]);
  expect(judge({ lvl: 0.4, fill_percentage: 7 }, { name: 'lvl', unit: 'fraction' })).toEqual([0, 40]);
  expect(judge({ lvl: 40 }, { name: 'lvl', unit: 'gallons' })).toEqual([0, { amount: 40, unit: 'gallons' }]);
  expect(judge({ fill_percentage: 7 }, { name: 'lvl', unit: 'percent' })).toBe('malformed_level');
});

test('a volume becomes a percentage of the tank it is in', () => {
  const tank = { amount: 1_000, unit: 'gallons' } as const;
  expect(toPercentage({ amount: 250, unit: 'gallons' }, tank)).toBe(25);
  expect(toPercentage({ amount: 3_785.411784, unit: 'liters' }, tank)).toBe(100);
  expect(toPercentage({ amount: 1_000, unit: 'liters' }, tank)).toBe(26.42);
  expect(toPercentage(12.34, tank)).toBe(12.34);
  expect(toPercentage({ amount: 1_001, unit: 'gallons' }, tank)).toMatchObject({ code: 'out_of_range' });
});

test('a time is RFC 3339 with its zone or in UTC, or Unix seconds or milliseconds', () => {
  const same = '2025-01-01T00:00:00.000Z';
  const spellings = [
    '2025-01-01T00:00:00Z',
    '2025-01-01T02:00:00+02:00',
    '2024-12-31T18:30:00.000-05:30',
    '2025-01-01 00:00:00',
    '2025-01-01t00:00:00z',
    ' 2025-01-01T00:00Z ',
    '2025-01-01T00:00:00.000999999Z',
    1_735_689_600,
    1_735_689_600.0004,
    1_735_689_600_000,
  ];
  for (const given of spellings) expect([given, time(given)]).toEqual([given, same]);
  const malformed = ['', 'yesterday', '2025-01-01', '2025-02-30T00:00:00Z', '2025-01-01T00:00:60Z', '1735689600'];
  for (const given of malformed) expect([given, time(given)]).toEqual([given, 'malformed_time']);
  for (const given of [-1, 9e15, {}, [1_735_689_600], true, Number.NaN]) expect(time(given)).toBe('malformed_time');
});

test('a time may be from 2000 on to ten minutes ahead of our clock, both included', () => {
  expect(time('2000-01-01T00:00:00Z')).toBe('2000-01-01T00:00:00.000Z');
  expect(time('2000-01-01T00:59:59.999+01:00')).toBe('before_2000');
  expect(time(0)).toBe('before_2000'); // a clock that was never set
  expect(time('2025-08-13T16:48:55.453Z')).toBe('2025-08-13T16:48:55.453Z');
  expect(time('2025-08-13T16:48:55.454Z')).toBe('future');
  expect(time((NOW_MS + 600_000) / 1_000)).toBe('2025-08-13T16:48:55.453Z');
  expect(time(NOW_MS + 600_001)).toBe('future');
});

test('a reading without a time happened when it arrived', () => {
  expect(judge({ fill_percentage: 1 })).toEqual([0, 1]);
  expect(judge({ fill_percentage: 1, created_at: null })).toEqual([0, 1]);
});

test('a device is a text of 1 to 64 characters', () => {
  const code = (deviceId: unknown): unknown => {
    const judged = parseReading(deviceId, { fill_percentage: 1 }, now);
    return isReadingError(judged) ? judged.code : judged.deviceId;
  };
  expect([code('A'), code('x'.repeat(64))]).toEqual(['A', 'x'.repeat(64)]);
  for (const given of ['', 'x'.repeat(65), 'A\0', 42, null, undefined, ['A']]) {
    expect(code(given)).toBe('malformed_device');
  }
});

test('what is no object is malformed, and names of Object.prototype are names like others', () => {
  for (const item of [null, 45.5, '45.5', [], [{ fill_percentage: 1 }], undefined])
    expect(judge(item)).toBe('malformed');
  expect(judge(JSON.parse('{"__proto__": {"fill_percentage": 5}}'))).toBe('malformed_level');
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(judge({}, { name, unit: 'percent' })).toBe('malformed_level');
    expect(judge(JSON.parse(`{"${name}": 5}`), { name, unit: 'percent' })).toEqual([0, 5]);
  }
});

test('what was sent is repeated short and without control characters', () => {
  const judged = parseReading('A', { fill_percentage: `\u001b[2J\u009b2J${'x'.repeat(1_000)}` }, now);
  expect(isReadingError(judged) && judged.detail.length).toBeLessThan(200);
  expect(isReadingError(judged) && judged.detail).toMatch(/^\P{Cc}+$/u);
});
