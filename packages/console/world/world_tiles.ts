import { GeoJSONVT, type GeoJSONVTOptions } from '@maplibre/geojson-vt';
import type { Feature } from 'geojson';
import type { Tile } from './pmtiles_file.ts';
import { seaOf } from './sea.ts';
import { type TileFeature, vectorTile } from './vector_tile.ts';
import { COUNTY_BORDER, type WorldFeatures } from './world_features.ts';

/** A tile of this zoom is 310 km wide at the equator and exact to 80 m. Closer zooms enlarge it. */
export const MAX_ZOOM = 7;
/** The zoom from which borders of counties are drawn. At lower zooms, counties are smaller than the name of a town. */
const COUNTY_ZOOM = 6;
const OPTIONS = {
  maxZoom: MAX_ZOOM,
  indexMaxZoom: MAX_ZOOM,
  indexMaxPoints: 0,
  tolerance: 2,
} satisfies GeoJSONVTOptions;

/** Cuts the world into vector tiles, in the layers of the Protomaps basemap. Everything that is not water is land. */
export function cutTiles({ land, lakes, boundaries, places }: WorldFeatures): Tile[] {
  // Coarse outlines are not simplified again, because coasts that cross each other would make stripes of sea on land.
  const outlines = land.map(({ maxZoom, features }) => ({
    maxZoom,
    tileAt: cut(features, { tolerance: maxZoom < MAX_ZOOM ? 0 : OPTIONS.tolerance }),
  }));
  const lakesAt = cut(lakes);
  const boundariesAt = cut(boundaries);
  const tiles: Tile[] = [];
  for (let zoom = 0; zoom <= MAX_ZOOM; zoom++) {
    const landAt = outlines.find(({ maxZoom }) => zoom <= maxZoom)?.tileAt ?? cut([]);
    // A name belongs to one tile only, so it needs no buffer.
    const namesAt = cut(
      places.filter(({ properties }) => zoom === MAX_ZOOM || Number(properties?.['min_zoom']) <= zoom + 1),
      { buffer: 0 },
    );
    for (let x = 0; x < 2 ** zoom; x++)
      for (let y = 0; y < 2 ** zoom; y++) {
        const content = vectorTile({
          water: [...seaOf(landAt(zoom, x, y)), ...lakesAt(zoom, x, y)],
          boundaries: boundariesAt(zoom, x, y).filter(
            ({ tags }) => zoom >= COUNTY_ZOOM || tags?.['kind_detail'] !== COUNTY_BORDER,
          ),
          places: namesAt(zoom, x, y),
        });
        if (content.length > 0) tiles.push({ zoom, x, y, content });
      }
  }
  return tiles;
}

/** Cuts features into tiles. Returns a function that returns the features of a tile. */
function cut(
  features: Feature[],
  options: GeoJSONVTOptions = {},
): (zoom: number, x: number, y: number) => TileFeature[] {
  const index = new GeoJSONVT({ type: 'FeatureCollection', features }, { ...OPTIONS, ...options });
  return (zoom, x, y) => index.getTile(zoom, x, y)?.features ?? [];
}
