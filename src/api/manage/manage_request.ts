import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { unauthorized, unsupportedMediaType } from '../../http/problem.ts';
import { sessionCookie } from '../../http/session_cookie.ts';
import { type ApiKey, parseKey } from '../../keys/key_format.ts';
import { isOwner, senderOf } from '../../keys/key_verifier.ts';
import type { Sender } from '../../values/fair_queue.ts';
import { bodyTypeOf, type ManageOperation } from './operation.ts';

export type ManageHttpRequest = FastifyRequest<{
  Params: Record<string, string>;
  Querystring: { given: URLSearchParams };
}>;

/** The parsers give the text as it is. Empty without a body. */
export const textOf = ({ body }: FastifyRequest): string => (typeof body === 'string' ? body : '');

export function checkMediaType(operation: ManageOperation, headers: IncomingHttpHeaders): void {
  const wanted = bodyTypeOf(operation);
  const given = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (given !== wanted) throw unsupportedMediaType(`The body must have the type ${wanted}.`);
}

/** The hooks have verified the caller: a key, or the session of a person. */
export function callerOf({ caller, headers }: ManageHttpRequest): {
  sender: Sender;
  organizationNo: number;
  key: ApiKey;
  isOwner: boolean;
} {
  const given = headers['x-api-key'] ?? sessionCookie(headers.cookie);
  const key = typeof given === 'string' ? parseKey(given) : undefined;
  if (caller === null || key === undefined) throw unauthorized('Send your API key in the header X-API-Key.');
  return { sender: senderOf(caller), organizationNo: caller.organizationNo, key, isOwner: isOwner(caller) };
}
