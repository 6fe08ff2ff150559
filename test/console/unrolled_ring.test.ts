import { expect, test } from 'vitest';
import { type Position, unrolledRing } from '../../packages/console/world/unrolled_ring.ts';

/** The longest step between two neighbours, in degrees of longitude. */
const longestStep = (ring: readonly Position[]): number =>
  Math.max(...ring.slice(1).map(([longitude], index) => Math.abs(longitude - (ring[index]?.[0] ?? 0))));

test('a ring that crosses 180° of longitude has no edge around the world', () => {
  const chukotka: Position[] = [
    [170, 65],
    [179, 66],
    [-175, 66],
    [-172, 64],
    [179, 63],
    [170, 65],
  ];
  const ring = unrolledRing(chukotka);
  expect(longestStep(ring)).toBeLessThan(20);
  expect(ring.at(-1)).toEqual(ring[0]);
});

test('a ring around the pole is closed along it, and any other ring stays as it is', () => {
  const around = [-150, -50, 50, 150, -150].map((longitude): Position => [longitude, -70]);
  const ring = unrolledRing(around);
  expect(ring.slice(-3)).toEqual([
    [210, -85],
    [-150, -85],
    [-150, -70],
  ]);
  const mexico: Position[] = [
    [-117, 32],
    [-97, 26],
    [-92, 15],
    [-117, 32],
  ];
  expect(unrolledRing(mexico)).toEqual(mexico);
});
