import type { Feature } from 'geojson';
import { GeoJSONSource, type Map as MapLibreMap } from 'maplibre-gl';
import { themeColor } from '../theme_color.ts';
import { type RoundPoint, roundLines } from './round_path.ts';

const SOURCE = 'round';

/** Draws the line of a round above the background and below its names. */
export class RoundLine {
  readonly #map: MapLibreMap;
  #features: readonly Feature[] = [];

  constructor(map: MapLibreMap) {
    this.#map = map;
    map.on('style.load', () => this.#addLayers());
  }

  show(points: readonly RoundPoint[]): void {
    this.#features = roundLines(points);
    const source = this.#map.getSource(SOURCE);
    if (source instanceof GeoJSONSource)
      void source.setData({ type: 'FeatureCollection', features: [...this.#features] });
  }

  /** The parts that are drawn now. */
  drawnParts(): string[] {
    const layers = ['round open', 'round done'].filter((id) => this.#map.getLayer(id) !== undefined);
    const found = this.#map.queryRenderedFeatures({ layers });
    return [...new Set(found.map(({ properties }) => String(properties['part'])))].toSorted();
  }

  #addLayers(): void {
    const map = this.#map;
    const firstName = map.getStyle().layers.find(({ type }) => type === 'symbol')?.id;
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features: [...this.#features] } });
    for (const part of ['done', 'open'])
      map.addLayer(
        {
          id: `round ${part}`,
          type: 'line',
          source: SOURCE,
          filter: ['==', ['get', 'part'], part],
          layout: { 'line-join': 'round' },
          paint: {
            'line-color': themeColor(part === 'done' ? 'silent' : 'ink'),
            'line-width': part === 'done' ? 3 : 2,
            ...(part === 'open' && { 'line-dasharray': [2, 1.5] }),
          },
        },
        firstName,
      );
  }
}
