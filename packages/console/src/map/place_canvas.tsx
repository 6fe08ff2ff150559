import '../styles/map.css';
import { useQuery } from '@tanstack/react-query';
import { Marker } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { fleet } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { PLACE_TEXTS } from '../translations/place.ts';
import { BaseMap, type OpenedMap } from './base_map.tsx';
import type { Place } from './map_view.ts';

export interface PlaceCanvasProps {
  /** Null if no place is chosen yet. */
  place: Place | null;
  /** Without a place, the map first shows the tanks of this town, or all tanks. */
  city: string;
  isImperial: boolean;
  onPick: (place: Place) => void;
  onFailure: () => void;
}

/** At this zoom, single houses can be distinguished. */
const NEAR_ZOOM = 17;
const TOWN_ZOOM = 10.5;
/** Five decimals of a degree are about one meter. */
const DECIMALS = 5;

/** A map to choose one place: by a click, by dragging the mark, or by moving the map below the cross in its center. */
export function PlaceCanvas({ place, city, isImperial, onPick, onFailure }: PlaceCanvasProps) {
  const texts = useTexts(PLACE_TEXTS);
  const [initial] = useState({ city: city.trim(), place });
  const area = useQuery({
    queryKey: ['place-area', initial.city],
    queryFn: async ({ signal }) => {
      const [all, near] = await Promise.all([
        fleet.map({ zoom: 1 }, { signal }),
        initial.city === '' ? null : fleet.map({ city: initial.city, zoom: 1 }, { signal }),
      ]);
      return { places: all.places, bounds: near?.bounds ?? all.bounds };
    },
    retry: false,
  });
  const [drawn, setDrawn] = useState<{ map: OpenedMap['map']; mark: Marker }>();
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  const onOpen = ({ map, labels, background }: OpenedMap): void => {
    // The world of the console has no streets, so the map is zoomed out until the nearest towns are visible.
    if (background.kind === 'world') {
      labels.showNames(area.data?.places ?? []);
      if (initial.place !== null) map.jumpTo({ zoom: TOWN_ZOOM });
    }
    const element = document.createElement('div');
    element.className = 'place-mark';
    element.setAttribute('aria-hidden', 'true'); // the field has the place as a text
    const mark = new Marker({ element, draggable: true });
    mark.on('dragend', () => pick.current(rounded(mark.getLngLat())));
    map.on('click', ({ lngLat }) => pick.current(rounded(lngLat)));
    setDrawn({ map, mark });
  };
  const [latitude, longitude] = [place?.latitude, place?.longitude];
  useEffect(() => {
    if (drawn === undefined) return;
    const { map, mark } = drawn;
    if (latitude === undefined || longitude === undefined) {
      mark.remove();
      return;
    }
    mark.setLngLat([longitude, latitude]).addTo(map);
    // A typed place may be outside the map.
    if (!map.getBounds().contains([longitude, latitude])) map.jumpTo({ center: [longitude, latitude] });
  }, [drawn, latitude, longitude]);
  const shownMap = drawn?.map;
  return (
    <>
      <div className="map-frame">
        {!area.isPending && (
          <BaseMap
            label={texts.label}
            start={initial.place === null ? undefined : { ...initial.place, zoom: NEAR_ZOOM }}
            area={area.data?.bounds ?? undefined}
            isImperial={isImperial}
            onOpen={onOpen}
            onFailure={onFailure}
          />
        )}
        <span className="place-cross" aria-hidden="true" />
      </div>
      <p className="meta">
        {texts.hint}{' '}
        <Button
          className="small"
          disabled={shownMap === undefined}
          onClick={() => shownMap !== undefined && onPick(rounded(shownMap.getCenter()))}
        >
          {texts.middle}
        </Button>
      </p>
    </>
  );
}

const rounded = ({ lat, lng }: { lat: number; lng: number }): Place => ({
  latitude: Number(lat.toFixed(DECIMALS)),
  longitude: Number(lng.toFixed(DECIMALS)),
});
