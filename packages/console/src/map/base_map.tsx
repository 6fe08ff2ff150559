import './map_worker.ts';
import { useQuery } from '@tanstack/react-query';
import { GPUInitializationError, Map as MapLibreMap, ScaleControl } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/marks.tsx';
import { usePreferences } from '../preferences_and_words.tsx';
import { useThemeChanges } from '../theme_color.ts';
import type { Language } from '../translations/translation.ts';
import { type Background, loadBackground } from './background.ts';
import { LabelLayer } from './label_layer.ts';
import { type Area, MAX_ZOOM, type MapView } from './map_view.ts';

/** At zoom 0 the world is 512 pixels wide in MapLibre, but 256 pixels in the service and in the URL of the page. */
const ZOOM_DIFFERENCE = 1;
const NARROW_PIXELS = 480;
/** A narrow map has its buttons at the top, in a row. */
const fitOptions = ({ clientWidth }: HTMLElement) => ({
  padding: clientWidth < NARROW_PIXELS ? { top: 68, bottom: 44, left: 32, right: 32 } : 56,
  maxZoom: 13,
});

export interface OpenedMap {
  map: MapLibreMap;
  labels: LabelLayer;
  background: Background;
}

interface BaseMapProps {
  /** What the map shows, for screen readers. */
  label: string;
  /** The view with which the map opens. Default: the whole area. */
  start?: MapView | undefined;
  area: Area | undefined;
  isImperial: boolean;
  /** Called when the map is ready. A change of the language opens a new map. */
  onOpen: (opened: OpenedMap) => void;
  /** `isFitted` is true if the map shows the whole area because nobody has moved it. */
  onMove?: (view: MapView, area: Area, isFitted: boolean) => void;
  /** Called if the browser cannot draw the map. */
  onFailure: () => void;
}

/** A map with background, buttons, scale and credits. The caller adds its content in `onOpen`. */
export function BaseMap(props: BaseMapProps) {
  const { words } = usePreferences();
  const background = useQuery({
    queryKey: ['map-background'],
    queryFn: ({ signal }) => loadBackground(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (background.data === undefined) return <div className="map" />;
  return (
    <>
      <BackgroundMap {...props} background={background.data} />
      {background.data.hasFailed && (
        <p className="map-message" role="status">
          {words.map.noBackground}
        </p>
      )}
    </>
  );
}

function BackgroundMap({ background, ...props }: BaseMapProps & { background: Background }) {
  const { words, language } = usePreferences();
  const holder = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<{ map: MapLibreMap; scale: ScaleControl }>();
  const [zoom, setZoom] = useState(0);
  const [credits, setCredits] = useState<readonly string[]>([]);
  const theme = useThemeChanges();
  const isFitting = useRef(false);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    const map = openMap(element, background, latest.current, language);
    if (map === undefined) return undefined;
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    const labels = new LabelLayer(map);
    const report = (isFitted: boolean): void => {
      const { lat: latitude, lng: longitude } = map.getCenter();
      latest.current.onMove?.({ latitude, longitude, zoom: map.getZoom() + ZOOM_DIFFERENCE }, shownArea(map), isFitted);
    };
    const readZoom = (): void => setZoom(Math.floor(map.getZoom()));
    map.on('zoom', readZoom);
    map.on('moveend', () => {
      report(isFitting.current);
      isFitting.current = false;
    });
    map.on('sourcedata', () => {
      // Read here and not in the updater, which React may call after a change of the language has removed this map.
      const found = creditsOf(map);
      setCredits((before) => (found.join() === before.join() ? before : found));
    });
    // Names are drawn on the canvas. This attribute says which, for tests.
    map.on('idle', () => {
      element.dataset['names'] = labels.drawnNames().join('|');
    });
    readZoom();
    report(latest.current.start === undefined);
    const scale = new ScaleControl({ maxWidth: 120 });
    map.addControl(scale, 'bottom-left');
    setDrawn({ map, scale });
    latest.current.onOpen({ map, labels, background });
    return () => map.remove();
  }, [background, language]);

  const { area, isImperial } = props;
  useEffect(() => drawn?.scale.setUnit(isImperial ? 'imperial' : 'metric'), [drawn, isImperial]);
  useEffect(() => {
    if (drawn === undefined || theme === 0 || background.kind === 'style') return;
    // Without `diff: false`, MapLibre would silently remove what was added to the old style.
    drawn.map.setStyle(background.style(language), { diff: false });
  }, [drawn, theme, background, language]);

  const fit = (): void => {
    if (area === undefined) return;
    isFitting.current = true;
    drawn?.map.fitBounds(boundsOf(area), fitOptions(drawn.map.getContainer()));
  };
  return (
    <>
      <div
        ref={holder}
        className="map"
        data-background={background.kind}
        data-zoom={zoom}
        onKeyDown={(event) => {
          if (event.key === '0') fit();
        }}
      />
      <div className="map-buttons">
        <Button aria-label={words.map.closer} onClick={() => drawn?.map.zoomIn()}>
          +
        </Button>
        <Button aria-label={words.map.farther} onClick={() => drawn?.map.zoomOut()}>
          −
        </Button>
        <Button aria-label={words.map.fit} title={words.map.fit} onClick={fit}>
          <Icon name="corners" />
        </Button>
      </div>
      {credits.length > 0 && <p className="map-credits">{credits.join(' · ')}</p>}
    </>
  );
}

/** Undefined if the browser reports WebGL but cannot use it, for example because its driver is blocked. */
function openMap(
  container: HTMLElement,
  background: Background,
  { start, area, label, onFailure }: BaseMapProps,
  language: Language,
): MapLibreMap | undefined {
  try {
    return new MapLibreMap({
      container,
      style: background.style(language),
      locale: { 'Map.Title': label },
      attributionControl: false, // the control writes markup, which Trusted Types forbid
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      renderWorldCopies: false,
      fadeDuration: 0,
      maxZoom: MAX_ZOOM - ZOOM_DIFFERENCE,
      ...(start === undefined
        ? area && { bounds: boundsOf(area), fitBoundsOptions: fitOptions(container) }
        : { center: [start.longitude, start.latitude], zoom: start.zoom - ZOOM_DIFFERENCE }),
    });
  } catch (error) {
    if (!(error instanceof GPUInitializationError)) throw error;
    onFailure();
    return undefined;
  }
}

const boundsOf = ({ west, south, east, north }: Area): [[number, number], [number, number]] => [
  [west, south],
  [east, north],
];

function shownArea(map: MapLibreMap): Area {
  const bounds = map.getBounds();
  return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
}

/** The credits of the background. The sources contain them as markup; only the text is shown. */
function creditsOf(map: MapLibreMap): readonly string[] {
  const texts = Object.keys(map.getStyle().sources).flatMap((id) => {
    const markup = map.getSource(id)?.attribution;
    return markup === undefined
      ? []
      : [
          markup
            .replaceAll(/<[^>]*>/g, '')
            .replaceAll('&copy;', '©')
            .trim(),
        ];
  });
  return [...new Set(texts)].filter((text) => text !== '');
}
