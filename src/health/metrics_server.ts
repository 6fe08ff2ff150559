import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { liveness, type NotReadyReasons, type ProbeResponse, readiness } from './readiness.ts';

/** The timeout of a request. A scrape takes milliseconds; a client that takes longer would only hold a connection. */
const TIMEOUT_MS = 10_000;

/** Serves Prometheus metrics and health probes on a separate port. */
export async function serveMetrics(
  registry: Registry,
  { host, port, timeoutMs = TIMEOUT_MS }: { host: string; port: number; timeoutMs?: number },
  notReadyReasons: NotReadyReasons,
): Promise<{ port: number; close(): Promise<void> }> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('x-content-type-options', 'nosniff');
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    } else if (request.url === '/healthz') sendProbe(response, liveness);
    else if (request.url === '/readyz') sendProbe(response, await readiness(notReadyReasons));
    else response.writeHead(404).end('not found; this port serves /metrics, /healthz and /readyz\n');
  };
  const timeouts = {
    headersTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    keepAliveTimeout: timeoutMs,
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(timeouts, (request, response) => void respond(request, response));
  server.setTimeout(2 * timeoutMs); // closes the connection of a client that does not read the response
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendProbe(response: ServerResponse, { statusCode, body }: ProbeResponse): void {
  response.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
