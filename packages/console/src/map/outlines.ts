import outlinesUrl from 'world-atlas/countries-50m.json?url';
import { type WorldPoint, worldX, worldY } from './mercator.ts';

/** The outline of one piece of land, in coordinates of the world, with its bounds to leave out what is not visible. */
export interface Outline {
  path: Path2D;
  west: number;
  east: number;
  north: number;
  south: number;
}

/** The parts of TopoJSON that the file of Natural Earth outlines has. */
interface Topology {
  arcs: readonly (readonly (readonly [number, number])[])[];
  transform: { scale: readonly [number, number]; translate: readonly [number, number] };
  objects: { countries: { geometries: readonly Geometry[] } };
}
type Geometry =
  | { type: 'Polygon'; arcs: readonly (readonly number[])[] }
  | { type: 'MultiPolygon'; arcs: readonly (readonly (readonly number[])[])[] };

/** Loads the borders of all countries. The file is static and comes from this origin. */
export async function loadOutlines(signal: AbortSignal): Promise<Outline[]> {
  const response = await fetch(outlinesUrl, { signal });
  if (!response.ok) throw new Error(`the outlines returned ${response.status}`);
  // Our own file, built from a package of a fixed version.
  const topology: Topology = await response.json();
  const arcs = topology.arcs.map((arc) => decodeArc(arc, topology.transform));
  return topology.objects.countries.geometries
    .flatMap((geometry) => (geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs))
    .map((rings) => outlineOf(rings.map((ring) => ring.flatMap((arc) => arcPoints(arcs, arc)))));
}

/** Each point of an arc is the difference to the one before it. */
function decodeArc(arc: Topology['arcs'][number], { scale, translate }: Topology['transform']): WorldPoint[] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return { x: worldX(x * scale[0] + translate[0]), y: worldY(y * scale[1] + translate[1]) };
  });
}

/** A negative number is an arc in the other direction. */
function arcPoints(arcs: readonly WorldPoint[][], arc: number): WorldPoint[] {
  return arc >= 0 ? (arcs[arc] ?? []) : (arcs[-1 - arc] ?? []).toReversed();
}

function outlineOf(rings: readonly WorldPoint[][]): Outline {
  const path = new Path2D();
  for (const ring of rings) {
    for (const [at, { x, y }] of ring.entries()) {
      if (at === 0) path.moveTo(x, y);
      else path.lineTo(x, y);
    }
    path.closePath();
  }
  const points = rings.flat();
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), 1);
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  return { path, west: least(xs), east: most(xs), north: least(ys), south: most(ys) };
}
