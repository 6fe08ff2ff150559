import './map_worker.ts';
import type { FleetMap } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { GPUInitializationError, Map as MapLibreMap, ScaleControl } from 'maplibre-gl';
import { useEffect, useMemo, useRef, useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { useThemeChanges } from '../theme_color.ts';
import { type Background, loadBackground } from './background.ts';
import { type Mark, marksByZoom } from './map_marks.ts';
import { type Area, MAX_ZOOM, type MapView } from './map_view.ts';
import { MarkLayer } from './mark_layer.ts';

/** MapLibre counts with a world of 512 pixels at zoom 0, web maps and the service with 256. */
const ZOOM_STEP = 1;
const FIT = { padding: 56, maxZoom: 13 };

interface MapCanvasProps {
  map: Pick<FleetMap, 'cells' | 'tanks' | 'places'>;
  /** Where the map begins. Without it, with the whole area. */
  start: MapView | undefined;
  area: Area | undefined;
  selectedId: string | undefined;
  isImperial: boolean;
  /** `isFitted`: it shows the whole area, and nobody has moved it. */
  onMove: (view: MapView, area: Area, isFitted: boolean) => void;
  /** A mark was pressed; or, without a mark, the map. */
  onPick: (mark: Mark | undefined) => void;
  /** The browser cannot draw the map. */
  onFailure: () => void;
}

/** The map itself, in a chunk of its own. */
export function MapCanvas(props: MapCanvasProps) {
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

interface Drawn {
  map: MapLibreMap;
  layer: MarkLayer;
  scale: ScaleControl;
}

function BackgroundMap({ background, ...props }: MapCanvasProps & { background: Background }) {
  const { words, format } = usePreferences();
  const holder = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<Drawn>();
  const [zoom, setZoom] = useState(0);
  const [credits, setCredits] = useState<readonly string[]>([]);
  const theme = useThemeChanges();
  const isFitting = useRef(false);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (holder.current === null) return undefined;
    const map = openMap(holder.current, background, latest.current, words.map.label);
    if (map === undefined) return undefined;
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    const layer = new MarkLayer(map);
    const report = (isFitted: boolean): void => {
      const { lat: latitude, lng: longitude } = map.getCenter();
      const bounds = map.getBounds();
      const shown = {
        west: bounds.getWest(),
        south: bounds.getSouth(),
        east: bounds.getEast(),
        north: bounds.getNorth(),
      };
      latest.current.onMove({ latitude, longitude, zoom: map.getZoom() + ZOOM_STEP }, shown, isFitted);
    };
    const readZoom = (): void => setZoom(Math.floor(map.getZoom()));
    map.on('zoom', readZoom);
    map.on('moveend', () => {
      report(isFitting.current);
      isFitting.current = false;
    });
    map.on('click', ({ originalEvent }) => {
      const mark = layer.markAt(originalEvent.target);
      const { onPick } = latest.current;
      const isClosest = map.getZoom() >= map.getMaxZoom() - 0.01;
      if (mark === undefined || mark.tankId !== null || isClosest) onPick(mark);
      else map.easeTo({ center: [mark.longitude, mark.latitude], zoom: Math.floor(map.getZoom()) + 2 });
    });
    map.on('sourcedata', () => setCredits((before) => creditsOf(map, before)));
    readZoom();
    report(latest.current.start === undefined);
    const scale = new ScaleControl({ maxWidth: 120 });
    map.addControl(scale, 'bottom-left');
    setDrawn({ map, layer, scale });
    return () => map.remove();
  }, [background, words]);

  const { map: groups, selectedId, area, isImperial } = props;
  const marksOf = useMemo(() => marksByZoom(groups), [groups]);
  useEffect(() => {
    drawn?.layer.show(marksOf(zoom), format.count);
  }, [drawn, marksOf, zoom, format]);
  useEffect(() => {
    drawn?.layer.showNames(background.kind === 'outlines' ? groups.places : []);
  }, [drawn, groups, background]);
  useEffect(() => drawn?.layer.select(selectedId), [drawn, groups, zoom, selectedId]);

  useEffect(() => drawn?.scale.setUnit(isImperial ? 'imperial' : 'metric'), [drawn, isImperial]);

  useEffect(() => {
    if (drawn === undefined || theme === 0) return;
    if (background.kind !== 'style') drawn.map.setStyle(background.style());
  }, [drawn, theme, background]);

  const fit = (): void => {
    if (area === undefined) return;
    isFitting.current = true;
    drawn?.map.fitBounds(boundsOf(area), FIT);
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
        <button type="button" className="button" aria-label={words.map.closer} onClick={() => drawn?.map.zoomIn()}>
          +
        </button>
        <button type="button" className="button" aria-label={words.map.farther} onClick={() => drawn?.map.zoomOut()}>
          −
        </button>
        <button type="button" className="button" aria-label={words.map.fit} title={words.map.fit} onClick={fit}>
          <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5" />
          </svg>
        </button>
      </div>
      {credits.length > 0 && <p className="map-credits">{credits.join(' · ')}</p>}
    </>
  );
}

/** Undefined: the browser promised WebGL and cannot do it, as with a blocked driver. */
function openMap(
  container: HTMLElement,
  background: Background,
  { start, area, onFailure }: MapCanvasProps,
  label: string,
): MapLibreMap | undefined {
  try {
    return new MapLibreMap({
      container,
      style: background.style(),
      locale: { 'Map.Title': label },
      attributionControl: false, // it writes markup, which Trusted Types forbid
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      renderWorldCopies: false,
      fadeDuration: 0,
      maxZoom: MAX_ZOOM - ZOOM_STEP,
      ...(start === undefined
        ? area && { bounds: boundsOf(area), fitBoundsOptions: FIT }
        : { center: [start.longitude, start.latitude], zoom: start.zoom - ZOOM_STEP }),
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

/** Who made the background. The sources have it as markup; only its text is shown. */
function creditsOf(map: MapLibreMap, before: readonly string[]): readonly string[] {
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
  const found = [...new Set(texts)].filter((text) => text !== '');
  return found.join() === before.join() ? before : found;
}
