import type { FastifyRequest } from 'fastify';
import { malformed, unauthorized, unsupportedMediaType } from '../../http/problem.ts';
import { sessionCookie } from '../../http/session_cookie.ts';
import { parseKey } from '../../keys/key_format.ts';
import { isOwner, senderOf } from '../../keys/key_verifier.ts';
import { bodyTypesOf, type ManageOperation } from './manage_operation.ts';

export type ManageHttpRequest = FastifyRequest<{
  Params: Record<string, string>;
  Querystring: { given: URLSearchParams };
}>;

/** The text of the body, without a byte order mark. Empty without a body. */
export const textOf = ({ body }: FastifyRequest): string =>
  typeof body === 'string' ? body.replace(/^\uFEFF/, '') : '';

/** The first bytes of gzip, read as UTF-8. */
const GZIP = '\u001f\uFFFD';

/** Throws 400 or 415 if the body cannot be read. */
export function checkMediaType(operation: ManageOperation, request: FastifyRequest): void {
  const { headers, body } = request;
  const wanted = bodyTypesOf(operation).join(' or ');
  if (body === undefined || body === '' || (Buffer.isBuffer(body) && body.length === 0))
    throw malformed(`The request has no body. Send one of the type ${wanted}.`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || textOf(request).startsWith(GZIP))
    throw unsupportedMediaType(
      'The body is compressed. Send it uncompressed, and without the header Content-Encoding.',
    );
  const given = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!bodyTypesOf(operation).includes(given)) throw unsupportedMediaType(`The body must have the type ${wanted}.`);
}

/** The caller of a request, whose key or session the hooks have verified. */
export function callerOf({ caller, headers }: ManageHttpRequest) {
  const given = headers['x-api-key'] ?? sessionCookie(headers.cookie);
  const credential = typeof given === 'string' ? parseKey(given) : undefined;
  if (caller === null || credential === undefined) throw unauthorized('Send your API key in the header X-API-Key.');
  return { sender: senderOf(caller), organizationNo: caller.organizationNo, credential, isOwner: isOwner(caller) };
}
