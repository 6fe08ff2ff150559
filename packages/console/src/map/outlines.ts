import type { FeatureCollection, Polygon } from 'geojson';
import outlinesUrl from 'world-atlas/countries-50m.json?url';
import { type Position, unrolledRing } from './unrolled_ring.ts';

/** The parts of TopoJSON that the file of Natural Earth outlines has. */
interface Topology {
  arcs: readonly (readonly (readonly [number, number])[])[];
  transform: { scale: readonly [number, number]; translate: readonly [number, number] };
  objects: { countries: { geometries: readonly Geometry[] } };
}
type Geometry =
  | { type: 'Polygon'; arcs: readonly (readonly number[])[] }
  | { type: 'MultiPolygon'; arcs: readonly (readonly (readonly number[])[])[] };

/**
 * Loads the borders of all countries as GeoJSON. The file is static and comes from this origin. Each piece of land is a feature
 * of its own: within one, MapLibre takes a ring of the other direction, such as Antarctica's, as a hole in the land.
 */
export async function loadOutlines(signal: AbortSignal): Promise<FeatureCollection<Polygon>> {
  const response = await fetch(outlinesUrl, { signal });
  if (!response.ok) throw new Error(`the outlines returned ${response.status}`);
  // Our own file, built from a package of a fixed version.
  const topology: Topology = await response.json();
  const arcs = topology.arcs.map((arc) => decodeArc(arc, topology.transform));
  const polygons = topology.objects.countries.geometries
    .flatMap((geometry) => (geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs))
    .map((rings) => rings.map((ring) => unrolledRing(ring.flatMap((arc) => arcPoints(arcs, arc)))));
  return {
    type: 'FeatureCollection',
    features: polygons.map((coordinates) => ({
      type: 'Feature',
      properties: null,
      geometry: { type: 'Polygon', coordinates },
    })),
  };
}

/** Each point of an arc is the difference to the one before it. */
function decodeArc(arc: Topology['arcs'][number], { scale, translate }: Topology['transform']): Position[] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

/** A negative number is an arc in the other direction. */
function arcPoints(arcs: readonly Position[][], arc: number): Position[] {
  return arc >= 0 ? (arcs[arc] ?? []) : (arcs[-1 - arc] ?? []).toReversed();
}
