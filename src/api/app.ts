import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Readers } from '../db/readers.ts';
import { type Caller, KeyRing } from '../keys/ring.ts';
import { KeyUsage } from '../keys/usage.ts';
import { answerError, answerUnreadable, MAX_BODY_BYTES } from './answer_error.ts';
import { forbidden, methodNotAllowed, notFound, rateLimited, unauthorized } from './errors.ts';
import { Health } from './health.ts';
import { LINK_PATH, registerLinks } from './links.ts';
import { allowOrigin, answerConditionally, forgetTypeOfNoBody, requestId } from './manners.ts';
import { readParameters } from './parameters.ts';
import { RateLimiter, rateLimitHeaders } from './rate_limit.ts';
import type { Read } from './read.ts';
import { READS } from './reads.ts';
import { registerReference } from './reference.ts';
import { List } from './schema.ts';

export interface ApiOptions {
  readers: Readers;
  logger: FastifyBaseLogger;
  publicUrl?: string;
  corsOrigins?: readonly string[];
  /** What links in mails are signed with; without it there are none. */
  linkSecret?: string;
}

export interface Api {
  app: FastifyInstance;
  health: Health;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null until the key was verified. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** The read that this route serves. Routes without one need no key. */
    read?: Read;
  }
}

/** The api role as a value: nothing listens yet. */
export async function buildApi({
  readers,
  logger,
  publicUrl = '',
  corsOrigins = [],
  linkSecret = '',
}: ApiOptions): Promise<Api> {
  const keys = new KeyRing(readers, (error) => logger.warn({ err: error }, 'changes to keys could not be followed'));
  const usage = new KeyUsage(readers, (error) => logger.warn({ err: error }, 'use of keys could not be recorded'));
  const limiter = new RateLimiter();
  const health = new Health(readers, keys);
  const app = createServer(logger);

  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    allowOrigin(corsOrigins, request, reply);
    if (request.is404 || hasEmptyId(request)) await refusePathOrMethod(request, reply);
    if (request.routeOptions.config.read) await admit(request, reply);
  });

  /** The order decides which error wins: key, rate, scope; then, in Fastify, the body's type; then the parameters. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    forgetTypeOfNoBody(request.raw);
    const caller = await authenticate(keys, request);
    request.caller = caller;
    usage.note(caller.keyNo);
    const allowance = limiter.take(caller);
    reply.headers(rateLimitHeaders(caller, allowance));
    if (!allowance.isAllowed) throw rateLimited(allowance.resetSeconds);
    if (!caller.scopes.includes('read')) throw forbidden('read');
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.routeOptions.config.read !== undefined;
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
    reply.header('cache-control', 'private, no-cache');
    reply.header('vary', corsOrigins.length > 0 ? 'X-API-Key, Origin' : 'X-API-Key');
    done(null, answerConditionally(request, reply, payload));
  });

  app.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply);
    done();
  });

  for (const read of READS) registerRead(app, readers, read);
  registerHealth(app, health);
  await registerReference(app, publicUrl);
  if (linkSecret !== '') registerLinks(app, readers, linkSecret);

  app.addHook('onReady', async () => keys.start());
  app.addHook('preClose', async () => app.server.closeIdleConnections());
  app.addHook('onClose', async () => {
    keys.close();
    await usage.close();
  });
  return { app, health };
}

function createServer(logger: FastifyBaseLogger): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // one line of our own instead of two
    genReqId: requestId,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 15_000,
    keepAliveTimeout: 72_000, // longer than the 60 s after which common proxies drop an idle connection
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what is already under way on open connections is answered
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    routerOptions: {
      maxParamLength: MAX_BODY_BYTES,
      querystringParser: (text) => ({ given: new URLSearchParams(text) }),
    },
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  });
  app.setErrorHandler(answerError);
  // No logger of its own for each request: lines that need the request id name it, and 5 % of the CPU is saved.
  app.setChildLoggerFactory((parent) => parent);

  // Parameters may also come as a form body on GET, as curl -d sends them; no other body is read.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body.toString())),
  );
  return app;
}

async function authenticate(keys: KeyRing, request: FastifyRequest): Promise<Caller> {
  const text = request.headers['x-api-key'];
  if (typeof text !== 'string' || text === '') throw unauthorized('Send your API key in the header X-API-Key.');
  const caller = await keys.verify(text);
  if (caller === undefined) throw unauthorized('This API key is malformed, unknown, expired or revoked.');
  return caller;
}

/** What is there, and the methods it takes. */
const KNOWN_PATHS = [
  ...[...READS.map((read) => read.path), '/openapi.json', '/docs', '/docs/', '/healthz', '/readyz'].map(
    (path) => [path, 'GET, HEAD'] as const,
  ),
  [LINK_PATH, 'GET, HEAD, POST'] as const,
].map(([path, allow]) => ({ pattern: new RegExp(`^${path.replace(/:[a-z]+/, '[^/]+')}$`), allow }));

/** `/v1/tanks/` matches `/v1/tanks/:id` with nothing for the id. */
function hasEmptyId({ params }: FastifyRequest): boolean {
  return typeof params === 'object' && params !== null && 'id' in params && params.id === '';
}

/** No route matched: the path is unknown, or it is known and the method is not offered. Neither needs a key. */
async function refusePathOrMethod(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = request.url.split('?')[0] ?? '';
  const allow = KNOWN_PATHS.find(({ pattern }) => pattern.test(path))?.allow;
  const isOffered = allow?.split(', ').includes(request.method); // and still no route: it is switched off here
  if (allow === undefined || isOffered) throw notFound('path');
  if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, allow);
  await reply.code(204).header('allow', `${allow}, OPTIONS`).send();
}

/** From a request that was admitted to its answer. */
function registerRead(app: FastifyInstance, readers: Readers, read: Read): void {
  const response = read.answers === 'list' ? List(read.item) : read.item;
  app.get<{ Params: { id?: string }; Querystring: { given: URLSearchParams } }>(
    read.path,
    { config: { read }, schema: { response: { 200: response } } },
    async (request, reply) => {
      const { caller, body } = request;
      const { id = '' } = request.params;
      if (caller === null) throw new Error('a read was reached without a caller');
      const query = request.query.given;
      const form = body instanceof URLSearchParams ? body : undefined;
      const parameters = readParameters(read.parameters, query, form);
      const given = form ? new URLSearchParams([...query, ...form]) : query;
      const path = read.path.replace(':id', id);

      const answer = await read.answer({ readers, caller, id, parameters, path, given });
      if (answer.headers) reply.headers(answer.headers);
      if (answer.isDeleted) reply.serializer(JSON.stringify).type('application/json; charset=utf-8');
      return reply.send(answer.body);
    },
  );
}

function registerHealth(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'alive' }));
  app.get('/readyz', async (_request, reply) => {
    const obstacles = await health.obstacles();
    reply.header('cache-control', 'no-store').code(obstacles.length === 0 ? 200 : 503);
    return reply.send(obstacles.length === 0 ? { status: 'ready' } : { status: 'not ready', obstacles });
  });
}

/** One line per request. Never the URL, which may hold an e-mail address, and never more of a key than its prefix. */
function logResponse(request: FastifyRequest, reply: FastifyReply): void {
  const { id, method, routeOptions, caller } = request;
  const { statusCode: status, elapsedTime } = reply;
  const ms = Math.round(elapsedTime * 10) / 10;
  request.log.info({ request_id: id, method, route: routeOptions.url, status, ms, key: caller?.keyPrefix }, 'request');
}
