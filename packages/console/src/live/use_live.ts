import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type Connection, type LiveObserver, liveStream } from './live_stream.ts';

export const useConnection = (): Connection => useSyncExternalStore(liveStream.subscribe, liveStream.connection);

const NO_TANKS: readonly string[] = [];

/**
 * Calls the handlers when one of the given tanks changes, and for every new loss and low tank of the fleet. The service
 * sends only ids, so the handlers have to read the tanks again.
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
