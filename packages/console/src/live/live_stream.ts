import { field, textIn } from '../json_field.ts';

type ConnectionState = 'connecting' | 'live' | 'polling' | 'old';

export interface Connection {
  state: ConnectionState;
  /** When the service last answered. */
  answeredMs: number;
  /** The time of the newest stored reading, from the last heartbeat. */
  newestReadingAt: string | null;
}

/** A new loss or low tank anywhere in the fleet, also among tanks that no page shows. */
interface UrgentEvent {
  eventId: string;
  type: string;
  tankId: string;
  at: string;
}

export interface LiveObserver {
  tankIds: readonly string[];
  onChanged?: (ids: readonly string[]) => void;
  onUrgent?: (event: UrgentEvent) => void;
  /** Called when changes may have been missed. After an outage, everything on the page may have changed. */
  onCatchUp?: (isAfterOutage: boolean) => void;
}

/** The service sends a heartbeat every 5 seconds. After this time without a heartbeat the page is out of date. */
const OLD_AFTER_MS = 10_000;
const WATCHDOG_MS = 1_000;
/** How often a page reads its data if a stream cannot be opened, for example behind a proxy that blocks streams. */
const POLL_MS = 10_000;
const RETRY_MS = 3_000;
/** A service that is stopping still answers for a moment after it has ended its streams. */
const RESTART_MS = 1_000;
/** The service reports only changes from about a second after the stream began, so the page reads again after this time. */
const CATCH_UP_MS = 2_000;
/** The service takes at most this many ids in one request. */
const MAX_TANKS = 100;

/**
 * The only stream of a page. Its heartbeats show that the page is current, because an open stream alone may be dead. A
 * hidden page closes its stream, because a browser opens at most six connections to one server over HTTP/1.1.
 */
class LiveStream {
  #connection: Connection = { state: 'connecting', answeredMs: Date.now(), newestReadingAt: null };
  readonly #listeners = new Set<() => void>();
  readonly #observers = new Set<LiveObserver>();
  #source: EventSource | undefined;
  #sourceTanks = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setInterval> | undefined;
  /** When the service last answered, by the monotonic clock. */
  #heardMs = 0;
  /** Whether the last stream was open. If it was, a new stream is likely to open too. */
  #wasOpen = false;
  /** How often `#stop` was called. A step that waited compares the count, and ends if the count has changed. */
  #stops = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly connection = (): Connection => this.#connection;

