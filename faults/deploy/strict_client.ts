import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface StrictLoad {
  requests: number;
  /** What went wrong, and how often. A request is sent once: a reset counts, and so does any status but 200. */
  failures: Map<string, number>;
  stop(): Promise<void>;
}

export interface StrictLoadOptions {
  port: number;
  key: string;
  paths: readonly string[];
  connections: number;
  requestsPerSecond: number;
}

/**
 * Reads over connections that it keeps open until the server says otherwise, and never tries again. Common load
 * generators open a new connection in silence when one is reset, and so hide what a rolling restart drops.
 */
export function startStrictLoad({ port, key, paths, connections, requestsPerSecond }: StrictLoadOptions): StrictLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const stopping = new AbortController();
  const failures = new Map<string, number>();
  const load = { requests: 0, failures };

  const get = (path: string): Promise<string> =>
    new Promise((resolve) => {
      const sent = request(
        { host: '127.0.0.1', port, path, agent, headers: { 'x-api-key': key }, timeout: 10_000 },
        (response) => {
          response.on('end', () => resolve(response.statusCode === 200 ? '' : `status ${response.statusCode}`));
          response.on('error', (error) => resolve(`response: ${error.message}`));
          response.on('close', () => resolve('the response was cut off'));
          response.resume();
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('no response within 10 s')));
      sent.on('error', (error) => resolve(`request: ${error.message}`));
      sent.end();
    });

  const run = async (connection: number): Promise<void> => {
    const pauseMs = (connections * 1_000) / requestsPerSecond;
    for (let dueMs = performance.now() + Math.random() * pauseMs; !stopping.signal.aborted; dueMs += pauseMs) {
      const restMs = dueMs - performance.now();
      if (restMs > 0) await sleep(restMs);
      const failure = await get(paths[(load.requests + connection) % paths.length] ?? '/');
      load.requests++;
      if (failure !== '') failures.set(failure, (failures.get(failure) ?? 0) + 1);
    }
  };
  const running = Promise.all(Array.from({ length: connections }, (_, connection) => run(connection)));
  return Object.assign(load, {
    async stop() {
      stopping.abort();
      await running;
      agent.destroy();
    },
  });
}
