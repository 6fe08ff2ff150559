import { expect, test } from 'vitest';
import { chartSummary } from '../../packages/console/src/chart/chart_summary.ts';
import { timeLabels } from '../../packages/console/src/chart/time_labels.ts';
import { DAY_MS, formatsOf } from '../../packages/console/src/format.ts';
import { en as english } from '../../packages/console/src/translations/en.ts';

const en = english('gas');

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
const points = [68, 34].map((level, at) => ({ ms: NOW_MS - (1 - at) * 7 * DAY_MS, level }));

const eventAt = (type: string, atMs: number, data: Readonly<Record<string, unknown>> = {}) => ({
  type,
  occurred_at: new Date(atMs).toISOString(),
  data,
});

test('the sentence of a chart with a loss says so, and only while the chart shows it', () => {
  const summary = (...events: ReturnType<typeof eventAt>[]): string =>
    chartSummary(points, events, en, formatsOf('en-US'));
  expect(summary()).toMatch(/^From 68% to 34% in 7.days\.$/);
  expect(summary(eventAt('tank.rapid_loss', NOW_MS - DAY_MS))).toMatch(/in 7.days, losing gas\.$/);
  expect(summary(eventAt('tank.rapid_loss', NOW_MS - 30 * DAY_MS))).not.toContain('leak');
  const refill = eventAt('tank.refilled', NOW_MS - 2 * DAY_MS, { delivered_volume: 100, volume_unit: 'gallons' });
  expect(summary(eventAt('tank.rapid_loss', NOW_MS - DAY_MS), refill)).toMatch(
    /losing gas, refilled once, \+100.gal\.$/,
  );
});

test('the sentence of a chart ends where the gauge is unreliable', () => {
  const readings = [66, 52, 0].map((level, at) => ({ ms: NOW_MS - (2 - at) * DAY_MS, level }));
  const said = (doubtedFromMs: number | null): string =>
    chartSummary(readings, [], en, formatsOf('en-US'), doubtedFromMs);
  expect(said(NOW_MS - DAY_MS + 1)).toMatch(/^From 66% to 52% in 24.hr, gauge unreliable\.$/);
  expect(said(NOW_MS - 30 * DAY_MS)).toBe('Gauge unreliable.');
  expect(said(null)).toMatch(/^From 66% to 0% in 2.days\.$/);
});

test('a chart of one reading has its time once below the axis', () => {
  const splits = Array.from({ length: 8 }, (_, at) => Date.parse('2026-11-16T12:34:10') / 1_000 + at);
  expect(timeLabels(splits, 1, formatsOf('en-US')).filter((label) => label !== '')).toHaveLength(1);
});
