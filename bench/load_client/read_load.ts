import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from './http_client.ts';

export interface ReadLoadOptions {
  /** The address of the server, without a path. */
  url: string;
  keys: readonly string[];
  paths: readonly string[];
  /** The number of clients. Each has its own connection, and waits for an answer before it sends the next request. */
  clients: number;
  /** The rate of all clients together. Default: each client sends its next request `pauseMs` after an answer. */
  requestsPerSecond?: number;
  pauseMs?: number;
  /** Whether a failed request is sent once more, as common clients do. */
  isRepeating?: boolean;
}

export interface ReadLoad {
  requests: number;
  /** The number of requests by status, or by the reason if there was no answer. */
  outcomes: Map<string, number>;
  /** Requests that were not answered with 200. */
  failed: number;
  /** Those of `failed` that were repeated and failed again. */
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
  /** Returns whether the request was answered with 200. */
  const get = async (path: string, key: string): Promise<boolean> => {
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
    for (let n = 0; ; n++) {
      const restMs = dueMs - performance.now();
      if (restMs > 0) await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const path = paths[load.requests % paths.length] ?? '/';
      load.requests++;
      const key = keys[(client + n * clients) % keys.length] ?? '';
      const sinceMs = everyMs === undefined ? performance.now() : dueMs;
      const isServed = await get(path, key);
      load.latenciesMs.push(performance.now() - sinceMs);
      if (!isServed) {
        load.failed++;
        if (isRepeating) {
          await sleep(100);
          if (!(await get(path, key))) load.failedTwice++;
        }
      }
      dueMs = everyMs === undefined ? performance.now() + pauseMs : dueMs + everyMs;
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
