import { expect, test } from 'vitest';
import { formatsOf as driverFormatsOf } from '../../packages/console/driver/formats.ts';
import { esDriver } from '../../packages/console/driver/words/es_driver.ts';
import { DAY_MS, formatsOf } from '../../packages/console/src/format.ts';
import { proposedEmpty, proposedLevel } from '../../packages/console/src/rounds/proposed_texts.ts';
import { loadOfStops, overflowOf } from '../../packages/console/src/rounds/stop_texts.ts';
import { unreliableFromMs } from '../../packages/console/src/status.ts';
import { dueTexts } from '../../packages/console/src/time_texts.ts';
import { en as english } from '../../packages/console/src/translations/en.ts';
import { es as spanish } from '../../packages/console/src/translations/es.ts';
import { ROUND_TEXTS } from '../../packages/console/src/translations/rounds.ts';
import { TANK_STATUS_EXAMPLE } from '../../src/api/fleet/tank_status_schema.ts';

const en = english('gas');
const es = spanish('gas');

const NOW_MS = Date.parse('2026-11-16T12:00:00Z');
const ago = (days: number): string => new Date(NOW_MS - days * DAY_MS).toISOString();
const [us, mx] = [formatsOf('en-US'), formatsOf('es-MX')];

const SILENT = {
  fill_percentage: 9,
  is_silent: true,
  reading: { created_at: ago(17), fill_percentage: 29 },
  days_to_empty: 7,
  earliest_days_to_empty: 0,
  estimate: null,
};

test('a proposal shows the level of a silent tank as an estimate, with its last reading and its age', () => {
  expect(proposedLevel(SILENT, NOW_MS, en, us)).toEqual({ main: '≈ 9%', detail: 'was 29%, 17 days ago' });
  expect(proposedLevel(SILENT, NOW_MS, es, mx)).toEqual({ main: '≈ 9%', detail: 'antes 29%, hace 17 días' });
  expect(proposedLevel({ ...SILENT, fill_percentage: null }, NOW_MS, en, us)).toEqual({
    main: 'was 29%',
    detail: '17 days ago',
  });
  expect(proposedLevel({ ...SILENT, is_silent: false }, NOW_MS, en, us)).toEqual({ main: '9%', detail: '' });
});

test('a proposal says when a tank is empty in the words of the other pages', () => {
  const emptyText = (tank: Partial<typeof SILENT>): string => proposedEmpty({ ...SILENT, ...tank }, en, us).main;
  expect(emptyText({})).toBe('maybe empty');
  expect(emptyText({ earliest_days_to_empty: 3 })).toBe('from 3 days');
  expect(emptyText({ is_silent: false })).toBe('7 days');
  expect(emptyText({ is_silent: false, days_to_empty: 0.4 })).toBe(us.until(0.4 * DAY_MS));
  expect(emptyText({ is_silent: false, days_to_empty: 0 })).toBe('maybe empty');
  expect(proposedEmpty({ ...SILENT, is_silent: false, days_to_empty: null }, en, us).main).toBe('more than 2 years');
  expect(proposedEmpty({ ...SILENT, fill_percentage: null }, en, us).main).toBe('–');
});

test('a tank without a current level shows its earliest day, which begins with "from"', () => {
  const status = {
    ...TANK_STATUS_EXAMPLE,
    status: ['silent' as const],
    reading: { created_at: ago(4), fill_percentage: 52, is_confirmed: true },
    threshold: { likely_at: ago(-32), earliest_at: ago(-20), latest_at: ago(-60) },
  };
  expect(dueTexts(status, NOW_MS, en, us).main).toBe('from 20 days');
  expect(dueTexts(status, NOW_MS, es, mx).main).toBe('desde 20 días');
});

test('readings are in doubt after the last believable one', () => {
  const unreliable = { ...TANK_STATUS_EXAMPLE, gauge_unreliable_since: ago(0) };
  expect(unreliableFromMs(TANK_STATUS_EXAMPLE)).toBeNull();
  expect(unreliableFromMs(unreliable)).toBe(NOW_MS);
  const believed = { created_at: ago(1), fill_percentage: 52 };
  expect(unreliableFromMs({ ...unreliable, last_believable: believed })).toBe(NOW_MS - DAY_MS + 1);
});

const stop = (outcome: 'open' | 'delivered' | 'not_possible' | 'not_done', delivered_volume: number | null = null) => ({
  volume: 300,
  outcome,
  delivered_volume,
});

test('a load counts delivered volumes, nothing for stops that were not possible or not done, and otherwise the plan', () => {
  const stops = [stop('delivered', 280), stop('delivered'), stop('not_possible'), stop('not_done'), stop('open')];
  expect(loadOfStops(stops)).toBe(280 + 300 + 300);
});

test('the line in an overfull round stands where the truck is empty, and says how much is missing', () => {
  const stops = Array.from({ length: 4 }, () => stop('open'));
  expect(overflowOf(stops, 1_000)).toEqual({ first: 3, volume: 200 });
  expect(overflowOf([stop('not_possible'), ...stops.slice(1)], 1_000)).toBeNull();
  expect(ROUND_TEXTS.en.emptyHere('200 gal')).toBe('From here, the truck is 200 gal short.');
  expect(ROUND_TEXTS.es.emptyHere('200 gal')).toBe('Desde aquí faltan 200 gal.');
});

test('texts have the singular and plural of their counts', () => {
  expect(ROUND_TEXTS.en.notOffered(1, 0, 0, 0, 0)).toMatch(/^1 with a possible leak/);
  expect(ROUND_TEXTS.es.notOffered(1, 0, 0, 0, 0)).toMatch(/^1 con una posible fuga/);
  expect(ROUND_TEXTS.es.notOffered(2, 0, 0, 0, 0)).toMatch(/^2 con una posible fuga/);
  expect([ROUND_TEXTS.es.ofStops(1, 1), ROUND_TEXTS.es.ofStops(2, 3)]).toEqual([
    '1 obligada, 1 posible',
    '2 obligadas, 3 posibles',
  ]);
  const { progress } = ROUND_TEXTS.es;
  expect([progress.delivered(1), progress.not_possible(2), progress.open(1)]).toEqual([
    '1 entregada',
    '2 no fueron posibles',
    '1 pendiente',
  ]);
});

test('the page of the driver writes volumes as the console does, and Spanish times have articles', () => {
  const { volume } = driverFormatsOf('en', null);
  expect([volume(688.7, 'gallons'), volume(147.5, 'gallons'), volume(3.7, 'liters')]).toEqual([
    us.volume(688.7, 'gallons'),
    us.volume(147.5, 'gallons'),
    '3.7 L',
  ]);
  expect(esDriver.until('martes, 3:00 a.m.')).toContain('hasta el martes a las 3:00 a.m. y');
  expect(esDriver.until('martes 1:00 p.m.')).toContain('hasta el martes a la 1:00 p.m. y');
  expect(es.reasons.until('7:24 p.m.')).toBe('Hasta las 7:24 p.m.');
  expect(es.reasons.until('17 nov')).toBe('Hasta el 17 nov.');
});
