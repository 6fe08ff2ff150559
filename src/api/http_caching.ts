import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasBody } from '../http/queue_fairly.ts';

/**
 * Removes the content type of a request without a body. Many clients send `Content-Type: application/json` with every
 * GET, which would get 415.
 */
export function dropContentTypeWithoutBody(request: IncomingMessage): void {
  if (!hasBody(request)) delete request.headers['content-type'];
}

/**
 * Sets a strong ETag of the body. Returns null, with status 304, if the caller already has this body. Otherwise returns
 * the bytes of the body, so that the text is encoded once instead of three times: for the hash, the length and the
 * socket.
 */
export function applyConditionalGet(request: FastifyRequest, reply: FastifyReply, payload: string): Buffer | null {
  const body = Buffer.from(payload);
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  return applyEtag(request, reply, etag) ? null : body;
}

/** Sets the ETag. Returns whether the caller already has this body; the status is then 304. */
export function applyEtag(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag);
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch === undefined || !matches(ifNoneMatch, etag)) return false;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return true;
}

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

const EXPOSED_HEADERS = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Tankwatch-Zone, X-Request-Id';

/** Allows the configured origins to read from a browser. Without a configured origin, no CORS header is sent. */
export function applyCors(origins: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  if (origins.length === 0) return;
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return;
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method === 'OPTIONS') {
    reply
      .header('access-control-allow-methods', 'GET, HEAD')
      .header('access-control-allow-headers', 'X-API-Key, X-Request-Id, If-None-Match')
      .header('access-control-max-age', '86400');
  }
}
