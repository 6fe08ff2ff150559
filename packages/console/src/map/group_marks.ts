import Supercluster from 'supercluster';
import type { StatusName } from '../status.ts';
import type { Place } from './map_view.ts';
import { GOLDEN_ANGLE } from './spread_marks.ts';

type Counts = Record<StatusName, number>;

/** All statuses, the most important first. */
const STATUSES = [
  'losing',
  'low',
  'gauge_unreliable',
  'silent',
  'soon',
  'refilled',
] as const satisfies readonly StatusName[];

/** The tanks of an area as the service sends them: groups, and single tanks. */
export interface MapTanks {
  cells: readonly (Place & { tanks: number; tank_id: string | null; counts: Counts })[];
  tanks: readonly (Place & { id: string; status: readonly StatusName[] })[];
}

/** A tank, or a group of tanks. */
export interface Mark extends Place {
  key: string;
  tanks: number;
  /** Null for a group. */
  tankId: string | null;
  counts: Counts;
  /** The distance from the place in pixels, because tanks of one house are drawn beside each other. */
  offset: readonly [x: number, y: number];
}

/** From this zoom on, every tank has its own mark. The map then shows a street of about 50 houses. */
export const STREET_ZOOM = 16;
const TILE_PIXELS = 512;
/** Tanks and cells that are nearer than this are a group, unless they are losing gas. */
const GROUP_PIXELS = 44;
const MARGIN_PIXELS = 2;
/** Marks around one place are 20 pixels wide. With this distance on a spiral, they do not touch. */
const SPREAD_PIXELS = 15;

const NO_COUNTS: Counts = { losing: 0, low: 0, gauge_unreliable: 0, silent: 0, soon: 0, refilled: 0 };

type Point = Omit<Mark, 'offset'>;
type Sums = { tanks: number } & Counts;

/** Half of the width of a mark in pixels. The count of the tanks must fit into the mark. */
export const radiusOf = ({ tanks, counts }: Pick<Mark, 'tanks' | 'counts'>): number => {
  if (tanks === 1) return worstOf(counts) === undefined ? 6 : 10;
  if (tanks < 100) return 18;
  if (tanks < 1_000) return 21;
  return tanks < 10_000 ? 25 : 30;
};

/** The status that a mark shows. `refilled` is not shown, because nobody has to do anything. */
export const worstOf = (counts: Counts): StatusName | undefined =>
  STATUSES.find((name) => name !== 'refilled' && counts[name] > 0);

/**
 * Returns a function that computes the marks for an integer zoom. Below STREET_ZOOM, marks do not overlap. From it on, the marks
 * around one place do not overlap each other, but may overlap those of the next place. Tanks that are losing gas are an exception:
 * each has its own mark at its own place, at every zoom.
 */
export function marksByZoom(map: MapTanks): (zoom: number) => Mark[] {
  const points = pointsOf(map);
  const losing = points.filter(({ tanks, counts }) => tanks === 1 && counts.losing > 0);
  const others = points.filter(({ tanks, counts }) => tanks > 1 || counts.losing === 0);
  const clusters = new Supercluster<Point, Sums>({
    radius: GROUP_PIXELS,
    extent: TILE_PIXELS,
    maxZoom: STREET_ZOOM - 1,
    map: ({ tanks, counts }) => ({ tanks, ...counts }),
    reduce(sums, { tanks, ...counts }) {
      sums.tanks += tanks;
      for (const name of STATUSES) sums[name] += counts[name];
    },
  }).load(others.map((point) => featureOf(point)));

  return (zoom) => {
    const alone = losing.map((point): Mark => ({ ...point, offset: [0, 0] }));
    if (zoom >= STREET_ZOOM) return [...spread(others, zoom), ...alone];
    const found = clusters.getClusters([-180, -90, 180, 90], zoom).map(({ geometry, properties }): Point => {
      if (!('cluster_id' in properties)) return properties;
      const [longitude = 0, latitude = 0] = geometry.coordinates;
      const { tanks, cluster_id, losing: l, low, gauge_unreliable, silent, soon, refilled } = properties;
      const counts = { losing: l, low, gauge_unreliable, silent, soon, refilled };
      return { key: `group ${zoom} ${cluster_id}`, latitude, longitude, tanks, tankId: null, counts };
    });
    const groups = join(found, zoom).map((members) => united(members));
    return [...groups.map((point): Mark => ({ ...point, offset: [0, 0] })), ...alone];
  };
}

