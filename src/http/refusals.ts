import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECURITY_HEADERS } from './error_response.ts';
import { overloaded } from './problem.ts';
import { requestId } from './request_id.ts';

/** A refusal is sent after this time, so that a client that waits for its answer cannot send the next request at once. */
const MIN_DELAY_MS = 100;
const TICK_MS = 10;
/** The share of the time in which refusals are sent. With more of them, clients wait longer for theirs. */
const MAX_TIME_SHARE = 0.1;
/** Of one connection. A client that sends more requests without waiting loses its connection after so many refusals. */
const MAX_PER_CONNECTION = 100;

interface Refused {
  request: IncomingMessage;
  response: ServerResponse;
}

interface RefusedConnection {
  atMs: number;
  waiting: Refused[];
  onClose: () => void;
}

/**
 * Answers refused requests with 503, later and in a bounded share of the time: refusing must not take the CPU that other
 * requests need. A connection is not read while its refusals wait, so that its next requests cost nothing.
 */
export class Refusals {
  /** In the order of their first refusal. */
  readonly #connections = new Map<Socket, RefusedConnection>();
  #timer: NodeJS.Timeout | undefined;
  #tickAtMs = 0;

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const known = this.#connections.get(socket);
    if (known !== undefined) {
      // What comes after the last refusal gets no answer: the connection ends with that one.
      if (known.waiting.length < MAX_PER_CONNECTION) known.waiting.push({ request, response });
      return;
    }
    const onClose = (): void => void this.#connections.delete(socket);
    socket.once('close', onClose);
    this.#connections.set(socket, { atMs: performance.now(), waiting: [{ request, response }], onClose });
    // Only after this turn of the event loop: until then, Node resumes the socket after each request that it has parsed.
    setImmediate(() => {
      if (this.#connections.has(socket)) socket.pause();
    });
    this.#timer ??= this.#start();
  }

  #start(): NodeJS.Timeout {
    this.#tickAtMs = performance.now();
    return setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const startMs = performance.now();
    const endMs = startMs + Math.min(50, startMs - this.#tickAtMs) * MAX_TIME_SHARE;
    this.#tickAtMs = startMs;
    for (const [socket, { atMs, waiting, onClose }] of this.#connections) {
      if (startMs - atMs < MIN_DELAY_MS) return;
      this.#connections.delete(socket);
      socket.off('close', onClose); // a connection can be refused many times
      refuseAll(socket, waiting);
      if (performance.now() > endMs) return;
    }
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function refuseAll(socket: Socket, waiting: readonly Refused[]): void {
  socket.cork();
  for (const [at, { request, response }] of waiting.entries()) refuse(request, response, at === MAX_PER_CONNECTION - 1);
  socket.uncork();
  socket.resume();
}

const ID = 'the request id';
const PROBLEM = overloaded();
const [BEFORE_ID = '', AFTER_ID = ''] = JSON.stringify(PROBLEM.body(ID)).split(ID);
/** Names and values in turn, which Node writes without looking at each. */
const HEADERS = Object.entries({
  ...PROBLEM.headers,
  ...SECURITY_HEADERS,
  'cache-control': 'no-store',
  'content-type': 'application/problem+json; charset=utf-8',
}).flat();

function refuse(request: IncomingMessage, response: ServerResponse, isLast: boolean): void {
  const id = requestId(request);
  const body = `${BEFORE_ID}${id}${AFTER_ID}`;
  request.resume(); // the body is not needed
  response
    .writeHead(PROBLEM.status, [
      ...HEADERS,
      'x-request-id',
      id,
      'content-length',
      String(Buffer.byteLength(body)),
      ...(isLast ? ['connection', 'close'] : []),
    ])
    .end(body);
}
