import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, type KeyVerifier, senderOf } from '../keys/key_verifier.ts';
import { addressGroup } from '../values/client_address.ts';
import { FairQueue, type Sender, senderAlone } from '../values/fair_queue.ts';
import { tooManyAtOnce } from './problem.ts';
import { sessionCookie } from './session_cookie.ts';
import { UnfinishedRequests } from './unfinished_requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender of the request, for fair queueing. Null until the hook `onRequest` sets it. */
    sender: Sender | null;
    /** The holder of the key, if it was verified from memory and the request did not wait since. */
    knownCaller: Caller | null;
    /** Whether the request is in progress: it has begun, and its response is not ready. */
    isInProgress: boolean;
    /**
     * Frees the slot of the request. Also called when the request begins to wait in another queue, because a waiting
     * request causes no load.
     */
    leaveQueue(costMs?: number): void;
  }
}

/**
 * The limit of one connection. HTTP clients rarely send requests without waiting for responses, and proxies never do.
 */
const MAX_PIPELINED = 64;
const REQUEST_LIMITS = {
  /**
   * One organization leaves 8 slots to the others, so that they can start while all its requests wait for the database.
   */
  maxInProgress: 40,
  maxInProgressPerGroup: 32,
  /**
   * The work of all requests in progress together. Their results can arrive in one iteration of the event loop, and a
   * new request then waits for all of them. With 32 pages of 100 tanks in progress, another sender's p99 was 140 to 390
   * ms; with 4 pages it was 36 to 46 ms. Cheap requests need many slots, because they mostly wait for the database.
   */
  workMs: 8,
  maxInProgressPerMember: Number.POSITIVE_INFINITY,
  /** A key may send a burst of 1,000 requests. A waiting request needs about 8 KB of memory. */
  maxWaitingPerMember: 1_000,
  maxWaiting: 4_096,
};

export interface QueueFairlyOptions {
  keys: KeyVerifier;
  sessions?: KeyVerifier;
  /**
   * The largest number of requests in progress, regardless of their cost. By default, the number depends on the cost of
   * the requests.
   */
  maxInProgress?: number;
  /** The requests of each organization or address that start even if all slots are taken. */
  reservedPerGroup: number;
}

/**
 * The estimated CPU time of a request on this thread. It grows with the bytes of the response: rows are parsed, and
 * objects are made, written as JSON, hashed and sent. A tank costs 0.2 ms, a page of 100 tanks 4 ms. The time of one
 * request cannot be measured, because the thread works on many requests alternately.
 */
const costMs = (bytes: number): number => 0.15 + bytes * 75e-6;
/**
 * A stream costs more than its first bytes, because of its connection, its observers and its end. With a lower cost,
 * 1,000 streams started at once.
 */
const STREAM_COST_MS = 2;

/**
 * Queues requests fairly by sender: organizations, and within each its keys and sessions. A request counts as in
 * progress from the arrival of its whole body until its response is ready. Slow uploads, slow downloads and live
 * streams do not occupy a slot. Call it before other hooks are added.
 */
export function queueFairly(app: FastifyInstance, options: QueueFairlyOptions): void {
  const { keys, sessions, maxInProgress, reservedPerGroup } = options;
  const { workMs: _, ...limits } = REQUEST_LIMITS;
  const queue = new FairQueue(
    maxInProgress === undefined
      ? { ...REQUEST_LIMITS, reservedPerGroup }
      : { ...limits, maxInProgress, maxInProgressPerGroup: maxInProgress, reservedPerGroup },
  );
  // Probes of a load balancer do not wait for other requests, because a busy process must not look dead. In a queue of
  // their own, they do not count as another active group.
  const probes = new FairQueue({ ...limits, reservedPerGroup });
  const queueOf = ({ url }: FastifyRequest): FairQueue => (url === '/healthz' || url === '/readyz' ? probes : queue);
  const unfinished = new UnfinishedRequests();
  const runInOrder = orderByConnection();

  /**
   * The sender is the holder of a key that is verified from memory, otherwise the address that a trusted proxy names,
   * or the address of the connection.
   */
  const findSender = (request: FastifyRequest): Sender => {
    const { headers } = request;
    const key = headers['x-api-key'];
    const session = key === undefined ? sessionCookie(headers.cookie) : undefined;
    const caller =
      typeof key === 'string'
        ? keys.knownCaller(key)
        : session === undefined
          ? undefined
          : sessions?.knownCaller(session);
    request.knownCaller = caller ?? null;
    if (caller !== undefined) return senderOf(caller);
    return senderAlone(`address ${addressGroup(request.ip)}`);
  };

  const enterQueue = (request: FastifyRequest, sender: Sender, done: (error?: Error) => void): void => {
    let hasWaited = false;
    const isAccepted = queueOf(request).enter(sender, (hasWaitedTooLong) => {
      if (request.raw.socket.destroyed) return false;
      if (hasWaitedTooLong) {
        done(tooManyAtOnce());
        return false;
      }
      request.isInProgress = true;
      if (hasWaited) request.knownCaller = null; // the key may be revoked by now
      done();
      return true;
    });
    hasWaited = true;
    if (!isAccepted) done(tooManyAtOnce());
  };

  app.decorateRequest('sender', null);
  app.decorateRequest('knownCaller', null);
  app.decorateRequest('isInProgress', false);
  app.decorateRequest('leaveQueue', function leaveQueue(this: FastifyRequest, cost = costMs(0)): void {
    if (!this.isInProgress || this.sender === null) return;
    this.isInProgress = false;
    queueOf(this).leave(this.sender, cost);
  });
  app.addHook('onRequest', (request, reply, done) => {
    runInOrder(request.raw, reply.raw, () => {
      const sender = findSender(request);
      request.sender = sender;
      if (!hasBody(request.raw)) return enterQueue(request, sender, done);
      const { socket } = request.raw;
      unfinished.add(sender.group, socket);
      reply.raw.once('close', () => unfinished.delete(sender.group, socket));
      done();
    });
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { sender, raw } = request;
    if (sender === null || !hasBody(raw)) return done();
    unfinished.delete(sender.group, raw.socket);
    enterQueue(request, sender, done);
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    done(null, payload);
    const isStream = typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload);
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    request.leaveQueue(isStream ? STREAM_COST_MS : costMs(bytes));
  });
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

type RunInOrder = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Begins each request of a connection when the responses to its previous requests have left the process, so that there
 * is at most one unread response per connection. A connection with too many waiting requests is closed.
 */
function orderByConnection(): RunInOrder {
  const newest = new WeakMap<Socket, ServerResponse>();
  const pipelined = new WeakMap<Socket, number>();
  return ({ socket }, response, next) => {
    if (socket.destroyed) return;
    const previous = newest.get(socket);
    newest.set(socket, response);
    if (previous === undefined || previous.closed) return next();
    const count = (pipelined.get(socket) ?? 0) + 1;
    if (count >= MAX_PIPELINED) return void socket.destroy();
    pipelined.set(socket, count);
    previous.once('close', () => {
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1);
      if (!socket.destroyed) next();
    });
  };
}
