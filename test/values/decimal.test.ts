import { expect, test } from 'vitest';
import { decimalMarkOf, formatDecimal, parseDecimal, parseNumber } from '../../src/values/decimal.ts';

test('a number of any country is read if it has only one meaning', () => {
  const meanings: Record<string, number> = {
    '12': 12,
    ' 12,5 ': 12.5,
    '12.5': 12.5,
    '-98,2': -98.2,
    '0,125': 0.125,
    '1234.567': 1234.567,
    '1.0000': 1,
    ',5': 0.5,
    '45.': 45,
    '1.234,56': 1234.56,
    '1,234.56': 1234.56,
    '1.234.567': 1234567,
    '1 234,5': 1234.5,
    '1\u00a0234\u00a0567': 1234567,
    '1\u202f234,567': 1234.567,
    "1'234.50": 1234.5,
    '1e3': 1000,
    '1.234e+21': 1.234e21,
  };
  for (const [text, value] of Object.entries(meanings)) expect([text, parseDecimal(text)]).toEqual([text, value]);
});

test('1.000 and 1,000 are ambiguous, and the decimal mark decides', () => {
  for (const text of ['1.000', '1,000', '-12,345', '999.999']) expect(parseDecimal(text)).toBe('ambiguous');
  expect([parseDecimal('1.000', 'comma'), parseDecimal('1.000', 'point')]).toEqual([1000, 1]);
  expect([parseDecimal('1,125', 'comma'), parseDecimal('1,125', 'point')]).toEqual([1.125, 1125]);
});

test('a number that contradicts the decimal mark is not read', () => {
  for (const text of ['12,5', '1.234,56', '1.234.567', '1 234,5']) expect(parseDecimal(text, 'point')).toBe('contrary');
  for (const text of ['12.5', '1,234.56', '1,234,567', "1'234.5"]) expect(parseDecimal(text, 'comma')).toBe('contrary');
});

test('other texts are not numbers', () => {
  const texts = [
    '',
    '.',
    ',',
    '-',
    '1.23,4',
    '1,2,3',
    '12.34.56',
    '1.234 567',
    '12 34',
    '1 2345',
    '500 L',
    '0x10',
    '--5',
  ];
  for (const text of [...texts, '1e', '1,5e1,5', '٣', 'NaN', 'Infinity', '1 000 000,', "1'000 000"])
    expect([text, parseDecimal(text)]).toEqual([text, 'not a number']);
});

test('a written number is never ambiguous and reads as itself', () => {
  for (const value of [1.125, -98.123, 19.0433, 1e21, 1e-7, 0, 0.1 + 0.2, 1000, 123456.789])
    expect(parseDecimal(formatDecimal(value))).toBe(value);
});

test('the language decides about numbers with two meanings, and only about those', () => {
  const table: [text: string, point: unknown, comma: unknown][] = [
    ['1234', 1234, 1234],
    ['1234.5', 1234.5, 1234.5],
    ['1234,5', 1234.5, 1234.5],
    ['1,234', 1234, 'ambiguous'],
    ['1.234', 'ambiguous', 1234],
    ['1,234.5', 1234.5, 1234.5],
    ['1.234,5', 1234.5, 1234.5],
    ['1 234,5', 1234.5, 1234.5],
    ['1 234', 1234, 1234],
    ['1,234,567', 1234567, 1234567],
    ['0,125', 0.125, 0.125],
    ['95,5', 95.5, 95.5],
    ['12,34', 12.34, 12.34],
    ['1,23,4', 'not a number', 'not a number'],
    ['200 gal', 'not a number', 'not a number'],
    ['', 'not a number', 'not a number'],
  ];
  for (const [text, point, comma] of table) {
    expect([text, parseNumber(text, { usual: 'point' })]).toEqual([text, point]);
    expect([text, parseNumber(text, { usual: 'comma' })]).toEqual([text, comma]);
  }
  expect(parseNumber('1,234', {})).toBe('ambiguous');
  expect([parseNumber('45.125', { isBelow1000: true }), parseNumber('45,125', { isBelow1000: true })]).toEqual([
    45.125, 45.125,
  ]);
  expect(['en-US', 'en-GB', 'es-MX', 'es'].map(decimalMarkOf)).toEqual(['point', 'point', 'point', 'point']);
  expect(['es-ES', 'es-AR', 'de-DE', 'fr-FR'].map(decimalMarkOf)).toEqual(['comma', 'comma', 'comma', 'comma']);
});
