import { expect, test } from 'vitest';
import { formatsOf } from '../../packages/console/src/format.ts';
import { plannedText } from '../../packages/console/src/today/planned_text.ts';
import { en as english } from '../../packages/console/src/translations/en.ts';

const en = english('gas');

const NOW_MS = new Date(2026, 10, 16, 9).getTime();
const at = (day: number, hour: number): string => new Date(2026, 10, day, hour).toISOString();

/** The text for a tank with these values. */
function textOf(
  plannedDate: string | null,
  earliestEmptyAt: string | null,
  status: readonly string[] = ['low'],
): string {
  const planned = plannedDate === null ? null : { date: plannedDate };
  const empty = { earliest_at: earliestEmptyAt };
  return plannedText({ status, planned_delivery: planned, empty }, NOW_MS, en, formatsOf('en-US'));
}

test('the text has the day of a planned delivery, and warns if the tank may be empty before that day', () => {
  const isWarned = (text: string): boolean => text.endsWith(`, ${en.values.emptyBefore}`);
  expect(textOf('2026-11-18', at(19, 1))).toContain('Wednesday');
  expect(isWarned(textOf('2026-11-18', at(19, 1)))).toBe(false);
  // The truck may come in the morning.
  expect(isWarned(textOf('2026-11-18', at(18, 23)))).toBe(false);
  expect(isWarned(textOf('2026-11-18', at(17, 23)))).toBe(true);
  expect(isWarned(textOf('2026-11-18', null))).toBe(false);
});

test('the text is empty without a planned delivery, and for a tank that loses gas', () => {
  expect(textOf(null, at(17, 1))).toBe('');
  expect(textOf('2026-11-18', at(17, 1), ['losing', 'low'])).toBe('');
});
