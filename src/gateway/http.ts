import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Authenticator } from '../http/authenticate.ts';
import {
  invalidParameters,
  malformed,
  methodNotAllowed,
  narrowedKeyForbidden,
  notFound,
  unavailable,
} from '../http/problem.ts';
import { createHttpServer, registerHealth } from '../http/server.ts';
import type { KeyVerifier } from '../keys/key_verifier.ts';
import { StreamUnavailable } from '../stream/unavailable.ts';
import { type ParsedPayload, parseBody, parseFormat, UnparsableBody } from '../telemetry/payload_formats.ts';
import type { Batcher } from './batcher.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface HttpOptions {
  keys: KeyVerifier;
  gatherer: Batcher;
  metrics: GatewayMetrics;
  logger: FastifyBaseLogger;
  notReadyReasons: () => Promise<readonly string[]>;
}

const PATH = '/ingest/readings';
const MAX_BODY_BYTES = 1_048_576;

/** Readings over HTTP, from whoever speaks for many devices. A 202 says that the stream has them on disk. */
export function buildIngest({ keys, gatherer, metrics, logger, notReadyReasons }: HttpOptions): FastifyInstance {
  const app = createHttpServer(logger, MAX_BODY_BYTES);
  const admission = new Authenticator(keys, 'ingest');
  // Whatever type the sender claims: the format is declared in the query, and all of them are JSON.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const path = request.url.split('?')[0];
    if (request.is404) throw path === PATH ? methodNotAllowed(request.method, 'POST') : notFound('path');
    if (path === PATH) await admission.authenticate(request, reply);
  });

  app.post<{ Querystring: { given: URLSearchParams } }>(PATH, async (request, reply) => {
    const { caller, body } = request;
    if (caller === null) throw new Error('readings were reached without a caller');
    const { organizationNo, customerNo } = caller;
    // Whose tank a device is on is not known here, so such a key would reach every customer's.
    if (customerNo !== null) throw narrowedKeyForbidden();
    const { readings, rejections } = understand(request.query.given, body);
    try {
      await gatherer.submit(
        readings.map((reading) => ({ ...reading, organizationNo })),
        rejections.map((rejection) => ({ ...rejection, organizationNo })),
      );
    } catch (error) {
      metrics.refused.inc({ source: 'http' });
      if (!(error instanceof StreamUnavailable)) throw error;
      throw unavailable('Readings cannot be stored right now; send them again in a few seconds.', error);
    }
    metrics.taken.inc({ source: 'http' }, readings.length);
    reply.code(202).header('cache-control', 'no-store');
    return {
      accepted: readings.length,
      rejected: rejections.map(({ index, code, detail }) => ({ index, code, detail })),
    };
  });

  registerHealth(app, notReadyReasons);
  return app;
}

function understand(query: URLSearchParams, body: unknown): ParsedPayload {
  const format = parseFormat(query);
  if ('faults' in format) throw invalidParameters(format.faults);
  if (!(body instanceof Buffer)) throw malformed('Send the readings as the body.');
  try {
    return parseBody(format, body, Date.now());
  } catch (error) {
    throw error instanceof UnparsableBody ? malformed(error.message) : error;
  }
}