  observe(observer: LiveObserver): () => void {
    this.#observers.add(observer);
    if (this.#observers.size === 1) this.#begin();
    else this.#renewIfWatchedChanged();
    return () => {
      this.#observers.delete(observer);
      if (this.#observers.size === 0) this.#end();
      else this.#renewIfWatchedChanged();
    };
  }

  /** Asks the service at once whether it answers, and opens a new stream. */
  readonly tryNow = (): void => {
    this.#stop();
    void this.#recover();
  };

  #begin(): void {
    this.#heardMs = performance.now();
    this.#watchdog = setInterval(() => this.#watch(), WATCHDOG_MS);
    document.addEventListener('visibilitychange', this.#onVisibility);
    window.addEventListener('offline', this.tryNow);
    window.addEventListener('online', this.tryNow);
    this.#open();
  }

  #end(): void {
    this.#stop();
    clearInterval(this.#watchdog);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    window.removeEventListener('offline', this.tryNow);
    window.removeEventListener('online', this.tryNow);
  }

  #stop(): void {
    this.#stops += 1;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }

  #watched(): string {
    const tankIds = new Set([...this.#observers].flatMap((observer) => observer.tankIds));
    return [...tankIds].toSorted().slice(0, MAX_TANKS).join(',');
  }

  /** Rendering a page adds and removes several observers. One new stream is opened for all of them. */
  #renewIfWatchedChanged(): void {
    const stopsBefore = this.#stops;
    queueMicrotask(() => {
      if (this.#source === undefined || this.#stops !== stopsBefore) return;
      if (this.#watched() !== this.#sourceTanks) this.#open();
    });
  }

  #open(): void {
    this.#stop();
    if (document.hidden) return;
    this.#sourceTanks = this.#watched();
    const source = new EventSource(`/fleet/v1/live${this.#sourceTanks === '' ? '' : `?tanks=${this.#sourceTanks}`}`);
    this.#source = source;
    source.addEventListener('open', () => {
      this.#wasOpen = true;
      this.#hear('live');
      this.#timer = setTimeout(() => this.#catchUp(), CATCH_UP_MS);
    });
    source.addEventListener('heartbeat', ({ data }: MessageEvent<unknown>) => {
      const newest = textIn(parse(data), 'newest_reading_at');
      this.#hear('live', newest);
    });
    source.addEventListener('changed', ({ data }: MessageEvent<unknown>) => {
      this.#hear('live');
      const ids = idsIn(parse(data));
      if (ids.length > 0) for (const observer of this.#observers) observer.onChanged?.(ids);
    });
    source.addEventListener('urgent', ({ data }: MessageEvent<unknown>) => {
      this.#hear('live');
      const event = urgentIn(parse(data));
      if (event !== undefined) for (const observer of this.#observers) observer.onUrgent?.(event);
    });
    source.addEventListener('error', this.tryNow);
  }

  /** Ends a stream that is silent or does not open. Without a stream, `#recover` or its timer is running. */
  #watch(): void {
    if (document.hidden || this.#source === undefined || performance.now() - this.#heardMs < OLD_AFTER_MS) return;
    if (this.#wasOpen) this.#set('old');
    this.tryNow();
  }

  /** Waits for a service that does not answer. Otherwise opens a new stream, or polls if the stream does not open. */
  async #recover(): Promise<void> {
    const stopsBefore = this.#stops;
    const isReachable = await checkHealth();
    if (this.#observers.size === 0 || this.#stops !== stopsBefore) return;
    if (!isReachable) {
      this.#set('old');
      this.#timer = setTimeout(() => void this.#recover(), RETRY_MS);
      return;
    }
    const wasOld = this.#connection.state === 'old';
    const wasOpen = this.#wasOpen;
    this.#wasOpen = false;
    if (wasOld) {
      this.#catchUp(true);
      this.#hear('connecting');
      this.#open();
    } else {
      this.#hear('polling');
      this.#timer = wasOpen
        ? setTimeout(() => this.#open(), RESTART_MS * (1 + Math.random()))
        : setTimeout(() => this.#poll(), POLL_MS);
    }
  }

  #poll(): void {
    // If the stream does not open within 3 s, `#watch` ends it.
    this.#heardMs = performance.now() - OLD_AFTER_MS + RETRY_MS;
    this.#catchUp();
    this.#open();
  }

  #catchUp(isAfterOutage = false): void {
    for (const observer of this.#observers) observer.onCatchUp?.(isAfterOutage);
  }

  readonly #onVisibility = (): void => {
    if (document.hidden) {
      this.#stop();
      return;
    }
    // A hidden page has no stream, so it may have missed changes.
    this.#set('connecting');
    this.#poll();
  };

  #hear(state: ConnectionState, newestReadingAt?: string | null): void {
    this.#heardMs = performance.now();
    this.#connection = {
      state,
      answeredMs: Date.now(),
      newestReadingAt: newestReadingAt ?? this.#connection.newestReadingAt,
    };
    this.#notify();
  }

  #set(state: ConnectionState): void {
    if (this.#connection.state === state) return;
    this.#connection = { ...this.#connection, state };
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const liveStream = new LiveStream();

async function checkHealth(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { signal: AbortSignal.timeout(RETRY_MS) })).ok;
  } catch {
    return false;
  }
}

const parse = (data: unknown): unknown => (typeof data === 'string' ? JSON.parse(data) : undefined);

function idsIn(value: unknown): string[] {
  const ids = field(value, 'ids');
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

function urgentIn(value: unknown): UrgentEvent | undefined {
  const [eventId, type, tankId, at] = ['event_id', 'type', 'tank_id', 'at'].map((name) => textIn(value, name));
  return eventId && type && tankId && at ? { eventId, type, tankId, at } : undefined;
}
