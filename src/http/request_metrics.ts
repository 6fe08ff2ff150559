import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { declare } from '../health/shared_metrics.ts';

/**
 * Counts the requests of an HTTP server. The labels are route patterns and our own statuses, so that clients cannot
 * create new time series.
 */
export interface RequestMetrics {
  observe(request: FastifyRequest, reply: FastifyReply): void;
}

/** The label of requests that matched no route. */
const NO_ROUTE = 'none';

export function requestMetrics(registry: Registry, role: 'api' | 'gateway'): RequestMetrics {
  const { counter, histogram } = declare(registry);
  const requests = counter(
    `tankwatch_${role}_requests_total`,
    `HTTP requests to the ${role} by route pattern and status. The route is none if no route matched.`,
    ['route', 'status'],
  );
  const seconds = histogram(
    `tankwatch_${role}_request_seconds`,
    `Time from the headers of a request to the ${role} until its response is sent, by route pattern. Without live streams.`,
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['route'],
  );
  return {
    observe(request, reply) {
      const route = request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE);
      requests.inc({ route, status: reply.statusCode });
      // A live stream lasts for as long as the browser shows the page.
      const isLive = String(reply.getHeader('content-type')).startsWith('text/event-stream');
      if (!isLive) seconds.observe({ route }, reply.elapsedTime / 1_000);
    },
  };
}
