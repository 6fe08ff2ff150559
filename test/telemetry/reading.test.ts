import { expect, test } from 'vitest';
import { isReadingError, type LevelField, parseReading, toPercentage } from '../../src/telemetry/reading.ts';

const NOW_MS = Date.parse('2025-08-13T16:38:55.453Z');
const now = { receivedAtMs: NOW_MS, nowMs: NOW_MS };

/** The time and level of an accepted reading, or the code of a rejected one. */
function parse(item: unknown, field?: LevelField): unknown {
  const parsed = parseReading('A', item, now, field);
  if (!isReadingError(parsed)) return [parsed.atMs - NOW_MS, parsed.level];
  expect(parsed.detail).toMatch(/^\P{Cc}{10,200}\.$/u); // a sentence without control characters
  return parsed.code;
}

const level = (fill_percentage: unknown): unknown => parse({ fill_percentage });
const time = (created_at: unknown): unknown => {
  const parsed = parse({ fill_percentage: 1, created_at });
  return Array.isArray(parsed) ? new Date(NOW_MS + parsed[0]).toISOString() : parsed;
};

test('a percentage is from 0 to 100 inclusive and rounded to 0.01', () => {
  const accepted: [sent: number, kept: number][] = [
    [0, 0],
    [-0, 0],
    [100, 100],
    [45.506, 45.51],
    [100.004, 100],
    [-0.001, 0],
    [1e-300, 0],
  ];
  for (const [sent, kept] of accepted) expect(level(sent)).toEqual([0, kept]);
  for (const sent of [-0.01, 100.01, 101, 255, -1, 1e308, -1e308]) expect(level(sent)).toBe('out_of_range');
});

test('a level that is not a number is malformed, also if it looks like one', () => {
  const values = ['45.5', '', 'NaN', null, true, [], [45], { valueOf: 45 }, undefined, Number.NaN];
  for (const value of values) expect(level(value)).toBe('malformed_level');
  for (const item of [{}, { Fill_Percentage: 1 }, { level: 1 }]) expect(parse(item)).toBe('malformed_level');
});

test('the field name gives the unit of a level, unless the source declares field and unit', () => {
  expect(parse({ fill_fraction: 0.455 })).toEqual([0, 45.5]);
  expect(parse({ fill_fraction: 1 })).toEqual([0, 100]);
  expect(parse({ fill_fraction: 1.1 })).toBe('out_of_range');
  expect(parse({ volume_liters: 12.5 })).toEqual([0, { amount: 12.5, unit: 'liters' }]);
  expect(parse({ volume_gallons: 0 })).toEqual([0, { amount: 0, unit: 'gallons' }]);
  expect(parse({ volume_gallons: -0.1 })).toBe('out_of_range');
  expect(parse({ fill_percentage: 40, volume_liters: 7 })).toEqual([0, 40]);
  expect(parse({ lvl: 0.4, fill_percentage: 7 }, { name: 'lvl', unit: 'fraction' })).toEqual([0, 40]);
  expect(parse({ lvl: 40 }, { name: 'lvl', unit: 'gallons' })).toEqual([0, { amount: 40, unit: 'gallons' }]);
  expect(parse({ fill_percentage: 7 }, { name: 'lvl', unit: 'percent' })).toBe('malformed_level');
});

test('a reading may have a measure beside its level, or instead of it', () => {
  const measured = (item: object, field?: LevelField): unknown => {
    const { deviceId: _, atMs: __, ...rest } = { deviceId: '', atMs: 0, ...parseReading('A', item, now, field) };
    return rest;
  };
  const distance = { kind: 'distance', value: 27_990 };
  expect(measured({ distance_mm: 2_799 })).toEqual({ level: null, measure: distance });
  expect(measured({ distance_mm: 2_799, fill_percentage: 45 })).toEqual({ level: 45, measure: distance });
  expect(measured({ distance_mm: 2_799, lvl: 45 }, { name: 'lvl', unit: 'percent' })).toEqual({
    level: 45,
    measure: distance,
  });
  expect(measured({ height_mm: 0.04 })).toEqual({ level: null, measure: { kind: 'height', value: 0 } });
  expect(measured({ length_mm: -1.26 })).toEqual({ level: null, measure: { kind: 'length', value: -13 } });
  expect(measured({ pressure_pa: 101_325 })).toEqual({ level: null, measure: { kind: 'pressure', value: 101_325 } });
  expect(measured({ gauge_raw: 1e10 })).toMatchObject({ code: 'malformed_level' });
  // A text is not a measure: the sender may use the name for something else.
  expect(measured({ distance_mm: '2799', fill_percentage: 45 })).toEqual({ level: 45 });
  // The measure is kept if the level is impossible.
  expect(measured({ distance_mm: 2_799, fill_percentage: 450 })).toEqual({ level: null, measure: distance });
});

