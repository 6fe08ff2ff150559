import { expect, test } from 'vitest';
import { chartSummary } from '../../packages/console/src/chart/chart_summary.ts';
import { timeLabels } from '../../packages/console/src/chart/time_labels.ts';
import { DAY_MS, formatsOf } from '../../packages/console/src/format.ts';
import { en as english } from '../../packages/console/src/translations/en.ts';

const en = english('gas');

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
const points = [68, 34].map((level, index) => ({ ms: NOW_MS - (1 - index) * 7 * DAY_MS, level }));

const eventAt = (type: string, atMs: number, data: Readonly<Record<string, unknown>> = {}) => ({
  type,
  occurred_at: new Date(atMs).toISOString(),
  data,
});

test('the summary of a chart names a loss only if the chart shows it', () => {
  const summary = (...events: ReturnType<typeof eventAt>[]): string =>
    chartSummary(points, events, en, formatsOf('en-US'));
  expect(summary()).toMatch(/^From 68% to 34% in 7.days\.$/);
  expect(summary(eventAt('tank.rapid_loss', NOW_MS - DAY_MS))).toMatch(/in 7.days, losing gas\.$/);
  expect(summary(eventAt('tank.rapid_loss', NOW_MS - 30 * DAY_MS))).not.toContain('losing');
  const refill = eventAt('tank.refilled', NOW_MS - 2 * DAY_MS, { delivered_volume: 100, volume_unit: 'gallons' });
  expect(summary(eventAt('tank.rapid_loss', NOW_MS - DAY_MS), refill)).toMatch(
    /losing gas, refilled once, \+100.gal\.$/,
  );
});

test('the summary of a chart ends where the gauge is unreliable', () => {
  const readings = [66, 52, 0].map((level, index) => ({ ms: NOW_MS - (2 - index) * DAY_MS, level }));
  const summary = (unreliableFromMs: number | null): string =>
    chartSummary(readings, [], en, formatsOf('en-US'), unreliableFromMs);
  expect(summary(NOW_MS - DAY_MS + 1)).toMatch(/^From 66% to 52% in 24.hr, gauge unreliable\.$/);
  expect(summary(NOW_MS - 30 * DAY_MS)).toBe('Gauge unreliable.');
  expect(summary(null)).toMatch(/^From 66% to 0% in 2.days\.$/);
});

test('a chart of one reading has its time once below the axis', () => {
  const splits = Array.from({ length: 8 }, (_, second) => Date.parse('2026-11-16T12:34:10') / 1_000 + second);
  expect(timeLabels(splits, 1, formatsOf('en-US')).filter((label) => label !== '')).toHaveLength(1);
});
