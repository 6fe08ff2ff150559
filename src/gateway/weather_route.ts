import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { DatabaseError } from 'pg';
import { invalidParameters, malformed, narrowedKeyForbidden, unavailable } from '../http/problem.ts';
import { storeTemperatures } from '../weather/store_temperatures.ts';
import { type ParsedWeather, parseWeatherBody, UnparsableWeatherError } from '../weather/weather_body.ts';
import type { FairParsing } from './fair_parsing.ts';
import type { ReadingQuota } from './reading_quota.ts';

export const WEATHER_PATH = '/ingest/weather';
/** The error code of PostgreSQL for an organization with too many places. */
const LIMIT_EXCEEDED = '54000';

interface WeatherOptions {
  pool: Pool;
  quota: ReadingQuota;
  parsing: FairParsing;
  listRejections: (rejected: ParsedWeather['rejected']) => object;
}

/**
 * Receives temperatures of places. Unlike readings, they are stored in PostgreSQL before the response, because they are
 * few, and a sender that gets a 503 still has them. Each counts as a reading in the quota of the organization.
 */
export function registerWeather(app: FastifyInstance, { pool, quota, parsing, listRejections }: WeatherOptions): void {
  app.post<{ Querystring: { given: URLSearchParams } }>(WEATHER_PATH, async (request, reply) => {
    const { caller, body } = request;
    if (caller === null) throw new Error('the request was not authenticated');
    const { organizationNo, customerNo } = caller;
    if (customerNo !== null) throw narrowedKeyForbidden();
    const [param] = request.query.given.keys();
    if (param !== undefined)
      throw invalidParameters([
        { param: param.slice(0, 100), code: 'unknown', detail: 'Unknown parameter; there are none.' },
      ]);
    const bytes = body instanceof Buffer ? body.length : 0;
    const estimate = quota.chargeEstimate(organizationNo, bytes, Date.now());
    await parsing.take(organizationNo, bytes);
    const { temperatures, rejected } = parse(body);
    const count = temperatures.length + rejected.length;
    quota.correctEstimate(organizationNo, estimate, { readings: count, bytes }, Date.now());
    if (temperatures.length > 0) await store(pool, organizationNo, temperatures);
    reply.code(202).header('cache-control', 'no-store');
    return { accepted: temperatures.length, ...listRejections(rejected) };
  });
}

function parse(body: unknown): ParsedWeather {
  if (!(body instanceof Buffer)) throw malformed('The request has no body; send the temperatures as JSON.');
  try {
    return parseWeatherBody(body, Date.now());
  } catch (error) {
    throw error instanceof UnparsableWeatherError ? malformed(error.message) : error;
  }
}

async function store(pool: Pool, organizationNo: number, temperatures: ParsedWeather['temperatures']): Promise<void> {
  try {
    await storeTemperatures(pool, organizationNo, temperatures);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LIMIT_EXCEEDED)
      throw malformed(`Nothing was stored: ${error.message}.`);
    throw unavailable('The temperatures could not be stored; send them again in a few seconds.', error);
  }
}
