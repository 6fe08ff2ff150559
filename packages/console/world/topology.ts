import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Position, unrolledRing } from './unrolled_ring.ts';

type Rings = readonly (readonly number[])[];

/** A shape of TopoJSON: the numbers of the arcs that it consists of. */
type Geometry = { id?: string; properties?: { name?: string; gu?: string; ct?: Position } } & (
  | { type: 'Polygon'; arcs: Rings }
  | { type: 'MultiPolygon'; arcs: readonly Rings[] }
  | { type: null }
);

/** The parts of TopoJSON that the packages with outlines have. */
interface TopologyFile {
  arcs: readonly (readonly (readonly [number, number])[])[];
  transform: { scale: readonly [number, number]; translate: readonly [number, number] };
  objects: Record<string, { geometries: readonly Geometry[] }>;
}

export interface Shape {
  id: string;
  name: string;
  /** The code of the country that a state belongs to. */
  country: string;
  /** The center of its largest part. */
  middle: Position | undefined;
  /** Each polygon has its outer ring first. */
  polygons: readonly (readonly Position[])[][];
  /** The numbers of its arcs. */
  arcs: ReadonlySet<number>;
}

export interface Topology {
  shapes: (name: string) => Shape[];
  /** The lines between two of these shapes. A coast belongs to one shape only. */
  borders: (shapes: readonly Shape[]) => Position[][];
}

/** Reads a file of a package whose version is fixed. */
export async function readTopology(specifier: string): Promise<Topology> {
  const text = await readFile(fileURLToPath(import.meta.resolve(specifier)), 'utf8');
  const file: TopologyFile = JSON.parse(text);
  const arcs = file.arcs.map((arc) => decodeArc(arc, file.transform));
  // A negative number is an arc in the other direction.
  const pointsOf = (arc: number): Position[] => (arc >= 0 ? (arcs[arc] ?? []) : (arcs[~arc] ?? []).toReversed());
  const shapeOf = (geometry: Geometry): Shape[] => {
    if (geometry.type === null) return [];
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    const shape = {
      id: geometry.id ?? '',
      name: geometry.properties?.name ?? '',
      country: geometry.properties?.gu ?? '',
      middle: geometry.properties?.ct,
      polygons: polygons.map((rings) => rings.map((ring) => unrolledRing(ring.flatMap(pointsOf)))),
      arcs: new Set(polygons.flat(2).map((arc) => (arc >= 0 ? arc : ~arc))),
    };
    return [shape];
  };
  return {
    shapes: (name) => (file.objects[name]?.geometries ?? []).flatMap(shapeOf),
    borders(shapes) {
      const owners = new Map<number, number>();
      for (const shape of shapes) for (const arc of shape.arcs) owners.set(arc, (owners.get(arc) ?? 0) + 1);
      return [...owners].filter(([, count]) => count > 1).map(([arc]) => unrolledRing(pointsOf(arc)));
    },
  };
}

/** Decodes an arc, in which each point is stored as its difference from the previous point. */
function decodeArc(arc: TopologyFile['arcs'][number], { scale, translate }: TopologyFile['transform']): Position[] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}
