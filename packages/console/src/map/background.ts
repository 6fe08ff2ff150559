import { addProtocol, type LayerSpecification, type StyleSpecification } from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import { themeColor } from '../theme_color.ts';
import { loadOutlines } from './outlines.ts';

/** What the map shows below the tanks. */
export interface Background {
  /** `style`: that of another server, which the operator has configured. */
  kind: 'outlines' | 'tiles' | 'style';
  /** A style in the colours of the current theme. The style of another server keeps its own. */
  style: () => StyleSpecification | string;
  /** The configured background did not answer; these are the outlines. */
  hasFailed?: boolean;
}

/** The background that the installation has configured, or the outlines if it does not answer. */
export async function loadBackground(signal: AbortSignal): Promise<Background> {
  const response = await fetch('/console/map.json', { signal });
  if (!response.ok) throw new Error(`map.json returned ${response.status}`);
  const configured: unknown = await response.json();
  const [styleUrl, tilesUrl] = [textOf(configured, 'style_url'), textOf(configured, 'tiles_url')];
  try {
    if (styleUrl !== undefined) return await styleBackground(styleUrl, signal);
    if (tilesUrl !== undefined) return await tilesBackground(tilesUrl);
    return await outlinesBackground(signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...(await outlinesBackground(signal)), hasFailed: true };
  }
}

/** MapLibre would show an empty map if the style does not answer, so it is asked for once before. */
async function styleBackground(url: string, signal: AbortSignal): Promise<Background> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`the style returned ${response.status}`);
  return { kind: 'style', style: () => url };
}

function textOf(value: unknown, name: string): string | undefined {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Countries of Natural Earth, which the console contains. */
async function outlinesBackground(signal: AbortSignal): Promise<Background> {
  const data = await loadOutlines(signal);
  // The outlines are exact to a kilometre: closer zooms need no finer pieces of them.
  const countries = { type: 'geojson' as const, data, maxzoom: 7 };
  return { kind: 'outlines', style: () => ({ version: 8, sources: { countries }, layers: outlineLayers() }) };
}

const outlineLayers = (): LayerSpecification[] => [
  { id: 'water', type: 'background', paint: { 'background-color': themeColor('water') } },
  { id: 'land', type: 'fill', source: 'countries', paint: { 'fill-color': themeColor('land') } },
  {
    id: 'borders',
    type: 'line',
    source: 'countries',
    paint: { 'line-color': themeColor('road-edge'), 'line-width': 1 },
  },
];

const protocol = new Protocol({ metadata: true }); // the metadata name who made the map
addProtocol('pmtiles', protocol.tile);

/** Tiles in the layers of the Protomaps basemap, from one file that this origin serves in ranges. */
async function tilesBackground(path: string): Promise<Background> {
  const file = new PMTiles(`${window.location.origin}${path}`);
  await file.getHeader();
  protocol.add(file);
  const tiles = { type: 'vector' as const, url: `pmtiles://${file.source.getKey()}` };
  return { kind: 'tiles', style: () => ({ version: 8, sources: { tiles }, layers: tileLayers() }) };
}

const ROADS = [
  { kind: 'minor_road', minzoom: 12, widths: [12, 0.5, 18, 12] },
  { kind: 'major_road', minzoom: 7, widths: [7, 0.5, 18, 18] },
  { kind: 'highway', minzoom: 4, widths: [4, 0.5, 18, 24] },
] as const;

/** Names are drawn with a font of the browser: the style names no server for glyphs. */
function tileLayers(): LayerSpecification[] {
  const source = 'tiles';
  const color = (name: string): { 'fill-color': string } => ({ 'fill-color': themeColor(name) });
  const name = { 'text-color': themeColor('ink'), 'text-halo-color': themeColor('land'), 'text-halo-width': 1.5 };
  const roads = (part: 'edge' | 'surface'): LayerSpecification[] =>
    ROADS.map(({ kind, minzoom, widths: [from, thin, to, wide] }) => ({
      id: `${kind} ${part}`,
      type: 'line',
      source,
      'source-layer': 'roads',
      minzoom,
      filter: ['==', ['get', 'kind'], kind],
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': themeColor(part === 'edge' ? 'road-edge' : 'road'),
        'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], from, thin, to, wide + (part === 'edge' ? 2 : 0)],
      },
    }));
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': themeColor('water') } },
    { id: 'land', type: 'fill', source, 'source-layer': 'earth', paint: color('land') },
    {
      id: 'towns',
      type: 'fill',
      source,
      'source-layer': 'landcover',
      filter: ['==', ['get', 'kind'], 'urban_area'],
      paint: color('town'),
    },
    {
      id: 'water',
      type: 'fill',
      source,
      'source-layer': 'water',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: color('water'),
    },
    {
      id: 'rivers',
      type: 'line',
      source,
      'source-layer': 'water',
      filter: ['==', ['geometry-type'], 'LineString'],
      paint: { 'line-color': themeColor('water'), 'line-width': 1.5 },
    },
    { id: 'buildings', type: 'fill', source, 'source-layer': 'buildings', minzoom: 14, paint: color('town') },
    ...roads('edge'),
    ...roads('surface'),
    {
      id: 'borders',
      type: 'line',
      source,
      'source-layer': 'boundaries',
      paint: { 'line-color': themeColor('road-edge'), 'line-dasharray': [3, 2] },
    },
    {
      id: 'street names',
      type: 'symbol',
      source,
      'source-layer': 'roads',
      minzoom: 14,
      layout: { 'symbol-placement': 'line', 'text-field': ['get', 'name'], 'text-size': 11 },
      paint: name,
    },
    {
      id: 'places',
      type: 'symbol',
      source,
      'source-layer': 'places',
      layout: { 'text-field': ['get', 'name'], 'text-size': 12 },
      paint: name,
    },
  ];
}
