import type { Point, TileFeature } from './vector_tile.ts';

type Ring = Point[];

const EXTENT = 4_096;
/** geojson-vt cuts land 64 units outside of a tile. The edge of the sea is farther out, so that it touches no land. */
const EDGE = 72;
const LAND_EDGE = 64;
const FRAME: Ring = [
  [-EDGE, -EDGE],
  [EXTENT + EDGE, -EDGE],
  [EXTENT + EDGE, EXTENT + EDGE],
  [-EDGE, EXTENT + EDGE],
  [-EDGE, -EDGE],
];

/**
 * Returns the sea of a tile: the tile without its land. The sea is drawn on land, so that a map that is still loading shows
 * land, and not a sea where people live.
 */
export function seaOf(land: readonly TileFeature[]): TileFeature[] {
  const polygons = land.flatMap((feature) => (feature.type === 3 ? [feature.geometry] : []));
  const coasts = polygons.flatMap(([outer]) => (outer === undefined ? [] : [outer]));
  if (coasts.some(isWholeTile) && polygons.every((rings) => rings.length === 1)) return [];
  // Seas inside of land, such as the Caspian Sea. The loop below adds the islands in them.
  const inner = polygons.flatMap((rings) => rings.slice(1));
  const seas: Ring[][] = inner.map((ring) => [ring]);
  const open: Ring[] = [];
  for (const coast of coasts) {
    const index = inner.findIndex((ring) => coast[0] !== undefined && isInside(coast[0], ring));
    (seas[index] ?? open).push(coast);
  }
  if (!coasts.some(isWholeTile)) seas.unshift([FRAME, ...open]);
  return seas.map((rings) => ({
    type: 3,
    tags: { kind: 'ocean' },
    geometry: rings.map((ring, index) => (areaOf(ring) > 0 === (index === 0) ? ring : ring.toReversed())),
  }));
}

const isWholeTile = (ring: Ring): boolean => Math.abs(areaOf(ring)) >= (EXTENT + 2 * LAND_EDGE) ** 2 - 1;

function areaOf(ring: Ring): number {
  let area = 0;
  for (const [index, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[index + 1] ?? ring[0] ?? [x, y];
    area += x * nextY - nextX * y;
  }
  return area / 2;
}

/** Whether a line to the east crosses the ring an odd number of times. */
function isInside([x, y]: Point, ring: Ring): boolean {
  let isIn = false;
  for (const [index, [x1, y1]] of ring.entries()) {
    const [x2, y2] = ring[index + 1] ?? ring[0] ?? [x1, y1];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn;
  }
  return isIn;
}
