import type { ServerResponse } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { liveness, type NotReadyReasons, type ProbeResponse, readiness } from '../health/readiness.ts';
import { type KeyActivity, OTHER_ADDRESS } from '../keys/key_activity.ts';
import { SECURITY_HEADERS, sendError, sendParserError } from './error_response.ts';
import { requestId } from './request_id.ts';
import type { RequestMetrics } from './request_metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Fields that a handler adds to the log line of its request. */
    logged: object | null;
    /** The address of the client, for the activity of keys, and for the log if it has addresses. */
    address: string | undefined;
  }
}

export interface HttpServerOptions {
  maxBodyBytes: number;
  /** Proxies whose X-Forwarded-For is trusted. If empty, the client's address is the address of the connection. */
  trustedProxies: readonly string[];
  requests?: RequestMetrics | undefined;
  /** Counts from which addresses keys are used. */
  activity?: KeyActivity | undefined;
  /** Whether the request log has the addresses of clients. */
  logsAddresses?: boolean | undefined;
}

/** Creates a Fastify server with our limits and error format. It has no routes and no body parsers yet. */
export function createHttpServer(
  logger: FastifyBaseLogger,
  { maxBodyBytes, trustedProxies, requests, activity, logsAddresses = false }: HttpServerOptions,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // logResponse writes one line instead of two
    genReqId: requestId,
    bodyLimit: maxBodyBytes,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: 15_000,
    connectionTimeout: 90_000, // a client that neither sends nor reads; live streams send something every 5 s
    keepAliveTimeout: 72_000, // longer than the 60 s after which common proxies drop an idle connection
    forceCloseConnections: 'idle',
    return503OnClosing: false, // finish the requests that are already in progress
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    routerOptions: {
      maxParamLength: 16_384,
      querystringParser: (text) => ({ given: new URLSearchParams(text) }),
    },
    clientErrorHandler: sendParserError,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  });
  app.setErrorHandler(sendError);
  // All requests share one logger, which saves 5 % of the CPU. Log lines that need the request id add it themselves.
  app.setChildLoggerFactory((parent) => parent);
  app.removeAllContentTypeParsers();
  app.decorateRequest('caller', null);
  app.decorateRequest('logged', null);
  app.decorateRequest('address', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    // The address is read now, because it is unknown after the client has closed the connection.
    const isKnown = request.socket.remoteAddress !== undefined;
    request.address = isKnown ? request.ip : OTHER_ADDRESS;
    reply.headers(SECURITY_HEADERS);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, address = OTHER_ADDRESS } = request;
    // A session without a key has a negative number.
    if (caller !== null && caller.keyNo > 0) activity?.add(caller.keyNo, address);
    logResponse(request, reply, logsAddresses ? address : undefined);
    requests?.observe(request, reply);
    done();
  });
  app.addHook('preClose', async () => app.server.closeIdleConnections());
  return app;
}

/**
 * From now on, every response asks the client to close its connection. Otherwise a client that keeps its connection
 * open could send its next request just when the server closes, and would get no response.
 */
export function closeAfterResponses(app: FastifyInstance): void {
  app.server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
}

/**
 * Logs one line per request. Never logs the URL, which can contain an e-mail address, nor more of a key than its
 * prefix.
 */
function logResponse(request: FastifyRequest, reply: FastifyReply, address: string | undefined): void {
  const { id, method, routeOptions, caller, logged } = request;
  const { statusCode: status, elapsedTime } = reply;
  const ms = Math.round(elapsedTime * 10) / 10;
  const key = caller?.keyPrefix;
  request.log.info({ request_id: id, method, route: routeOptions.url, status, ms, key, address, ...logged }, 'request');
}

/** Serves the probes of load balancers and supervisors. */
export function registerHealth(app: FastifyInstance, notReadyReasons: NotReadyReasons): void {
  const send = (reply: FastifyReply, { statusCode, body }: ProbeResponse): FastifyReply =>
    reply.header('cache-control', 'no-store').code(statusCode).send(body);
  app.get('/healthz', async (_request, reply) => send(reply, liveness));
  app.get('/readyz', async ({ ips = [] }, reply) => {
    const { statusCode, body } = await readiness(notReadyReasons);
    // `tankwatch doctor` checks whether the request came through a proxy that the process trusts.
    return send(reply, { statusCode, body: { ...body, through_proxy: ips.length > 1 } });
  });
}
