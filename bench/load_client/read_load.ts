import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from './http_client.ts';

export interface ReadLoadOptions {
  /** Without a path. */
  url: string;
  keys: readonly string[];
  paths: readonly string[];
  /** Each has a connection of its own, and waits for an answer before it sends the next request. */
  clients: number;
  /** Of all clients together. Unless given, each sends its next request so long after an answer. */
  requestsPerSecond?: number;
  pauseMs?: number;
  /** Whether a request that failed is sent once more, as any client does. */
  isRepeating?: boolean;
}

export interface ReadLoad {
  requests: number;
  /** Answers by status, and by the reason if there was none. */
  outcomes: Map<string, number>;
  /** Requests that were not answered with 200, and those of them that failed again when they were repeated. */
  failed: number;
  failedTwice: number;
  /** The first failures, with the seconds since the start. */
  failures: string[];
  /** From the time a request was sent, or was due if there is a rate, until its answer. */
  latenciesMs: number[];
  stop(): Promise<void>;
}

const MAX_FAILURES = 50;

/** Reads the paths in turn until it is stopped. */
export function startReads(options: ReadLoadOptions): ReadLoad {
  const { url, keys, paths, clients, requestsPerSecond, pauseMs = 0, isRepeating = false } = options;
  const http = new HttpClient({ connections: clients, timeoutMs: 10_000 });
  const stopping = new AbortController();
  const load: Omit<ReadLoad, 'stop'> = {
    requests: 0,
    outcomes: new Map(),
    failed: 0,
    failedTwice: 0,
    failures: [],
    latenciesMs: [],
  };
  const startMs = performance.now();
  const isAnswered = async (path: string, key: string): Promise<boolean> => {
    const { status, failure, text } = await http.send(url + path, { key });
    const outcome = failure || String(status);
    load.outcomes.set(outcome, (load.outcomes.get(outcome) ?? 0) + 1);
    if (status === 200) return true;
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    if (load.failures.length < MAX_FAILURES) load.failures.push(`${seconds} s, ${path}: ${outcome} ${text}`);
    return false;
  };
  const run = async (client: number): Promise<void> => {
    const everyMs = requestsPerSecond === undefined ? undefined : (clients * 1_000) / requestsPerSecond;
    let dueMs = startMs + (client / clients) * (everyMs ?? pauseMs);
    for (let n = 0; ; n++, dueMs = everyMs === undefined ? performance.now() + pauseMs : dueMs + everyMs) {
      const restMs = dueMs - performance.now();
      if (restMs > 0) await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const path = paths[load.requests++ % paths.length] ?? '/';
      const key = keys[(client + n * clients) % keys.length] ?? '';
      const sinceMs = everyMs === undefined ? performance.now() : dueMs;
      const isGood = await isAnswered(path, key);
      load.latenciesMs.push(performance.now() - sinceMs);
      if (isGood) continue;
      load.failed++;
      if (!isRepeating) continue;
      await sleep(100);
      if (!(await isAnswered(path, key))) load.failedTwice++;
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return Object.assign(load, {
    async stop() {
      stopping.abort();
      await running;
      http.close();
    },
  });
}
