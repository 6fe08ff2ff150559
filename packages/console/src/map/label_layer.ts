import type { Feature, Position } from 'geojson';
import {
  type ExpressionFilterSpecification,
  type ExpressionSpecification,
  GeoJSONSource,
  type Map as MapLibreMap,
} from 'maplibre-gl';
import { themeColor } from '../theme_color.ts';
import type { Place } from './map_view.ts';
import { BESIDE, FAMILY, TOWNS, TOWNS_FILTER } from './tile_layers.ts';

const BOXES = 'mark-boxes';
const NAMES = 'own-names';
const EMPTY_IMAGE = 'empty';
const IMAGE_PIXELS = 16;
/** A town of the background and a place of the organization are the same if they have one name and are at most this far apart. */
const SAME_DEGREES = 0.3;
/** The radius of the boxes along the edges of the map in pixels. They are lower than a name. */
const EDGE_RADIUS = 7;

/**
 * Keeps the names on the map away from the marks, and from the edges, where names would be cut off. Adds the names of
 * the organization's places, which may be too small for the background. MapLibre draws all names, so that names do not
 * overlap.
 */
export class LabelLayer {
  readonly #map: MapLibreMap;
  #boxes: readonly Feature[] = [];
  #names: readonly Feature[] = [];
  #edges: readonly Feature[] = [];

  constructor(map: MapLibreMap) {
    this.#map = map;
    map.on('style.load', () => this.#addLayers());
    // The boxes have fixed coordinates, so they would move away from the edges with the map.
    map.on('movestart', () => this.#keepFromEdges([]));
    map.on('moveend', () => this.#keepFromEdges(edgePoints(map)));
    this.#edges = edgePoints(map);
  }

  /** Sets the marks that names must not cover, each as a circle with a radius in pixels. */
  avoid(marks: readonly (Place & { radius: number })[]): void {
    this.#boxes = marks.map(({ radius, ...place }) => pointAt(place, { radius }));
    this.#update();
  }

  /** Shows the organization's names of places. They replace towns of the background with the same name near them. */
  showNames(places: readonly (Place & { city: string })[]): void {
    this.#names = places.map(({ city, ...place }) => pointAt(place, { name: city }));
    this.#update();
  }

  /** The names of towns that are drawn now. */
  drawnNames(): string[] {
    const layers = [NAMES, TOWNS].filter((id) => this.#map.getLayer(id) !== undefined);
    const found = this.#map.queryRenderedFeatures({ layers });
    return [...new Set(found.map(({ properties }) => String(properties['name'])))];
  }

  /** Called again after a change of the theme, which replaces the style with all its layers. */
  #addLayers(): void {
    const map = this.#map;
    const data = { type: 'FeatureCollection' as const, features: [] };
    const pixels = new Uint8Array(IMAGE_PIXELS * IMAGE_PIXELS * 4);
    map.addImage(EMPTY_IMAGE, { width: IMAGE_PIXELS, height: IMAGE_PIXELS, data: pixels });
    for (const id of [NAMES, BOXES]) map.addSource(id, { type: 'geojson', data });
    map.addLayer({
      id: NAMES,
      type: 'symbol',
      source: NAMES,
      layout: { 'text-field': ['get', 'name'], 'text-font': [FAMILY], 'text-size': 13, 'text-padding': 2, ...BESIDE },
      paint: { 'text-color': themeColor('ink'), 'text-halo-color': themeColor('land'), 'text-halo-width': 1.5 },
    });
    // MapLibre places the uppermost layer first, so the empty images of this layer keep names away from the marks.
    map.addLayer({
      id: BOXES,
      type: 'symbol',
      source: BOXES,
      layout: {
        'icon-image': EMPTY_IMAGE,
        'icon-size': ['/', ['get', 'radius'], IMAGE_PIXELS / 2],
        'icon-allow-overlap': true,
        'icon-padding': 0,
      },
    });
    this.#update();
  }

  #keepFromEdges(points: readonly Feature[]): void {
    this.#edges = points;
    this.#update();
  }

  #update(): void {
    for (const [id, features] of [
      [BOXES, [...this.#boxes, ...this.#edges]],
      [NAMES, this.#names],
    ] as const) {
      const source = this.#map.getSource(id);
      if (source instanceof GeoJSONSource) void source.setData({ type: 'FeatureCollection', features: [...features] });
    }
    if (this.#map.getLayer(TOWNS) !== undefined) this.#map.setFilter(TOWNS, withoutTowns(TOWNS_FILTER, this.#names));
  }
}

const pointAt = ({ latitude, longitude }: Place, properties: Feature['properties']): Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
});

function edgePoints(map: MapLibreMap): Feature[] {
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const steps = (length: number): number[] =>
    Array.from({ length: Math.ceil(length / EDGE_RADIUS / 2) + 1 }, (_, index) => index * EDGE_RADIUS * 2);
  const pixels = [
    ...steps(width).flatMap((x) => [[x, 0] as const, [x, height] as const]),
    ...steps(height).flatMap((y) => [[0, y] as const, [width, y] as const]),
  ];
  return pixels.map(([x, y]) => {
    const { lat: latitude, lng: longitude } = map.unproject([x, y]);
    return pointAt({ latitude, longitude }, { radius: EDGE_RADIUS });
  });
}

/** Leaves out towns of the background that have the name of any of these places and are near any of them. */
function withoutTowns(
  filter: ExpressionFilterSpecification,
  places: readonly Feature[],
): ExpressionFilterSpecification {
  if (places.length === 0) return filter;
  const names = [...new Set(places.flatMap(({ properties }) => spellings(String(properties?.['name']))))];
  const coordinates = places.flatMap(({ geometry }) =>
    geometry.type === 'Point' ? [[squareAround(geometry.coordinates)]] : [],
  );
  const isKnown: ExpressionSpecification = ['in', ['get', 'name'], ['literal', names]];
  return ['all', filter, ['!', ['all', isKnown, ['within', { type: 'MultiPolygon', coordinates }]]]];
}

/** Spellings of a name: St. Johnsbury is also written St Johnsbury and Saint Johnsbury. */
const spellings = (name: string): string[] => [name, name.replaceAll('.', ''), name.replace(/^St\.? /, 'Saint ')];

function squareAround([x = 0, y = 0]: Position): Position[] {
  const [west, east, south, north] = [x - SAME_DEGREES, x + SAME_DEGREES, y - SAME_DEGREES, y + SAME_DEGREES];
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}
