import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { HttpClient } from '../../bench/load_client/http_client.ts';

const FeedPage = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String() })),
  next: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
});

/**
 * The time for the last reads. A server that was just started may refuse some requests, and an event is in the feed when all
 * older transactions have ended: those of autovacuum on a busy machine may take some seconds.
 */
const LAST_READS_MS = 60_000;

type AreAllSeen = (seen: ReadonlySet<string>) => Promise<boolean>;

/** Reads the event feed until `stop`, and then until all events are seen. `stop` returns the ids of the seen events. */
export function followFeed(
  url: string,
  keys: readonly string[],
): { stop(areAllSeen: AreAllSeen): Promise<Set<string>> } {
  const stopping = new AbortController();
  let areAllSeen: AreAllSeen = async () => true;
  const http = new HttpClient({ connections: 1, timeoutMs: 10_000 });
  const ids = new Set<string>();
  const follow = async (): Promise<void> => {
    let [after, requests] = ['', 0];
    let endMs = Number.POSITIVE_INFINITY;
    stopping.signal.addEventListener('abort', () => {
      endMs = performance.now() + LAST_READS_MS;
    });
    let isAtEnd = false;
    while (!isAtEnd && performance.now() < endMs) {
      const isLast = stopping.signal.aborted;
      let hasMore = true;
      while (hasMore) {
        const key = keys[requests % keys.length];
        requests++;
        const { status, text } = await http.send(`${url}/fleet/v1/events?size=50${after}`, { key });
        if (status !== 200) break;
        const page = Value.Decode(FeedPage, JSON.parse(text));
        for (const { id } of page.data) ids.add(id);
        if (page.next !== null) after = `&after=${page.next}`;
        hasMore = page.has_more;
        isAtEnd = isLast && !hasMore && (await areAllSeen(ids));
      }
      await sleep(250);
    }
  };
  const following = follow();
  return {
    async stop(areAllEventsSeen) {
      areAllSeen = areAllEventsSeen;
      stopping.abort();
      await following;
      http.close();
      return ids;
    },
  };
}
