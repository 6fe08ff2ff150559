import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, type KeyVerifier, senderOf } from '../keys/key_verifier.ts';
import { addressGroup } from '../network/client_address.ts';
import { type Sender, senderAlone, Turns } from '../values/turns.ts';
import { MAX_PLACES_PER_GROUP, MIN_PLACES, PlacesByCost } from './places_by_cost.ts';
import { tooManyAtOnce } from './problem.ts';
import { sessionCookie } from './session_cookie.ts';
import { UnfinishedRequests } from './unfinished_requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request, for taking turns. Null before the hooks. */
    sender: Sender | null;
    /** The holder of the key, if it was verified from memory in this turn of the event loop. */
    knownCaller: Caller | null;
    /** Whether it is in progress: it has begun, and its answer is not ready. */
    isInProgress: boolean;
    /** Ends the turn. For a request that begins to wait in a line of its own: waiting is no load, and others need the place. */
    leaveTurn(): void;
  }
}

/** Of one connection. HTTP clients that send requests without waiting for answers are rare; proxies never do. */
const MAX_PIPELINED = 64;
/** A key may send a burst of 1,000 requests. A waiting request has about 8 KB. */
const REQUEST_LIMITS = {
  placesPerMember: Number.POSITIVE_INFINITY,
  waitingPerMember: 1_000,
  waiting: 4_096,
};

export interface TakeTurnsOptions {
  keys: KeyVerifier;
  sessions?: KeyVerifier;
  /** In progress, of all senders. Or as many as fit what requests cost this thread. */
  places: number | 'by cost';
  /** Of each organization or address, also if no place is free. */
  ownPlaces: number;
}

/**
 * Lets the senders of requests take turns: organizations, and in each its keys and sessions. A request takes part when its body has arrived, and until its answer is ready:
 * neither a slow upload nor a slow download is load, and a live stream is an answer that is ready. Call it before other hooks
 * are added.
 */
export function takeTurns(app: FastifyInstance, options: TakeTurnsOptions): void {
  const { keys, sessions, places, ownPlaces } = options;
  const byCost = { places: MIN_PLACES, placesPerGroup: MAX_PLACES_PER_GROUP, ownPlacesOfWaiting: 2 * MIN_PLACES };
  const fixed = (count: number) => ({ places: count, placesPerGroup: count });
  const turns = new Turns({ ...(places === 'by cost' ? byCost : fixed(places)), ownPlaces, ...REQUEST_LIMITS });
  const placesByCost = places === 'by cost' ? new PlacesByCost(turns) : null;
  const unfinished = new UnfinishedRequests();
  const inOrder = orderOfConnections();

  /** A key that is in memory and verified, else the address that a trusted proxy names, or that of the connection. */
  const findSender = (request: FastifyRequest): Sender => {
    const { headers, url } = request;
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
    // A load balancer must not take a busy process for a dead one, so its probes do not wait for other requests.
    const isProbe = url === '/healthz' || url === '/readyz';
    return senderAlone(`${isProbe ? 'probe' : 'address'} ${addressGroup(request.ip)}`);
  };

  const takeTurn = (request: FastifyRequest, sender: Sender, done: (error?: Error) => void): void => {
    let hasWaited = false;
    const isAccepted = turns.enter(sender, (hasWaitedTooLong) => {
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
    else if (!request.isInProgress) placesByCost?.adapt();
  };

  app.decorateRequest('sender', null);
  app.decorateRequest('knownCaller', null);
  app.decorateRequest('isInProgress', false);
  app.decorateRequest('leaveTurn', function leaveTurn(this: FastifyRequest): void {
    if (!this.isInProgress || this.sender === null) return;
    this.isInProgress = false;
    turns.leave(this.sender);
  });
  app.addHook('onRequest', (request, reply, done) => {
    inOrder(request.raw, reply.raw, () => {
      const sender = findSender(request);
      request.sender = sender;
      if (!hasBody(request.raw)) return takeTurn(request, sender, done);
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
    takeTurn(request, sender, done);
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    done(null, payload);
    request.leaveTurn();
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

type InOrder = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Begins each request of a connection when the answers to those before it have left the process. So the answers that a client
 * does not read are one for each connection. A connection with too many requests is closed.
 */
function orderOfConnections(): InOrder {
  const newest = new WeakMap<Socket, ServerResponse>();
  const pipelined = new WeakMap<Socket, number>();
  return ({ socket }, response, next) => {
    if (socket.destroyed) return;
    const before = newest.get(socket);
    newest.set(socket, response);
    if (before === undefined || before.closed) return next();
    const count = (pipelined.get(socket) ?? 0) + 1;
    if (count >= MAX_PIPELINED) return void socket.destroy();
    pipelined.set(socket, count);
    before.once('close', () => {
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1);
      if (!socket.destroyed) next();
    });
  };
}
