import worldUrl from 'world.pmtiles?url';
import { addProtocol, type StyleSpecification } from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import { textIn } from '../json_field.ts';
import type { Language } from '../translations/translation.ts';
import { tileLayers } from './tile_layers.ts';

/** What the map shows below the tanks. */
export interface Background {
  /** `world`: the map of the console itself. `tiles`: a file of the operator. `style`: a style of another server. */
  kind: 'world' | 'tiles' | 'style';
  /** A style in the colors of the current theme. The style of another server keeps its own colors. */
  style: (language: Language) => StyleSpecification | string;
  /** True if the configured background could not be loaded, and this is the world instead. */
  hasFailed?: boolean;
}

/** Loads the background that the operator has configured, or the world if that fails. */
export async function loadBackground(signal: AbortSignal): Promise<Background> {
  const response = await fetch('/console/map.json', { signal });
  if (!response.ok) throw new Error(`map.json returned ${response.status}`);
  const configured: unknown = await response.json();
  const [styleUrl, tilesUrl] = [textIn(configured, 'style_url'), textIn(configured, 'tiles_url')];
  try {
    if (styleUrl !== null) return await styleBackground(styleUrl, signal);
    return tilesUrl === null ? tilesBackground('world', worldUrl) : await ownBackground(tilesUrl);
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...tilesBackground('world', worldUrl), hasFailed: true };
  }
}

/** Requests the style once before MapLibre does, because MapLibre shows an empty map if the style cannot be loaded. */
async function styleBackground(url: string, signal: AbortSignal): Promise<Background> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`the style returned ${response.status}`);
  return { kind: 'style', style: () => url };
}

const protocol = new Protocol({ metadata: true }); // the metadata contain the credits of the map
addProtocol('pmtiles', protocol.tile);

/** Reads the header of the operator's file before the map opens, because the file can be missing. */
async function ownBackground(path: string): Promise<Background> {
  await fileOf(path).getHeader();
  return tilesBackground('tiles', path);
}

/** Tiles in the layers of the Protomaps basemap, from one file that this origin serves in ranges. */
function tilesBackground(kind: 'world' | 'tiles', path: string): Background {
  const tiles = { type: 'vector' as const, url: `pmtiles://${fileOf(path).source.getKey()}` };
  return { kind, style: (language) => ({ version: 8, sources: { tiles }, layers: tileLayers('tiles', language) }) };
}

function fileOf(path: string): PMTiles {
  const url = new URL(path, window.location.origin).href;
  const known = protocol.get(url);
  if (known !== undefined) return known;
  const file = new PMTiles(url);
  protocol.add(file);
  return file;
}
