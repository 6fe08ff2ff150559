import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isConflictOfWriters } from '../db/conflict_of_writers.ts';
import { DatabaseBusyError, DatabaseUnavailableError } from '../db/shared_connections.ts';
import { errorCode, LOCK_TIMEOUT } from '../values/error_code.ts';
import { explanationOf } from '../values/explanation.ts';
import {
  internalError,
  malformed,
  Problem,
  payloadTooLarge,
  tooManyAtOnce,
  unavailable,
  unsupportedMediaType,
} from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The type of the body, for messages. Routes of /v1 have none. */
    bodyType?: string;
    maxBodyBytes?: number;
  }
}

/**
 * The headers of every response. A browser must not guess another type than the declared one, must not run, load or
 * frame anything in a response that is not a page, and must not send an address with a secret to another site. Pages
 * have a policy of their own.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * Sends the response for an error. Logs errors with status 500 and above that have a cause. Errors of changes are
 * problems already: `api/manage/refusals.ts` converts them.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asProblem(error, request);
  if (problem.status >= 500 && problem.cause !== undefined)
    request.log.error({ request_id: request.id, ...reasonOf(problem.cause) }, problem.code);
  void reply
    .code(problem.status)
    .headers({ ...problem.headers, ...SECURITY_HEADERS, 'cache-control': 'no-store', 'x-request-id': request.id })
    .type('application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problem.body(request.id));
}

/** A cause with an explanation, such as a stopped database, is logged without its stack trace. */
function reasonOf(cause: unknown): object {
  const explanation = explanationOf(cause);
  return explanation === undefined ? { err: cause } : { reason: explanation.sentence };
}

/** The SQLSTATE of a statement that exceeded its time limit. */
const STATEMENT_CANCELLED = '57014';

function asProblem(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailableError)
    return unavailable('The database cannot be reached. Try again in a few seconds.', error);
  if (error instanceof DatabaseBusyError) return tooManyAtOnce();
  if (!(error instanceof Error)) return internalError(error);
  const code = errorCode(error);
  if (code === STATEMENT_CANCELLED) return unavailable('The request took too long. Try again in a few seconds.', error);
  if (isConflictOfWriters(error)) return unavailable('Others changed the same data. Try again.', error);
  if (code === LOCK_TIMEOUT) return unavailable('Your data is being changed. Try again in a minute.', error);
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const { bodyType } = request.routeOptions.config;
    return unsupportedMediaType(bodyType && `The body must have the type ${bodyType}.`);
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { maxBodyBytes } = request.routeOptions.config;
    return maxBodyBytes === undefined
      ? malformed('The body is larger than the limit.', error)
      : payloadTooLarge(maxBodyBytes);
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return malformed('The request line, the headers or the body could not be read.', error);
  }
  return internalError(error);
}

/** If Node's HTTP parser rejects the bytes, there is no request object, so the response is written to the socket. */
export function sendParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Browsers open connections in advance. A browser that receives a response on an unused connection shows it as the
  // response to its next request. If the connection is closed instead, the browser opens another one.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (isUnused || error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const reason = PARSER_ERRORS[error.code ?? ''] ?? 'The request is not a well-formed HTTP/1.1 request.';
  const body = JSON.stringify(malformed(reason).body(id));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json; charset=utf-8\r\nX-Request-Id: ${id}\r\n` +
      `${SECURITY_LINES}Cache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const SECURITY_LINES = Object.entries(SECURITY_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const PARSER_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};
