import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The caller's request id if it is safe to log and to return, otherwise a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : randomUUID();
}
