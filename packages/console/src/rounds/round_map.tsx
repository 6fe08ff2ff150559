import '../styles/map.css';
import type { FleetStop, Truck } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../api.ts';
import type { RoundMark } from '../map/round_canvas.tsx';
import { hasWebGl } from '../map/web_gl.ts';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_MAP_TEXTS } from '../translations/round_map.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { stopName } from './stop_texts.ts';

const RoundCanvas = lazyComponent(
  async () => (await import('../map/round_canvas.tsx')).RoundCanvas,
  <div className="map" />,
);

interface RoundMapProps {
  stops: readonly FleetStop[];
  truck: Truck;
}

/** The stops of a round on a map, in their order. Keyboards and screen readers use the table of the stops. */
export function RoundMap({ stops, truck }: RoundMapProps) {
  const { format } = usePreferences();
  const mapTexts = useTexts(ROUND_MAP_TEXTS);
  const { deletedTank, depot: depotText } = useTexts(ROUND_TEXTS);
  const [canDraw, setCanDraw] = useState(hasWebGl);
  const { frame, isSeen } = useSeen();
  const depot = useQuery({
    queryKey: ['depot', truck.depot_id],
    queryFn: ({ signal }) => client.manage.depots.retrieve(truck.depot_id, { signal }),
    enabled: canDraw,
  });
  const isNext = ({ outcome, block }: FleetStop): boolean => outcome === 'open' && block === null;
  const next = stops.some(({ outcome }) => outcome !== 'open') ? stops.find(isNext) : null;
  const placed = stops.flatMap((stop, index): RoundMark[] => {
    const { latitude, longitude } = stop.tank ?? { latitude: null, longitude: null };
    if (latitude === null || longitude === null) return [];
    const title = [stopName(stop, deletedTank), stop.tank?.city].filter((text) => text !== null).join(', ');
    const { city = null } = stop.tank ?? {};
    const mark = { latitude, longitude, city, kind: kindOf(stop), text: format.count(index + 1), title };
    return [{ ...mark, isNext: stop === next }];
  });
  if (!canDraw || placed.length === 0) return null;
  const home: RoundMark[] =
    depot.data === undefined
      ? []
      : [{ ...depot.data, kind: 'depot', text: depotText, title: depot.data.name, city: null, isNext: false }];
  return (
    <figure className="round-map no-print">
      <div ref={frame} className="map-frame">
        {isSeen && !depot.isPending && (
          <RoundCanvas
            label={mapTexts.label}
            marks={[...home, ...placed, ...home]}
            isImperial={truck.capacity_unit === 'gallons'}
            onPick={showRow}
            onFailure={() => setCanDraw(false)}
          />
        )}
      </div>
      <figcaption className="meta">
        {mapTexts.legend}
        {placed.length < stops.length && ` ${mapTexts.unplaced(stops.length - placed.length)}`}
      </figcaption>
    </figure>
  );
}

const kindOf = ({ kind, outcome, block }: FleetStop): RoundMark['kind'] => {
  if (block !== null) return 'blocked';
  if (outcome === 'delivered') return 'delivered';
  if (outcome !== 'open') return 'not_possible';
  return kind === 'must' ? 'must' : 'could';
};

/** Scrolls to the row of a stop. */
function showRow(number: string): void {
  const numbers = [...document.querySelectorAll('.plan-stops .stop-no')];
  const row = numbers.find(({ textContent }) => textContent === number)?.closest('tr');
  row?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

/** Whether an element has been on the screen. The map is loaded only then. */
function useSeen() {
  const frame = useRef<HTMLDivElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    if (frame.current === null || isSeen) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setIsSeen(true);
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return { frame, isSeen };
}
