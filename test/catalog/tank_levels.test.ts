import { expect, onTestFinished, test, vi } from 'vitest';
import { LEVEL_COLUMNS } from '../../src/catalog/tank_levels.ts';

test('a level of today without a time is of midnight until noon, and of noon afterwards', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const atClock = (clock: string): unknown => {
    vi.setSystemTime(clock);
    return LEVEL_COLUMNS.measured_at('11/18/2025', { dateOrder: 'mdy', timeZone: 'America/New_York' });
  };
  const morning = { value: '2025-11-18T05:00:00.000Z' };
  expect([atClock('2025-11-18T05:01:00Z'), atClock('2025-11-18T16:59:00Z')]).toEqual([morning, morning]);
  expect(atClock('2025-11-18T17:00:00Z')).toEqual({ value: '2025-11-18T17:00:00.000Z' });
  expect(atClock('2025-11-18T04:59:00Z')).toMatchObject({ reason: 'must not be in the future' });
});
