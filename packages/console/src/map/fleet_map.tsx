import { useVolumeUnit } from '../organization.ts';
import '../styles/map.css';
import type { FleetMap, ListTankStatusesParameters, TankStatusPage } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { MAX_MAP_CELLS } from '../../../../src/values/interface_limits.ts';
import { fleet } from '../api.ts';
import { useReadAgain } from '../change/read_again.ts';
import { useLive } from '../live/use_live.ts';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { NoTanks } from '../parts/no_tanks.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { usePreferences } from '../preferences_and_words.tsx';
import { useUrlState } from '../url_state.ts';
import type { Mark } from './group_marks.ts';
import { MapCard } from './map_card.tsx';
import { MapLegend } from './map_legend.tsx';
import { type Area, areaText, MAX_ZOOM, type MapView, viewOf, viewText, widened } from './map_view.ts';
import { PlaceTable } from './place_table.tsx';
import { TanksInView } from './tanks_in_view.tsx';
import { hasWebGl } from './web_gl.ts';

/** The file contains MapLibre, 300 kB. It is loaded only in a browser that can draw the map. */
const MapCanvas = lazyComponent(async () => (await import('./map_canvas.tsx')).MapCanvas, <div className="map" />);

/** The zoom of the request for the whole fleet. A cell is about 40 km wide at this zoom. */
const OVERVIEW_ZOOM = 7;
const MAX_LISTED_TANKS = 9;
const REFRESH_MS = 30_000;

interface FleetMapViewProps {
  filters: ListTankStatusesParameters;
  /** Whether filters other than the status leave tanks out. */
  isNarrowed: boolean;
}

/**
 * The tanks of the fleet on a map. Up to 2,000 tanks are read in one request. If there are more, only the tanks in the
 * area on the screen and a margin are read. Everything on the map is also in the list beside it and in the table below it.
 */
export function FleetMapView({ filters, isNarrowed }: FleetMapViewProps) {
  const { words, format } = usePreferences();
  const { given, href, change } = useUrlState();
  const [, navigate] = useLocation();
  const isImperial = useVolumeUnit() === 'gallons';
  const [canDraw, setCanDraw] = useState(hasWebGl);
  const [start] = useState(() => viewOf(given.get('at')));
  const [ownPath] = useState(() => window.location.pathname);
  const [shown, setShown] = useState<{ view: MapView; area: Area }>();
  const [picked, setPicked] = useState<string>();
  const { sort: _sort, bbox: _bbox, ...filter } = filters;

  const overview = useQuery({
    queryKey: ['map', filter],
    queryFn: ({ signal }) => fleet.map({ ...filter, zoom: OVERVIEW_ZOOM, include: 'tanks' }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const hasAll = overview.data?.cells.length === 0;
  const wanted = shown && {
    zoom: Math.min(MAX_ZOOM, Math.round(shown.view.zoom)),
    bbox: areaText(widened(shown.area)),
  };
  const part = useQuery({
    queryKey: ['map', filter, wanted],
    queryFn: ({ signal }) => fleet.map({ ...filter, ...wanted, include: 'tanks' }, { signal }),
    enabled: overview.data !== undefined && !hasAll && wanted !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const bbox = shown && areaText(shown.area);
  const listed = useQuery<TankStatusPage>({
    queryKey: ['tanks', { ...filters, bbox, size: MAX_LISTED_TANKS }],
    queryFn: async ({ signal }) => fleet.tanks({ ...filters, bbox, size: MAX_LISTED_TANKS }, { signal }),
    enabled: bbox !== undefined || !canDraw,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const rows = listed.data?.data ?? [];
  const readAgain = useReadAgain(['map'], ['tanks']);
  useLive({
    tankIds: rows.map(({ tank }) => tank.id),
    onChanged: readAgain,
    onUrgent: readAgain,
    onCatchUp: readAgain,
  });

  const map: FleetMap | undefined = hasAll ? overview.data : (part.data ?? overview.data);
  const summary = useSummary().data;
  const placed = overview.data === undefined ? undefined : tanksOf(overview.data);
  const counted = filters.status === undefined ? summary?.total : summary?.counts[filters.status];
  const isCountable = !isNarrowed && (overview.data?.cells.length ?? 0) < MAX_MAP_CELLS;
  /** The number of tanks without a position, which are not on the map. */
  const unplaced = placed === undefined || counted === undefined || !isCountable ? 0 : Math.max(0, counted - placed);
  const problem = overview.error ?? part.error ?? listed.error;
  const retry = (): void => {
    for (const query of [overview, part, listed]) if (query.error !== null) void query.refetch();
  };
  const onMove = (view: MapView, area: Area, isFitted: boolean): void => {
    setShown({ view, area });
    const at = isFitted ? null : viewText(view);
    // While the next page is loading, the map is hidden. This changes its size and moves it.
    if (window.location.pathname !== ownPath) return;
    if (at !== given.get('at')) change({ at: at ?? undefined }, { replace: true });
  };
  const onPick = (mark: Mark | undefined): void => {
    const { tankId } = mark ?? { tankId: null };
    if (mark !== undefined && tankId === null)
      navigate(`/fleet?near=${mark.latitude.toFixed(5)},${mark.longitude.toFixed(5)}`);
    else setPicked(tankId ?? undefined);
  };
  if (summary?.total === 0) return <NoTanks />;
  return (
    <>
      {problem !== null && <ProblemNotice error={problem} onRetry={retry} />}
      {!canDraw && (
        <p className="notice" role="status">
          {words.map.noWebGl}
        </p>
      )}
      <div className={canDraw ? 'map-side' : ''}>
        {canDraw && (
          <>
            <div className="map-frame">
              {map !== undefined && (
                <MapCanvas
                  map={map}
                  start={start}
                  area={overview.data?.bounds ?? undefined}
                  selectedId={picked}
                  isImperial={isImperial}
                  onMove={onMove}
                  onPick={onPick}
                  onFailure={() => setCanDraw(false)}
                />
              )}
            </div>
            <div className="map-notes">
              <MapLegend />
              <p className="meta map-note">
                <span role="status">
                  {listed.data !== undefined &&
                    placed !== undefined &&
                    words.map.shown(format.count(listed.data.total_items), format.count(placed + unplaced))}
                  {unplaced > 0 && ` ${words.map.unplaced(format.count(unplaced))}`}
                </span>{' '}
                <span className="map-keys">{words.map.keys}</span>
              </p>
            </div>
          </>
        )}
        <div className="map-beside">
          {canDraw && picked !== undefined && <MapCard id={picked} onClose={() => setPicked(undefined)} />}
          <TanksInView
            rows={listed.data?.data}
            total={listed.data?.total_items ?? 0}
            href={href({ view: undefined, at: undefined, bbox })}
          />
        </div>
        {map !== undefined && <PlaceTable places={map.places} status={filters.status} />}
      </div>
    </>
  );
}

const tanksOf = ({ cells, tanks }: FleetMap): number => cells.reduce((sum, cell) => sum + cell.tanks, tanks.length);
