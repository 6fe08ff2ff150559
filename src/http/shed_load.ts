import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { KeyVerifier } from '../keys/key_verifier.ts';
import { addressGroup } from '../network/client_address.ts';
import { LoadShedder } from './load_shedder.ts';
import { Refusals } from './refusals.ts';
import type { RequestMetrics } from './request_metrics.ts';
import { sessionCookie } from './session_cookie.ts';

const PREFIX_LENGTH = 12;
const LIVE_PATH = '/fleet/v1/live';

export interface ShedLoadOptions {
  logger: FastifyBaseLogger;
  /** Those who know which keys exist. A sender with an unknown key counts by its address. */
  verifiers: readonly KeyVerifier[];
  /** The number of reads that wait for the database now. */
  waitingReads?: () => number;
  requests?: RequestMetrics | undefined;
}

/**
 * Refuses requests of the busiest senders with 503 while the process is overloaded. It works in front of Fastify: a
 * refusal must cost much less than an answer, or refusing alone would use all of the CPU.
 */
export function shedLoad(
  app: FastifyInstance,
  { logger, verifiers, waitingReads = () => 0, requests }: ShedLoadOptions,
): void {
  const shedder = new LoadShedder({ waitingReads });
  const refusals = new Refusals();
  shedder.onChange = (isOverloaded, refused) =>
    isOverloaded
      ? logger.warn({}, 'overloaded; refusing requests of the busiest senders')
      : logger.warn({ refused }, 'no longer overloaded; all requests are served again');

  const senderOf = ({ headers, socket }: IncomingMessage): string => {
    const key = headers['x-api-key'];
    const credential = typeof key === 'string' ? key : sessionCookie(headers.cookie);
    const prefix = credential?.slice(0, PREFIX_LENGTH);
    const isKnown = prefix !== undefined && verifiers.some((verifier) => verifier.isKnown(prefix));
    return isKnown ? prefix : addressGroup(socket.remoteAddress ?? '');
  };

  const listeners = app.server.listeners('request');
  app.server.removeAllListeners('request');
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const serve = (): void => {
      for (const listener of listeners) Reflect.apply(listener, app.server, [request, response]);
    };
    if (isNeverRefused(request.url)) return serve();
    const sender = senderOf(request);
    if (shedder.begin(sender)) {
      const startMs = performance.now();
      response.once('close', () => shedder.end(sender, performance.now() - startMs));
      return serve();
    }
    requests?.refused();
    refusals.add(request, response);
  });
  app.addHook('onReady', async () => shedder.start());
  app.addHook('onClose', async () => shedder.stop());
}

/** A load balancer must not take a busy process for a dead one. Live streams stay open and have a limit of their own. */
const isNeverRefused = (url = ''): boolean => url === '/healthz' || url === '/readyz' || url.startsWith(LIVE_PATH);
