import { PassThrough } from 'node:stream';
import { tooManyStreams } from '../../http/problem.ts';
import type { Caller } from '../../keys/key_verifier.ts';
import { MINUTE_MS } from '../../values/time.ts';
import { POLL_MS, type TankChangePoller } from './tank_change_poller.ts';

/** Enough for three browsers: a browser opens at most six connections to a site over HTTP/1.1. */
const MAX_STREAMS_PER_KEY = 20;
/** The limit per process. When it is reached, organizations share the streams equally. */
export const MAX_STREAMS = 1_000;
/** The longest time that a stream is open. Browsers reconnect by themselves. */
const MAX_STREAM_MS = 60 * MINUTE_MS;
/**
 * The interval of heartbeats. A page that gets no heartbeat for twice as long shows that it is out of date. Heartbeats
 * also keep proxies from closing the connection.
 */
const HEARTBEAT_MS = 5_000;
/** A client that reads more slowly than its tanks change is disconnected. */
const MAX_UNREAD_BYTES = 65_536;

export interface LiveRequest {
  caller: Caller;
  /** The ids of the tanks to watch, by number. The caller may see all of them. */
  tankIds: ReadonlyMap<number, string>;
  /** The time of the newest reading that the caller may see. */
  newestReadingAt: () => Promise<string | null>;
  /** Rejects when the key or the session has ended. */
  reauthorize: () => Promise<unknown>;
}

/** The open streams of server-sent events of one process. */
export class LiveStreams {
  readonly #poller: TankChangePoller;
  /** The callers by stream, oldest first. */
  readonly #callers = new Map<PassThrough, Caller>();
  /**
   * If true, new streams end at once. Otherwise a request that is still being authorized at `close` would keep the server running.
   */
  #isClosed = false;

  constructor(poller: TankChangePoller) {
    this.#poller = poller;
  }

  /**
   * Opens a stream of the ids of changed tanks, of urgent events and of heartbeats. A heartbeat shows that the api can
   * read the database. The stream ends when the caller may no longer read, and after an hour.
   */
  open({ caller, tankIds, newestReadingAt, reauthorize }: LiveRequest): PassThrough {
    this.#makeRoom(caller);
    const stream = new PassThrough();
    if (this.#isClosed) return stream.end();
    const send = (text: string): void => {
      if (stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
      else if (!stream.writableEnded && !stream.destroyed) stream.write(text);
    };
    const endsAtMs = Date.now() + MAX_STREAM_MS;
    let heartbeatAtMs = 0;
    const sendHeartbeat = async (): Promise<void> => {
      const newest = await newestReadingAt();
      send(event('heartbeat', { at: new Date().toISOString(), newest_reading_at: newest }));
    };
    const observing = this.#poller.observe({
      tankNos: [...tankIds.keys()],
      organizationNo: caller.organizationNo,
      customerNo: caller.customerNo,
      onUrgent: (urgent) => send(event('urgent', urgent)),
      onChange: (tankNos) => send(event('changed', { ids: tankNos.map((tankNo) => tankIds.get(tankNo)) })),
      onPoll({ hasRead }) {
        const nowMs = Date.now();
        if (nowMs > endsAtMs) stream.end();
        reauthorize().catch(() => stream.end());
        if (!hasRead || nowMs < heartbeatAtMs) return;
        // Half a poll interval earlier, because polls are not exactly a second apart.
        heartbeatAtMs = nowMs + HEARTBEAT_MS - POLL_MS / 2;
        // Without the newest reading there is no heartbeat, and the next poll tries again.
        sendHeartbeat().catch(() => {
          heartbeatAtMs = 0;
        });
      },
    });
    this.#callers.set(stream, caller);
    stream.on('close', () => {
      void observing.then((stop) => stop()).catch(() => undefined);
      this.#callers.delete(stream);
    });
    observing.then(
      () => send(event('ready', { tanks: tankIds.size })),
      () => stream.end(),
    );
    return stream;
  }

  /** Ends all streams, so that the server can stop. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#callers.keys()) stream.end();
    this.#poller.close();
  }

  /**
   * Throws 429 if the caller has too many streams. If the limit of the process is reached, it ends a stream of the
   * organization with the most streams, if that organization has at least two more streams than the caller's. Otherwise
   * it ends one of the caller's own organization, or throws 429 if no key or session there has at least two more streams
   * than the caller. The ended stream is the oldest one of the key or session with the most streams.
   */
  #makeRoom({ organizationNo, keyNo }: Caller): void {
    const open = [...this.#callers];
    const ofKey = open.filter(([, caller]) => caller.keyNo === keyNo);
    if (ofKey.length >= MAX_STREAMS_PER_KEY) throw tooManyStreams();
    if (open.length < MAX_STREAMS) return;
    const byOrganization = Map.groupBy(open, ([, caller]) => caller.organizationNo);
    const [largest, own] = [longest(byOrganization), byOrganization.get(organizationNo) ?? []];
    const isOther = largest.length > own.length + 1;
    const chosen = longest(Map.groupBy(isOther ? largest : own, ([, caller]) => caller.keyNo));
    const [oldest] = chosen[0] ?? [];
    if (oldest === undefined || (!isOther && chosen.length <= ofKey.length + 1)) throw tooManyStreams();
    this.#callers.delete(oldest);
    oldest.destroy(); // `end` would wait for ever for a client that does not read
  }
}

const longest = <T>(lists: ReadonlyMap<number, readonly T[]>): readonly T[] =>
  [...lists.values()].reduce((most, list) => (list.length > most.length ? list : most), []);

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
