import type { Feature } from 'geojson';
import type { Place } from './map_view.ts';

/** A stop of a round on the map, or its depot. */
export interface RoundPoint extends Place {
  /** `blocked`: nobody may go there, and the line leaves the stop out. */
  kind: 'depot' | 'must' | 'could' | 'delivered' | 'not_possible' | 'blocked';
}

const CLOSED = new Set<RoundPoint['kind']>(['delivered', 'not_possible']);

/** The line through the points in their order: `done` up to the last closed stop, `open` from there on. */
export function roundLines(points: readonly RoundPoint[]): Feature[] {
  const path = points.filter(({ kind }) => kind !== 'blocked');
  const lastClosed = path.findLastIndex(({ kind }) => CLOSED.has(kind));
  const parts = { done: path.slice(0, lastClosed + 1), open: path.slice(Math.max(0, lastClosed)) };
  return Object.entries(parts)
    .filter(([, part]) => part.length > 1)
    .map(([part, through]) => ({
      type: 'Feature',
      properties: { part },
      geometry: { type: 'LineString', coordinates: through.map(({ latitude, longitude }) => [longitude, latitude]) },
    }));
}
