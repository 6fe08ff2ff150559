import type { FleetMap } from '@tankwatch/client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { usePreferences } from '../preferences_and_words.tsx';
import { BaseMap, type OpenedMap } from './base_map.tsx';
import { type Mark, marksByZoom, radiusOf } from './group_marks.ts';
import type { Area, MapView } from './map_view.ts';
import { MarkLayer } from './mark_layer.ts';

interface MapCanvasProps {
  map: Pick<FleetMap, 'cells' | 'tanks' | 'places'>;
  start: MapView | undefined;
  area: Area | undefined;
  selectedId: string | undefined;
  isImperial: boolean;
  onMove: (view: MapView, area: Area, isFitted: boolean) => void;
  /** Called with the mark that was pressed. Undefined if the map was pressed beside the marks. */
  onPick: (mark: Mark | undefined) => void;
  onFailure: () => void;
}

/** The tanks of the fleet on a map. The file is loaded separately, because it contains MapLibre. */
export function MapCanvas({ map: groups, selectedId, onPick, ...base }: MapCanvasProps) {
  const { words, format } = usePreferences();
  const [drawn, setDrawn] = useState<OpenedMap & { marks: MarkLayer }>();
  const [zoom, setZoom] = useState(0);
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  const onOpen = (opened: OpenedMap): void => {
    const { map } = opened;
    const marks = new MarkLayer(map);
    const readZoom = (): void => setZoom(Math.floor(map.getZoom()));
    map.on('zoom', readZoom);
    map.on('click', ({ originalEvent }) => {
      const mark = marks.markAt(originalEvent.target);
      const isClosest = map.getZoom() >= map.getMaxZoom() - 0.01;
      if (mark === undefined || mark.tankId !== null || isClosest) pick.current(mark);
      else map.easeTo({ center: [mark.longitude, mark.latitude], zoom: Math.floor(map.getZoom()) + 2 });
    });
    readZoom();
    setDrawn({ ...opened, marks });
  };

  const marksOf = useMemo(() => marksByZoom(groups), [groups]);
  useEffect(() => {
    if (drawn === undefined) return;
    const shown = marksOf(zoom);
    drawn.marks.show(shown, format.count);
    drawn.labels.avoid(shown.map((mark) => ({ ...mark, radius: radiusOf(mark) + 2 })));
  }, [drawn, marksOf, zoom, format]);
  useEffect(() => {
    // The tiles of an operator have all towns. The world has only towns with 1,000 people or more.
    drawn?.labels.showNames(drawn.background.kind === 'world' ? groups.places : []);
  }, [drawn, groups]);
  useEffect(() => drawn?.marks.select(selectedId), [drawn, groups, zoom, selectedId]);
  return <BaseMap {...base} label={words.map.label} onOpen={onOpen} />;
}
