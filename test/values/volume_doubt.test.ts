import { expect, test } from 'vitest';
import { doubtVolume } from '../../src/values/volume_doubt.ts';

test('a volume under 20 % or over 120 % of what fits is doubted', () => {
  const doubts = [2, 39, 40, 200, 240, 241, 2_000].map((volume) => doubtVolume(volume, { fits: 200, capacity: 500 }));
  const doubt = { against: 'fits', volume: 200 };
  expect(doubts).toEqual([doubt, doubt, null, null, null, doubt, doubt]);
});

test('if it is not known what fits, less than 5 % of the tank and more than the tank are doubted', () => {
  const doubt = { against: 'capacity', volume: 500 };
  for (const fits of [undefined, null, 0]) {
    const doubts = [24, 25, 500, 501].map((volume) => doubtVolume(volume, { fits, capacity: 500 }));
    expect(doubts).toEqual([doubt, null, null, doubt]);
  }
});

test('more than the truck has left is doubted, and nothing is doubted if nothing is known', () => {
  expect(doubtVolume(210, { fits: 200, truckLeft: 150 })).toEqual({ against: 'truck', volume: 150 });
  expect(doubtVolume(0.5, {})).toBe(null);
});
