import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

/** Metrics for Prometheus, and health for whoever restarts what is not well, on a port of their own. */
export async function serveMetrics(
  registry: Registry,
  port: number,
  obstaclesNow: () => Promise<readonly string[]>,
): Promise<{ port: number; close(): Promise<void> }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    } else if (request.url === '/healthz') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"alive"}');
    } else if (request.url === '/readyz') {
      const notReadyReasons = await obstaclesNow();
      response
        .writeHead(notReadyReasons.length === 0 ? 200 : 503, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(notReadyReasons.length === 0 ? { status: 'ready' } : { status: 'not ready', notReadyReasons }),
        );
    } else response.writeHead(404).end('try /metrics, /healthz or /readyz\n');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
