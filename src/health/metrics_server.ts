import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { liveness, type NotReadyReasons, type ProbeResponse, readiness } from './readiness.ts';

/** Serves Prometheus metrics and health probes on a port of their own. */
export async function serveMetrics(
  registry: Registry,
  port: number,
  notReadyReasons: NotReadyReasons,
): Promise<{ port: number; close(): Promise<void> }> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    } else if (request.url === '/healthz') sendProbe(response, liveness);
    else if (request.url === '/readyz') sendProbe(response, await readiness(notReadyReasons));
    else response.writeHead(404).end('not found; this port serves /metrics, /healthz and /readyz\n');
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function sendProbe(response: ServerResponse, { statusCode, body }: ProbeResponse): void {
  response.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
