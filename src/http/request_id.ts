import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The caller's request id if it is safe to log and to return, otherwise a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID();
}
