import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type MapTanks,
  type Mark,
  marksByZoom,
  radiusOf,
  STREET_ZOOM,
} from '../../packages/console/src/map/group_marks.ts';
import { randomRuns } from '../support/random_runs.ts';

const STATUS = ['losing', 'low', 'silent', 'soon', 'refilled'] as const;
type Status = (typeof STATUS)[number];

/** A town of tanks around one place, as far as 0.5 degrees away, many of them at the same house. */
const fleets = fc
  .array(
    fc.record({
      x: fc.integer({ min: -50, max: 50 }),
      y: fc.integer({ min: -50, max: 50 }),
      scale: fc.constantFrom(0.00001, 0.0003, 0.01),
      status: fc.subarray([...STATUS]),
    }),
    { minLength: 1, maxLength: 150 },
  )
  .map(
    (tanks): MapTanks => ({
      cells: [],
      tanks: tanks.map(({ x, y, scale, status }, index) => ({
        id: `t${index}`,
        latitude: 20.5 + y * scale,
        longitude: -100.8 + x * scale,
        status,
      })),
    }),
  );

const screen = ({ latitude, longitude, offset }: Mark, zoom: number): [number, number] => {
  const pixels = 512 * 2 ** zoom;
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / (2 * Math.PI);
  return [(longitude / 360 + 0.5) * pixels + offset[0], y * pixels + offset[1]];
};

function overlapping(marks: readonly Mark[], zoom: number): string[] {
  const placed = marks.map((mark) => ({ mark, x: screen(mark, zoom)[0], y: screen(mark, zoom)[1] }));
  return placed.flatMap((first, index) =>
    placed
      .slice(index + 1)
      .filter(({ mark, x, y }) => Math.hypot(first.x - x, first.y - y) < radiusOf(first.mark) + radiusOf(mark))
      .map((other) => `${first.mark.key} and ${other.mark.key} at zoom ${zoom}`),
  );
}

const isLosing = ({ counts }: Mark): boolean => counts.losing > 0;
const ZOOMS = [0, 4, 7, 9, 11, 13, 15];

describe('marks of a map', () => {
  test('marks do not overlap at any zoom, except those of losing tanks, and every tank is in exactly one mark', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const marksOf = marksByZoom(fleet);
        for (const zoom of ZOOMS) {
          const marks = marksOf(zoom);
          expect(marks.reduce((sum, { tanks }) => sum + tanks, 0)).toBe(fleet.tanks.length);
          expect(
            overlapping(
              marks.filter((mark) => !isLosing(mark)),
              zoom,
            ),
          ).toEqual([]);
          for (const status of STATUS) {
            const expected = fleet.tanks.filter((tank) => tank.status.includes(status)).length;
            expect(marks.reduce((sum, { counts }) => sum + counts[status], 0)).toBe(expected);
          }
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test('a tank that is losing gas is alone at its own place at every zoom', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const losing = fleet.tanks.filter(({ status }) => status.includes('losing'));
        for (const zoom of [...ZOOMS, STREET_ZOOM]) {
          const found = marksByZoom(fleet)(zoom).filter(isLosing);
          expect(
            found.map(({ tankId, latitude, longitude, offset }) => [tankId, latitude, longitude, ...offset]),
          ).toEqual(losing.map(({ id, latitude, longitude }) => [id, latitude, longitude, 0, 0]));
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test('from the zoom of a street on, every tank has a mark of its own', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        for (const zoom of [STREET_ZOOM, STREET_ZOOM + 1, 19]) {
          const marks = marksByZoom(fleet)(zoom);
          expect(marks).toHaveLength(fleet.tanks.length);
          expect(new Set(marks.map(({ tankId }) => tankId))).toEqual(new Set(fleet.tanks.map(({ id }) => id)));
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test('twelve tanks of one house stand beside each other', () => {
    const tanks = Array.from({ length: 12 }, (_, index) => ({
      id: `t${index}`,
      latitude: 20.5,
      longitude: -100.8,
      status: (index % 3 === 0 ? ['low'] : []) satisfies Status[],
    }));
    const marks = marksByZoom({ cells: [], tanks })(17);
    expect(marks).toHaveLength(12);
    expect(overlapping(marks, 17)).toEqual([]);
    for (const { offset } of marks) expect(Math.hypot(...offset)).toBeLessThan(60);
  });

  test('groups that the service sends are joined like tanks', () => {
    const counts = { losing: 0, low: 2, gauge_unreliable: 0, silent: 0, soon: 1, refilled: 0 };
    const cell = (longitude: number) => ({ latitude: 20.5, longitude, tanks: 400, tank_id: null, counts });
    const marksOf = marksByZoom({ cells: [cell(-100.8), cell(-100.79)], tanks: [] });
    expect(marksOf(5).map(({ tanks, counts: { low } }) => [tanks, low])).toEqual([[800, 4]]);
    expect(marksOf(14).map(({ tanks }) => tanks)).toEqual([400, 400]);
  });
});