test('a volume is converted to a percentage of its tank', () => {
  const tank = { amount: 1_000, unit: 'gallons' } as const;
  expect(toPercentage({ amount: 250, unit: 'gallons' }, tank)).toBe(25);
  expect(toPercentage({ amount: 3_785.411784, unit: 'liters' }, tank)).toBe(100);
  expect(toPercentage({ amount: 1_000, unit: 'liters' }, tank)).toBe(26.42);
  expect(toPercentage(12.34, tank)).toBe(12.34);
  expect(toPercentage({ amount: 1_001, unit: 'gallons' }, tank)).toMatchObject({ code: 'out_of_range' });
});

test('a time is RFC 3339 with a zone or in UTC, or Unix seconds or milliseconds', () => {
  const newYear = '2025-01-01T00:00:00.000Z';
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
  for (const given of spellings) expect([given, time(given)]).toEqual([given, newYear]);
  const malformed = ['', 'yesterday', '2025-01-01', '2025-02-30T00:00:00Z', '2025-01-01T00:00:60Z', '1735689600'];
  for (const given of malformed) expect([given, time(given)]).toEqual([given, 'malformed_time']);
  for (const given of [-1, 9e15, {}, [1_735_689_600], true, Number.NaN]) expect(time(given)).toBe('malformed_time');
});

test('a time is from 2000 to ten minutes in the future, inclusive', () => {
  expect(time('2000-01-01T00:00:00Z')).toBe('2000-01-01T00:00:00.000Z');
  expect(time('2000-01-01T00:59:59.999+01:00')).toBe('before_2000');
  expect(time(0)).toBe('before_2000'); // a clock that was never set
  expect(time('2025-08-13T16:48:55.453Z')).toBe('2025-08-13T16:48:55.453Z');
  expect(time('2025-08-13T16:48:55.454Z')).toBe('future');
  expect(time((NOW_MS + 600_000) / 1_000)).toBe('2025-08-13T16:48:55.453Z');
  expect(time(NOW_MS + 600_001)).toBe('future');
});

test('a reading without a time gets the time at which it arrived', () => {
  expect(parse({ fill_percentage: 1 })).toEqual([0, 1]);
  expect(parse({ fill_percentage: 1, created_at: null })).toEqual([0, 1]);
});

test('a device id has 1 to 64 characters', () => {
  const code = (deviceId: unknown): unknown => {
    const parsed = parseReading(deviceId, { fill_percentage: 1 }, now);
    return isReadingError(parsed) ? parsed.code : parsed.deviceId;
  };
  expect([code('A'), code('x'.repeat(64))]).toEqual(['A', 'x'.repeat(64)]);
  for (const given of ['', 'x'.repeat(65), 'A\0', 42, null, undefined, ['A']]) {
    expect(code(given)).toBe('malformed_device');
  }
});

test('a reading that is not an object is malformed, and property names of Object.prototype are ordinary names', () => {
  for (const item of [null, 45.5, '45.5', [], [{ fill_percentage: 1 }], undefined])
    expect(parse(item)).toBe('malformed');
  expect(parse(JSON.parse('{"__proto__": {"fill_percentage": 5}}'))).toBe('malformed_level');
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(parse({}, { name, unit: 'percent' })).toBe('malformed_level');
    expect(parse(JSON.parse(`{"${name}": 5}`), { name, unit: 'percent' })).toEqual([0, 5]);
  }
});

test('an error quotes the sent value shortened and without control characters', () => {
  const parsed = parseReading('A', { fill_percentage: `\u001b[2J\u009b2J${'x'.repeat(1_000)}` }, now);
  expect(isReadingError(parsed) && parsed.detail.length).toBeLessThan(200);
  expect(isReadingError(parsed) && parsed.detail).toMatch(/^\P{Cc}+$/u);
});
