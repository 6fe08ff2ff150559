import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Readers } from '../db/readers.ts';
import { Outage } from '../health/outage.ts';
import { Authenticator } from '../http/authenticate.ts';
import { methodNotAllowed, notFound } from '../http/problem.ts';
import { createHttpServer, registerHealth } from '../http/server.ts';
import { KeyUsage } from '../keys/key_usage.ts';
import { KeyVerifier } from '../keys/key_verifier.ts';
import { Health } from './health.ts';
import { applyConditionalGet, applyCors, dropContentTypeWithoutBody } from './http_caching.ts';
import { LINK_PATH, registerLinks } from './link_pages.ts';
import { readParameters } from './parameters.ts';
import type { Read } from './read.ts';
import { READS } from './reads.ts';
import { REFERENCE_PATHS, registerReference } from './reference.ts';
import { List } from './schema.ts';

const MAX_BODY_BYTES = 16_384;

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
  const keys = new KeyVerifier(readers, { outage: new Outage(logger, 'following changes to keys') });
  const usage = new KeyUsage(readers, new Outage(logger, 'recording the use of keys'));
  const admission = new Authenticator(keys, 'read', (caller) => usage.note(caller.keyNo));
  const health = new Health(readers, keys);
  const app = createServer(logger);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    applyCors(corsOrigins, request, reply);
    if (request.is404 || hasEmptyId(request)) await refusePathOrMethod(request, reply);
    if (!request.routeOptions.config.read) return;
    dropContentTypeWithoutBody(request.raw);
    await admission.admit(request, reply);
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.routeOptions.config.read !== undefined;
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
    reply.header('cache-control', 'private, no-cache');
    reply.header('vary', corsOrigins.length > 0 ? 'X-API-Key, Origin' : 'X-API-Key');
    done(null, applyConditionalGet(request, reply, payload));
  });

  for (const read of READS) registerRead(app, readers, read);
  registerHealth(app, () => health.notReadyReasons());
  await registerReference(app, publicUrl);
  if (linkSecret !== '') registerLinks(app, readers, linkSecret);

  app.addHook('onReady', async () => keys.start());
  app.addHook('onClose', async () => {
    keys.close();
    await usage.close();
  });
  return { app, health };
}

function createServer(logger: FastifyBaseLogger): FastifyInstance {
  const app = createHttpServer(logger, MAX_BODY_BYTES);
  // Parameters may also come as a form body on GET, as curl -d sends them; no other body is read.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body.toString())),
  );
  return app;
}

/** What is there, and the methods it takes. */
const KNOWN_PATHS = [
  ...[...READS.map((read) => read.path), ...REFERENCE_PATHS, '/healthz', '/readyz'].map(
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
