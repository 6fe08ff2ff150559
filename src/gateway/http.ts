import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { readByProfile } from '../gauges/read_message.ts';
import { Authenticator } from '../http/authenticate.ts';
import {
  invalidParameters,
  MAX_PARAMETERS,
  malformed,
  methodNotAllowed,
  narrowedKeyForbidden,
  notFound,
  tooManyParameters,
  tooManyReadings,
  unavailable,
} from '../http/problem.ts';
import { queueFairly } from '../http/queue_fairly.ts';
import { createHttpServer, registerHealth } from '../http/server.ts';
import type { KeyActivity } from '../keys/key_activity.ts';
import type { KeyVerifier } from '../keys/key_verifier.ts';
import { StreamUnavailableError } from '../stream/unavailable.ts';
import { parseFormat } from '../telemetry/format_query.ts';
import { parseBody, UnparsableBodyError } from '../telemetry/payload_formats.ts';
import type { ParsedPayload, ReadByProfile } from '../telemetry/raw_message.ts';
import type { IngestServices } from './device_session.ts';
import { registerWeather, WEATHER_PATH } from './weather_route.ts';

export interface HttpOptions extends IngestServices {
  keys: KeyVerifier;
  /** Stores the weather. It connects when the first weather arrives. */
  weatherPool: Pool;
  notReadyReasons: () => Promise<readonly string[]>;
  trustedProxies: readonly string[];
  /** Undefined if addresses of clients are neither logged nor recorded. */
  activity: KeyActivity | undefined;
  logsAddresses: boolean;
}

const PATH = '/ingest/readings';
const MAX_BODY_BYTES = 1_048_576;
/** Nearly all requests in progress wait for the stream, for up to 250 ms, and each key must get 100 requests a second. */
const QUEUE_LIMITS = { maxInProgress: 512, reservedPerGroup: 32 };
/** The largest number of rejected readings in a response. They are enough to find the mistake. */
const MAX_LISTED_REJECTIONS = 100;

/** Builds the HTTP server that receives readings and weather. It responds 202 when the stream has stored the readings on disk. */
export function buildIngestServer(options: HttpOptions): FastifyInstance {
  const { keys, batcher, quota, gauges, parsing, rejectedPayloads, metrics, logger, notReadyReasons, trustedProxies } =
    options;
  const app = createHttpServer(logger, {
    maxBodyBytes: MAX_BODY_BYTES,
    trustedProxies,
    requests: metrics.requests,
    activity: options.activity,
    logsAddresses: options.logsAddresses,
  });
  const authenticator = new Authenticator(keys, { scope: 'ingest' });
  queueFairly(app, { keys, ...QUEUE_LIMITS });
  // The content type is ignored, because the query names the payload format. All formats are JSON, except those of profiles.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const path = request.url.split('?')[0];
    const isIngest = (url: string | undefined): boolean => url === PATH || url === WEATHER_PATH;
    if (request.is404) throw isIngest(path) ? methodNotAllowed(request.method, 'POST') : notFound('path');
    // Compares the route and not the path, because /ingest/%72eadings is the same route.
    if (!isIngest(request.routeOptions.url)) return;
    await authenticator.authenticate(request, reply);
    checkQuota(request.caller?.organizationNo ?? 0);
  });

  /** Checks the quota before the body is read, so that a request beyond the quota costs little. */
  function checkQuota(organizationNo: number): void {
    const delayMs = quota.organizationDelayMs(organizationNo, Date.now());
    if (delayMs === 0) return;
    metrics.quotaExceeded.inc({ source: 'http', limit: 'organization' });
    throw tooManyReadings(quota.perSecond(organizationNo), Math.ceil(delayMs / 1_000));
  }

  app.post<{ Querystring: { given: URLSearchParams } }>(PATH, async (request, reply) => {
    const { caller, body } = request;
    if (caller === null) throw new Error('the request was not authenticated');
    const { organizationNo, customerNo } = caller;
    // The gateway does not know the owner of a device's tank, so it cannot limit a key to one customer.
    if (customerNo !== null) throw narrowedKeyForbidden();
    const bytes = body instanceof Buffer ? body.length : 0;
    if (!gauges.isReady)
      throw unavailable('The profiles of gauges are not loaded yet; send the readings again.', undefined);
    // The body is charged by its size now, so that waiting bodies count, and the charge is corrected after parsing.
    const estimate = quota.chargeEstimate(organizationNo, bytes, Date.now());
    await parsing.take(organizationNo, bytes);
    const { readings, rejections, health } = parseRequest(request.query.given, body, (message, times) =>
      readByProfile(gauges.of(organizationNo), message, times),
    );
    quota.correctEstimate(
      organizationNo,
      estimate,
      { readings: Math.max(readings.length + rejections.length, health?.length ?? 0), bytes },
      Date.now(),
    );
    metrics.payloads.inc({ source: 'http' });
    try {
      const messages = await batcher.submit(
        readings.map((reading) => ({ ...reading, organizationNo })),
        rejectedPayloads
          .toStore('http', caller.keyNo, rejections)
          .map((rejection) => ({ ...rejection, organizationNo })),
        health?.map((report) => ({ ...report, organization_no: organizationNo })),
      );
      request.logged = { messages };
    } catch (error) {
      metrics.refused.inc({ source: 'http' });
      if (!(error instanceof StreamUnavailableError)) throw error;
      throw unavailable('The readings could not be stored; send them again in a few seconds.', error);
    }
    metrics.acknowledged.inc({ source: 'http' }, readings.length);
    reply.code(202).header('cache-control', 'no-store');
    return { accepted: readings.length, ...listRejections(rejections) };
  });

  registerWeather(app, { pool: options.weatherPool, quota, parsing, listRejections });
  registerHealth(app, notReadyReasons);
  return app;
}

/** Lists the first rejected readings. `rejected_not_listed` is present if there are more. */
function listRejections(rejections: readonly { index: number; code: string; detail: string }[]): object {
  const notListed = rejections.length - MAX_LISTED_REJECTIONS;
  return {
    rejected: rejections.slice(0, MAX_LISTED_REJECTIONS).map(({ index, code, detail }) => ({ index, code, detail })),
    ...(notListed > 0 ? { rejected_not_listed: notListed } : {}),
  };
}

function parseRequest(query: URLSearchParams, body: unknown, byProfile: ReadByProfile): ParsedPayload {
  if (query.size > MAX_PARAMETERS) throw tooManyParameters();
  const format = parseFormat(query);
  if ('errors' in format) throw invalidParameters(format.errors);
  if (!(body instanceof Buffer)) throw malformed('The request has no body; send the readings as JSON.');
  try {
    return parseBody(format, body, Date.now(), byProfile);
  } catch (error) {
    throw error instanceof UnparsableBodyError ? malformed(error.message) : error;
  }
}
