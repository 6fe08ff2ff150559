import { expect, test } from 'vitest';
import { type Ranked, sortByUrgency } from '../../src/status/status_object.ts';

const inHours = (hours: number): string => new Date(Date.UTC(2026, 10, 16) + hours * 3_600_000).toISOString();
const times = (likely: number, earliest = likely) => ({
  likely_at: inHours(likely),
  earliest_at: inHours(earliest),
  latest_at: null,
});
const NONE = { loss: null, empty: null, due_at: null };
const low = (likely: number, earliest?: number): Ranked => ({
  ...NONE,
  status: ['low'],
  empty: times(likely, earliest),
});

test('the tanks of a page are in the order of the times that people see, also those of one day', () => {
  const page = {
    // The first two are empty on the same day.
    'low, 9 days': low(206),
    'low, 8 days': low(194),
    'low and silent, maybe 5 days': { ...low(203, 120), status: ['low', 'silent'] },
    'low, no forecast': { ...NONE, status: ['low'] },
    'due in 20 hours': { ...NONE, status: ['soon'], due_at: inHours(20), empty: times(90) },
    'due in 18 hours': { ...NONE, status: ['soon'], due_at: inHours(18), empty: times(99) },
    'no forecast': { ...NONE, status: [] },
    losing: { ...NONE, status: ['losing', 'low'], loss: { empty_at: inHours(6) }, empty: times(300) },
  } satisfies Record<string, Ranked>;
  const named = Object.entries(page).map(([name, tank]) => ({ ...tank, name }));
  const expected = [
    'losing',
    'low and silent, maybe 5 days',
    'low, 8 days',
    'low, 9 days',
    'low, no forecast',
    'due in 18 hours',
    'due in 20 hours',
    'no forecast',
  ];
  expect(sortByUrgency(named, 'urgency').map(({ name }) => name)).toEqual(expected);
  expect(sortByUrgency(named, '-urgency').map(({ name }) => name)).toEqual(expected.toReversed());
});