const featureOf = (point: Point) => ({
  type: 'Feature' as const,
  geometry: { type: 'Point' as const, coordinates: [point.longitude, point.latitude] },
  properties: point,
});

function pointsOf(map: MapTanks): Point[] {
  return [
    ...map.tanks.map(({ id, latitude, longitude, status }): Point => {
      const counts = { ...NO_COUNTS };
      for (const name of status) counts[name] = 1;
      return { key: id, latitude, longitude, tanks: 1, tankId: id, counts };
    }),
    ...map.cells.map(
      ({ tank_id, latitude, longitude, tanks, counts }): Point => ({
        key: tank_id ?? `cell ${latitude} ${longitude}`,
        latitude,
        longitude,
        tanks,
        tankId: tank_id,
        counts,
      }),
    ),
  ];
}

/** One mark for each tank. Marks that would cover each other are placed around their center, the worst inside. */
function spread(points: readonly Point[], zoom: number): Mark[] {
  return join(points, zoom).flatMap((members): Mark[] => {
    if (members.length === 1) return members.map((point) => ({ ...point, offset: [0, 0] }));
    const { latitude, longitude } = united(members);
    return members
      .toSorted((a, b) => rank(a.counts) - rank(b.counts) || a.key.localeCompare(b.key))
      .map((point, index): Mark => {
        const [distance, angle] = [SPREAD_PIXELS * Math.sqrt(index + 0.5), index * GOLDEN_ANGLE];
        return { ...point, latitude, longitude, offset: [distance * Math.cos(angle), distance * Math.sin(angle)] };
      });
  });
}

const rank = (counts: Counts): number => {
  const worst = worstOf(counts);
  return worst === undefined ? STATUSES.length : STATUSES.indexOf(worst);
};

interface Placed {
  members: Point[];
  x: number;
  y: number;
  radius: number;
}

/**
 * Joins points whose marks would overlap at a zoom. Supercluster joins by distance, but then moves a group to the
 * center of its tanks, so that two groups can overlap.
 */
function join(points: readonly Point[], zoom: number): Point[][] {
  const pixels = TILE_PIXELS * 2 ** zoom;
  const placedAt = (members: Point[]): Placed => {
    const point = united(members);
    return {
      members,
      x: worldX(point.longitude) * pixels,
      y: worldY(point.latitude) * pixels,
      radius: radiusOf(point),
    };
  };
  let before: Placed[] = points.map((point) => placedAt([point]));
  for (;;) {
    const after = joinOnce(before, placedAt);
    if (after.length === before.length) return after.map(({ members }) => members);
    before = after;
  }
}

/** Joins overlapping points in one pass from west to east. */
function joinOnce(placed: readonly Placed[], placedAt: (members: Point[]) => Placed): Placed[] {
  const result: Placed[] = [];
  const widest = placed.reduce((most, { radius }) => Math.max(most, radius), 0);
  let first = 0;
  for (const one of placed.toSorted((a, b) => a.x - b.x)) {
    while ((result[first]?.x ?? Number.POSITIVE_INFINITY) < one.x - 2 * (widest + MARGIN_PIXELS)) first += 1;
    const near = result.slice(first).findIndex((other) => isOverlapping(one, other));
    const other = result[first + near];
    if (near === -1 || other === undefined) result.push(one);
    else result[first + near] = placedAt([...other.members, ...one.members]);
  }
  return result;
}

const isOverlapping = (a: Placed, b: Placed): boolean =>
  Math.hypot(a.x - b.x, a.y - b.y) < a.radius + b.radius + MARGIN_PIXELS;

/** One group of all members, at the center of their tanks. */
function united(members: readonly Point[]): Point {
  const [first] = members;
  if (first === undefined) throw new Error('a group has no members');
  if (members.length === 1) return first;
  const counts = { ...NO_COUNTS };
  let [tanks, latitude, longitude] = [0, 0, 0];
  for (const member of members) {
    tanks += member.tanks;
    latitude += member.latitude * member.tanks;
    longitude += member.longitude * member.tanks;
    for (const name of STATUSES) counts[name] += member.counts[name];
  }
  const key = members.map((member) => member.key).toSorted()[0] ?? '';
  return { key: `with ${key}`, latitude: latitude / tanks, longitude: longitude / tanks, tanks, tankId: null, counts };
}

/** The world as a square from 0 to 1, as in web maps: x to the east, y to the south. */
const worldX = (longitude: number): number => longitude / 360 + 0.5;
function worldY(latitude: number): number {
  const radians = (Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180;
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI);
}
