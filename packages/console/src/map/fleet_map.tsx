import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { fleet } from '../api.ts';
import { ProblemNotice } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import type { StatusName } from '../status.ts';
import { useThemeChanges } from '../theme_color.ts';
import { useUrlState } from '../url_state.ts';
import { type DrawnMap, drawMap, type ScreenCell, screenCells, tanksOf } from './map_drawing.ts';
import {
  areaOf,
  fitted,
  latitudeOf,
  longitudeOf,
  MAX_ZOOM,
  panned,
  type Size,
  scaleBar,
  type View,
  worldX,
  worldY,
  zoomed,
} from './mercator.ts';
import { loadOutlines } from './outlines.ts';
import { PlaceTable } from './place_table.tsx';
import { useMapGestures } from './use_map_gestures.ts';

const STEP_PIXELS = 80;
const SETTLE_MS = 250;
/** Zoom of the question where all tanks are: a cell is then about 10 km wide. */
const OVERVIEW_ZOOM = 9;
const SCALE_PIXELS = 120;

/**
 * The tanks of the fleet on a map that needs no other server: outlines of countries, names of the towns of the fleet, and
 * the tanks in cells. Everything on it is also in the table below.
 */
export function FleetMapView({ status }: { status: StatusName | undefined }) {
  const { words, format } = usePreferences();
  const { given, change } = useUrlState();
  const [, navigate] = useLocation();
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [moved, setMoved] = useState<View | undefined>(() => viewOf(given.get('at')));
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useThemeChanges(); // a change draws the map again

  const outlines = useQuery({
    queryKey: ['outlines'],
    queryFn: ({ signal }) => loadOutlines(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const overview = useQuery({
    queryKey: ['map', 'overview'],
    queryFn: ({ signal }) => fleet.map({ zoom: OVERVIEW_ZOOM }, { signal }),
  });
  const everywhere = (overview.data?.cells ?? []).map(({ latitude, longitude }) => ({
    x: worldX(longitude),
    y: worldY(latitude),
  }));
  const view = moved ?? fitted(everywhere, size);
  const settled = useSettled(view, SETTLE_MS);
  const zoom = Math.round(settled.zoom);
  const bbox = areaOf(settled, { width: size.width * 1.5, height: size.height * 1.5 })
    .map((degrees) => degrees.toFixed(4))
    .join(',');
  const { data, error, refetch } = useQuery({
    queryKey: ['map', zoom, bbox],
    queryFn: ({ signal }) => fleet.map({ bbox, zoom }, { signal }),
    enabled: size.width > 0 && overview.data !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  const map: DrawnMap = {
    view,
    size,
    outlines: outlines.data ?? [],
    cells: data?.cells ?? [],
    places: data?.places ?? [],
    status,
    count: format.count,
  };

  useEffect(() => {
    if (holder.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      setSize({ width: Math.floor(width), height: Math.floor(height) });
    });
    observer.observe(holder.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const ctx = canvas.current?.getContext('2d');
    if (ctx === null || ctx === undefined || size.width === 0) return undefined;
    const frame = requestAnimationFrame(() => drawMap(ctx, map));
    return () => cancelAnimationFrame(frame);
  });

  const at = moved === undefined ? undefined : textOf(settled);
  const changeLatest = useRef(change);
  useEffect(() => {
    changeLatest.current = change;
  });
  useEffect(() => {
    if (at !== undefined) changeLatest.current({ at }, { replace: true });
  }, [at]);

  const move = (next: (view: View) => View): void => setMoved((before) => next(before ?? view));
  /** One tank opens its page; more tanks come closer, and in the end as a list. */
  const open = (found: ScreenCell | undefined): void => {
    if (found === undefined) return;
    const { cell } = found;
    if (cell.tank_id !== null) navigate(`/tanks/${cell.tank_id}`);
    else if (view.zoom >= MAX_ZOOM) navigate(`/fleet?near=${cell.latitude.toFixed(5)},${cell.longitude.toFixed(5)}`);
    else setMoved({ x: worldX(cell.longitude), y: worldY(cell.latitude), zoom: Math.min(MAX_ZOOM, view.zoom + 2) });
  };
  const nearest = (px: number, py: number, reach: number): ScreenCell | undefined =>
    screenCells(map)
      .map((cell) => ({ cell, distance: Math.hypot(cell.px - px, cell.py - py) - cell.radius }))
      .filter(({ distance }) => distance <= reach)
      .toSorted((a, b) => a.distance - b.distance)[0]?.cell;
  useMapGestures(holder, { onChange: move, onClick: (px, py) => open(nearest(px, py, 6)) });

  const onKeyDown = (event: KeyboardEvent): void => {
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move((one) => panned(one, STEP_PIXELS, 0)),
      ArrowRight: () => move((one) => panned(one, -STEP_PIXELS, 0)),
      ArrowUp: () => move((one) => panned(one, 0, STEP_PIXELS)),
      ArrowDown: () => move((one) => panned(one, 0, -STEP_PIXELS)),
      '+': () => move((one) => zoomed(one, 1)),
      '-': () => move((one) => zoomed(one, -1)),
      '0': () => fit(),
      Enter: () => open(nearest(size.width / 2, size.height / 2, Number.POSITIVE_INFINITY)),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  const fit = (): void => {
    setMoved(undefined);
    change({ at: undefined }, { replace: true });
  };
  const bar = scaleBar(view, SCALE_PIXELS);
  const shown = map.cells.reduce((sum, cell) => sum + tanksOf(cell, status), 0);
  const problem = error ?? overview.error ?? outlines.error;
  const ratio = window.devicePixelRatio;
  return (
    <>
      {problem !== null && <ProblemNotice error={problem} onRetry={() => void refetch()} />}
      <div className="map-frame">
        <div
          ref={holder}
          className="map"
          role="application"
          // A map that answers to keys must be reachable with them.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label={`${words.map.label}. ${words.map.keys}`}
          data-cells={data === undefined ? undefined : map.cells.length}
          data-outlines={outlines.data?.length}
          onKeyDown={onKeyDown}
        >
          <canvas ref={canvas} width={size.width * ratio} height={size.height * ratio} aria-hidden="true" />
        </div>
        <div className="map-buttons">
          <button
            type="button"
            className="button"
            aria-label={words.map.closer}
            onClick={() => move((one) => zoomed(one, 1))}
          >
            +
          </button>
          <button
            type="button"
            className="button"
            aria-label={words.map.farther}
            onClick={() => move((one) => zoomed(one, -1))}
          >
            −
          </button>
          <button type="button" className="button" onClick={fit}>
            {words.map.fit}
          </button>
        </div>
        <svg className="map-scale" width={Math.ceil(bar.pixels) + 2} height="24" aria-hidden="true">
          <text x="1" y="11">
            {bar.meters < 1_000 ? format.meters(bar.meters) : format.kilometers(bar.meters / 1_000)}
          </text>
          <path d={`M1 15v6h${bar.pixels.toFixed(1)}v-6`} />
        </svg>
      </div>
      <p className="meta map-note">
        <span role="status">{data !== undefined && words.map.shown(format.count(shown))}</span> {words.map.keys}{' '}
        {words.map.source}
      </p>
      <PlaceTable places={map.places} status={status} />
    </>
  );
}

/** The value after it has not changed for a while. */
function useSettled(value: View, afterMs: number): View {
  const [settled, setSettled] = useState(value);
  const { x, y, zoom } = value;
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ x, y, zoom }), afterMs);
    return () => clearTimeout(timer);
  }, [x, y, zoom, afterMs]);
  return settled;
}

const textOf = ({ x, y, zoom }: View): string =>
  `${latitudeOf(y).toFixed(4)},${longitudeOf(x).toFixed(4)},${zoom.toFixed(1)}`;

function viewOf(text: string | null): View | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN, zoom = Number.NaN] = (text ?? '')
    .split(',')
    .map(Number.parseFloat);
  const isView = Math.abs(latitude) <= 85 && Math.abs(longitude) <= 180 && zoom >= 1 && zoom <= 18;
  return isView ? { x: worldX(longitude), y: worldY(latitude), zoom } : undefined;
}
