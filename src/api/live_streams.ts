import { PassThrough } from 'node:stream';
import { tooManyStreams } from '../http/problem.ts';
import type { Caller } from '../keys/key_verifier.ts';
import { MINUTE_MS } from '../values/time.ts';
import { POLL_MS, type TankWatch } from './tank_watch.ts';

/** A browser has at most six connections to a site over HTTP/1.1. */
const MAX_STREAMS_PER_KEY = 20;
/** While all are open, each organization has its share of them. */
export const MAX_STREAMS = 1_000;
/** Browsers reconnect by themselves. */
const MAX_STREAM_MS = 60 * MINUTE_MS;
/** A page that gets none for twice as long says that it is old. Proxies close a connection on which nothing is sent. */
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
  readonly #watch: TankWatch;
  /** The oldest first. */
  readonly #callers = new Map<PassThrough, Caller>();

  constructor(watch: TankWatch) {
    this.#watch = watch;
  }

  /**
   * A stream of the ids of changed tanks, of urgent events, and of heartbeats: each one shows that the api can read the
   * database. It ends when the caller may not read any more, and after an hour.
   */
  open({ caller, tankIds, newestReadingAt, reauthorize }: LiveRequest): PassThrough {
    this.#makeRoom(caller);
    const stream = new PassThrough();
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
    const stopObserving = this.#watch.observe({
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
        // Polls are a second apart, but not exactly.
        heartbeatAtMs = nowMs + HEARTBEAT_MS - POLL_MS / 2;
        // Without the newest reading there is no heartbeat, and the next poll tries again.
        sendHeartbeat().catch(() => {
          heartbeatAtMs = 0;
        });
      },
    });
    this.#callers.set(stream, caller);
    stream.on('close', () => {
      stopObserving();
      this.#callers.delete(stream);
    });
    send(event('ready', { tanks: tankIds.size }));
    return stream;
  }

  /** Ends all streams, so that the server can stop. */
  close(): void {
    for (const stream of this.#callers.keys()) stream.end();
    this.#watch.close();
  }

  /**
   * Throws 429 if the caller has too many streams. If all are open, the oldest one of the organization with the most ends, if that
   * has at least two more than the organization of the caller; in the same organization, of the key or session with the most.
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
    oldest.destroy(); // one whose client does not read would never end
  }
}

const longest = <T>(lists: ReadonlyMap<number, readonly T[]>): readonly T[] =>
  [...lists.values()].reduce((most, list) => (list.length > most.length ? list : most), []);

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
