import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';

export type ConnectionState = 'live' | 'polling' | 'offline';

const POLL_MS = 60_000;
const RETRY_MS = 3_000;
/** A service that is stopping answers for a moment after it has ended its streams. */
const RESTART_MS = 1_000;
/** The service compares from its first look, about a second after the stream began. What changed before is read once. */
const CATCH_UP_MS = 2_000;

interface Connection {
  state: ConnectionState;
  /** When the service last answered. */
  heardAtMs: number;
}

let connection: Connection = { state: 'polling', heardAtMs: Date.now() };
const listeners = new Set<() => void>();

function setConnection(state: ConnectionState): void {
  connection = { state, heardAtMs: state === 'offline' ? connection.heardAtMs : Date.now() };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection);

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { signal: AbortSignal.timeout(RETRY_MS) })).ok;
  } catch {
    return false;
  }
}

/**
 * Follows changes of the given tanks. The service sends only the ids; `onChanged` reads the tanks again. If the stream
 * is not available, every tank counts as changed once a minute. A hidden page closes its stream: a browser opens at
 * most six connections to one server over HTTP/1.1.
 */
export function useLiveTanks(ids: readonly string[], onChanged: (ids: readonly string[]) => void): void {
  const queryClient = useQueryClient();
  const handler = useRef(onChanged);
  useEffect(() => {
    handler.current = onChanged;
  });
  const watched = ids.join(',');

  useEffect(() => {
    if (watched === '') return undefined;
    const all = watched.split(',');
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    /** Whether the last stream was open. If it was, a new one is likely to open too. */
    let wasOpen = false;
    /** Counts what ended a wait for the service: only the newest wait goes on. */
    let stops = 0;

    const stop = (): void => {
      stops += 1;
      clearTimeout(timer);
      stream?.close();
      stream = undefined;
    };
    const start = (): void => {
      stop();
      if (isStopped || document.hidden) return;
      stream = new EventSource(`/fleet/v1/live?tanks=${watched}`);
      stream.addEventListener('open', () => {
        wasOpen = true;
        setConnection('live');
        timer = setTimeout(() => handler.current(all), CATCH_UP_MS);
      });
      stream.addEventListener('changed', ({ data }: MessageEvent<unknown>) => {
        setConnection('live');
        const changed = changedIds(data);
        if (changed.length > 0) handler.current(changed);
      });
      stream.addEventListener('error', lose);
    };
    /** The stream ended, or the browser lost its network: a stream that is merely silent reports no error for minutes. */
    const lose = (): void => {
      stop();
      void recover();
    };
    /** Waits for a service that is not reachable. Otherwise opens the stream again, or polls if it does not open. */
    const recover = async (): Promise<void> => {
      const stopsBefore = stops;
      const reachable = await isReachable();
      if (isStopped || stops !== stopsBefore) return;
      const wasOffline = connection.state === 'offline';
      setConnection(reachable ? 'polling' : 'offline');
      if (reachable && wasOffline) await queryClient.invalidateQueries();
      if (reachable && wasOffline) start();
      else if (!reachable) timer = setTimeout(() => void recover(), RETRY_MS);
      else timer = wasOpen ? setTimeout(start, RESTART_MS * (1 + Math.random())) : setTimeout(poll, POLL_MS);
      wasOpen = false;
    };
    const poll = (): void => {
      handler.current(all);
      start();
    };
    const onVisibility = (): void => {
      if (document.hidden) return stop();
      poll();
    };
    start();
    document.addEventListener('visibilitychange', onVisibility);
    window.addEventListener('offline', lose);
    window.addEventListener('online', lose);
    return () => {
      isStopped = true;
      stop();
      document.removeEventListener('visibilitychange', onVisibility);
      window.removeEventListener('offline', lose);
      window.removeEventListener('online', lose);
    };
  }, [watched, queryClient]);
}

function changedIds(data: unknown): string[] {
  if (typeof data !== 'string') return [];
  const parsed: unknown = JSON.parse(data);
  const ids: unknown = typeof parsed === 'object' && parsed !== null && 'ids' in parsed ? parsed.ids : [];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
