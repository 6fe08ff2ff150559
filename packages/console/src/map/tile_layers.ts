import { DARK, type Flavor, LIGHT, layers } from '@protomaps/basemaps';
import type {
  ExpressionFilterSpecification,
  ExpressionSpecification,
  LayerSpecification,
  LineLayerSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl';
import { themeColor } from '../theme_color.ts';
import type { Language } from '../translations/translation.ts';

/** The layer with the names of towns. */
export const TOWNS = 'places_locality';
/** Values of `kind_detail` of borders. */
const COUNTRY = 2;
const STATE = 4;
/** Layers of icons, which are left out because they need a file of images. */
const WITH_ICONS = new Set(['roads_oneway', 'roads_shields']);

/**
 * Names are drawn with a font of the browser, because the style has no server for glyphs. MapLibre reads the weight
 * from the first family.
 */
export const FAMILY = 'system-ui';
const FONTS = { regular: FAMILY, bold: `Medium,${FAMILY}`, italic: `Italic,${FAMILY}` };

/** The style of the Protomaps basemap in muted colors of the theme, so that the tanks are clearly visible. */
export function tileLayers(source: string, language: Language): LayerSpecification[] {
  return layers(source, flavor(), { lang: language })
    .filter(({ id }) => !WITH_ICONS.has(id))
    .map((layer) => {
      if (layer.id === TOWNS && layer.type === 'symbol') return townLayer(layer);
      return layer.type === 'line' && layer['source-layer'] === 'boundaries' ? boundaryLayer(layer) : layer;
    });
}

function flavor(): Flavor {
  const color = { land: themeColor('land'), ink: themeColor('ink'), muted: themeColor('muted') };
  const isDark = Number(/\d+/.exec(color.land)?.[0]) < 128;
  const { pois: _pois, landcover: _landcover, ...base } = isDark ? DARK : LIGHT;
  const road = { surface: themeColor('road'), edge: themeColor('road-edge') };
  const roads = Object.keys(base)
    .filter((name) => /^(tunnel_|bridges_)?(other|minor|link|major|highway)/.test(name))
    .map((name) => [name, name.includes('casing') ? road.edge : road.surface]);
  return {
    ...base,
    ...Object.fromEntries(roads),
    ...FONTS,
    background: color.land,
    earth: color.land,
    water: themeColor('water'),
    buildings: themeColor('town'),
    boundaries: themeColor('boundary'),
    city_label: color.ink,
    city_label_halo: color.land,
    state_label: color.muted,
    state_label_halo: color.land,
    country_label: color.muted,
    ocean_label: color.muted,
  };
}

/** Borders of countries and states are wider than in Protomaps, because the world of the console has no roads. */
function boundaryLayer(layer: LineLayerSpecification): LineLayerSpecification {
  const level: ExpressionSpecification = ['coalesce', ['get', 'kind_detail'], COUNTRY];
  const paint: LineLayerSpecification['paint'] = {
    ...layer.paint,
    'line-width': ['step', level, 1.6, COUNTRY + 1, 1.2, STATE + 1, 0.7],
    'line-opacity': ['step', level, 1, STATE + 1, 0.6],
  };
  return { ...layer, paint };
}

/** Places the name of a town on the town, or beside a mark that covers it. Small towns appear only at a higher zoom. */
function townLayer(layer: SymbolLayerSpecification): SymbolLayerSpecification {
  const {
    'icon-image': _image,
    'icon-size': _size,
    'icon-padding': _padding,
    'text-variable-anchor': _anchor,
    'text-radial-offset': _offset,
    ...layout
  } = layer.layout ?? {};
  return {
    ...layer,
    filter: TOWNS_FILTER,
    layout: { ...layout, ...BESIDE },
  };
}

export const TOWNS_FILTER: ExpressionFilterSpecification = [
  'all',
  ['==', ['get', 'kind'], 'locality'],
  ['<=', ['coalesce', ['get', 'min_zoom'], 0], ['+', ['zoom'], 1]],
];

/** Positions of a name: on its place, or beside it at growing distances. Offsets are in heights of the text. */
const ANCHORS: (string | [number, number])[] = ['center', [0, 0]];
for (const far of [1.2, 2.2, 3.4])
  ANCHORS.push('top', [0, far], 'bottom', [0, -far], 'left', [far, 0], 'right', [-far, 0]);

export const BESIDE = {
  'text-variable-anchor-offset': ANCHORS,
  'text-justify': 'auto',
} as const satisfies SymbolLayerSpecification['layout'];
