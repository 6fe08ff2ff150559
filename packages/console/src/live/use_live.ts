import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Connection, type LiveObserver, liveStream } from './live_stream.ts';

export const useConnection = (): Connection => useSyncExternalStore(liveStream.subscribe, liveStream.connection);

const NO_TANKS: readonly string[] = [];

/**
 * Calls onChanged when one of the given tanks changes, onUrgent for every new loss and every tank of the fleet that becomes low,
 * and onCatchUp when changes may have been missed. The service sends no values of tanks, so the handlers have to read the tanks
 * again.
 */
export function useLive({ tankIds = NO_TANKS, ...handlers }: Partial<LiveObserver>): void {
  const newest = useRef(handlers);
  useEffect(() => {
    newest.current = handlers;
  });
  const watched = tankIds.join(',');
  useEffect(
    () =>
      liveStream.observe({
        tankIds: watched === '' ? NO_TANKS : watched.split(','),
        onChanged: (ids) => newest.current.onChanged?.(ids),
        onUrgent: (event) => newest.current.onUrgent?.(event),
        onCatchUp: (isAfterOutage) => newest.current.onCatchUp?.(isAfterOutage),
      }),
    [watched],
  );
}
