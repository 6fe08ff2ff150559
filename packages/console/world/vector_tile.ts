import { fromVectorTileJs, GeoJSONWrapper } from '@maplibre/vt-pbf';

export type Point = [x: number, y: number];
type Tags = Record<string, string | number> | null;

/** A point, a line or a polygon with the outer ring first. Coordinates are from 0 to 4,096. */
export type TileFeature = { type: 1; tags: Tags; geometry: Point[] } | { type: 2 | 3; tags: Tags; geometry: Point[][] };

/** Encodes the features of a tile by layer. */
export function vectorTile(features: Readonly<Record<string, TileFeature[]>>): Uint8Array {
  const layers = Object.entries(features)
    .filter(([, ofLayer]) => ofLayer.length > 0)
    .map(([name, ofLayer]): [string, GeoJSONWrapper] => {
      const layer = new GeoJSONWrapper(ofLayer, { version: 2, extent: 4_096 });
      layer.name = name;
      return [name, layer];
    });
  return fromVectorTileJs({ layers: Object.fromEntries(layers) });
}

/**
 * All layers of the Protomaps basemap. The metadata of a file must name all of them, because MapLibre reports an error for each
 * layer of the style that they do not name.
 */
const LAYERS = ['earth', 'landcover', 'landuse', 'water', 'buildings', 'roads', 'boundaries', 'places', 'pois'];

/** The metadata of a file of tiles. */
export const metadataOf = (attribution: string): object => ({
  attribution,
  vector_layers: LAYERS.map((id) => ({ id, fields: {} })),
});
