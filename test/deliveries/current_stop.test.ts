import { expect, test } from 'vitest';
import { currentStop, type PlannedStop, type StopTank } from '../../src/deliveries/pure/rounds/current_stop.ts';
import { DEFAULT_CONTENTS, fillToOf } from '../../src/values/products.ts';

const planned: PlannedStop = {
  kind: 'could',
  volume: 340,
  chance: 0.01,
  outcome: 'open',
  is_volume_typed: false,
  planned_fill_percentage: 46,
  is_kept: false,
  block: null,
  truck_product: null,
};
const tankAt = (fillPercentage: number | null, more: Partial<StopTank> = {}): StopTank => ({
  capacityLiters: 1_000,
  contents: DEFAULT_CONTENTS,
  fillPercentage,
  reading: null,
  chance: 0.01,
  isGaugeUnreliable: false,
  ...more,
});
const plan = { fill_to_percentage: 80, chance_limit: 0.05 };
const currentOf = (stop: Partial<PlannedStop>, tank: StopTank | undefined) =>
  currentStop({ ...planned, ...stop }, tank, plan);

test('the volume of an open stop follows the level, and is marked as changed from 5 % and 10 gallons on', () => {
  expect(currentOf({}, tankAt(43))).toMatchObject({ volume: 370, planned_volume: 340, is_volume_changed: false });
  expect(currentOf({}, tankAt(40))).toMatchObject({ volume: 400, volume_from: 'level', is_volume_changed: true });
  expect(currentOf({ volume: 38, planned_fill_percentage: 76 }, tankAt(79))).toMatchObject({
    is_volume_changed: false,
  });
  // 40 liters of 900 are less than 5 %.
  const large = { ...tankAt(33), capacityLiters: 2_000 };
  expect(currentOf({ volume: 900 }, large)).toMatchObject({ volume: 940, is_volume_changed: false });
  // Without a level, or with an unreliable gauge, the planned volume stays. A closed stop also keeps it.
  for (const tank of [undefined, tankAt(null), tankAt(20, { isGaugeUnreliable: true })])
    expect(currentOf({}, tank)).toMatchObject({ volume: 340, volume_from: 'plan', fill_percentage: null });
  expect(currentOf({ outcome: 'not_possible' }, tankAt(20))).toMatchObject({ volume: 340, fill_percentage: null });
});

test('a volume that a person typed does not follow the level', () => {
  expect(currentOf({ is_volume_typed: true, volume: 100 }, tankAt(20))).toMatchObject({
    volume: 100,
    volume_from: 'person',
    is_volume_changed: false,
  });
});

test('a stop whose tank was filled meanwhile has no volume, unless a person keeps it', () => {
  expect(currentOf({}, tankAt(81))).toMatchObject({ volume: 0, is_filled_meanwhile: true, is_volume_changed: false });
  expect(currentOf({ is_volume_typed: true }, tankAt(81))).toMatchObject({ volume: 0, is_filled_meanwhile: true });
  expect(currentOf({ is_kept: true }, tankAt(78))).toMatchObject({ volume: 20, is_filled_meanwhile: false });
  // A stop of an older release has no planned level.
  expect(currentOf({ planned_fill_percentage: null }, tankAt(81)).is_filled_meanwhile).toBe(true);
  // The tank was nearly full when a person added the stop.
  expect(currentOf({ planned_fill_percentage: 77, volume: 30 }, tankAt(76)).is_filled_meanwhile).toBe(false);
  // The estimate does not follow the first reading after a delivery. Such a tank must not be overfilled.
  expect(currentOf({}, tankAt(20, { reading: { fill_percentage: 81 } }))).toMatchObject({
    volume: 0,
    fill_percentage: 81,
  });
});

test('a tank that loses gas blocks its open stop, and not a delivered one', () => {
  const block = { since: '2026-11-17T10:31:00.000Z', read_at: null };
  expect(currentOf({ block, is_volume_typed: true }, tankAt(34))).toMatchObject({
    volume: 0,
    planned_volume: 340,
    block,
  });
  expect(currentOf({ block, outcome: 'delivered' }, tankAt(34))).toMatchObject({ volume: 340, block: null });
});

test('a stop is a must if its chance is above the limit, and becomes a could again if only its chance was the reason', () => {
  expect(currentOf({}, tankAt(20, { chance: 0.2 })).kind).toBe('must');
  expect(currentOf({ kind: 'must', chance: 0.2 }, tankAt(70, { chance: 0 })).kind).toBe('could');
  expect(currentOf({ kind: 'must', chance: 0.01 }, tankAt(70, { chance: 0 })).kind).toBe('must'); // the customer called
  expect(currentOf({ kind: 'added' }, tankAt(20, { chance: 0.2 })).kind).toBe('added');
});

test('a tank is filled to its own limit, and a truck with another product is marked', () => {
  const oil = { product: 'heating_oil', fill_limit_percentage: 95, has_own_limit: false } as const;
  expect(currentOf({}, tankAt(46, { contents: oil })).volume).toBe(490);
  const european = { product: 'propane', fill_limit_percentage: 85, has_own_limit: true } as const;
  expect(currentOf({}, tankAt(46, { contents: european })).volume).toBe(390);
  // A limit that somebody gave the tank counts, even if it is that of the product.
  expect(fillToOf({ ...DEFAULT_CONTENTS, has_own_limit: true }, 85)).toBe(80);
  expect(fillToOf(DEFAULT_CONTENTS, 85)).toBe(85);
  const differs = (truck: string | null, contents: StopTank['contents']) =>
    currentOf({ truck_product: truck }, tankAt(46, { contents })).is_other_product;
  expect([differs(null, oil), differs('Heating oil', oil), differs('Tank truck 7', oil)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([differs('Propano', oil), differs('Gas LP', oil), differs('diesel', european)]).toEqual([true, true, true]);
  // People call all liquefied gases LP gas.
  expect([differs('LP gas', european), differs('butane', european)]).toEqual([false, true]);
  expect(currentOf({ truck_product: 'diesel', outcome: 'delivered' }, tankAt(46)).is_other_product).toBe(false);
});
