import type { FastifyReply, FastifyRequest } from 'fastify';
import { TEXT_REPORT_PATH } from '../duty/send_text.ts';
import { methodNotAllowed, notFound } from '../http/problem.ts';
import { DRIVER_PATHS } from './driver/driver_routes.ts';
import { MANAGE_OPERATIONS } from './manage/operations.ts';
import { REFERENCE_PATHS } from './openapi/api_reference.ts';
import { OPERATIONS } from './operations.ts';
import { LINK_PATH, RESUBSCRIBE_PATH } from './pages/link_pages.ts';
import { SECURITY_TXT_PATH } from './pages/security_txt.ts';
import { ISSUER_PATHS } from './sign_in/issuer_routes.ts';
import { PUSH_PATHS } from './sign_in/push_routes.ts';
import { REMINDERS_PATH } from './sign_in/reminders_route.ts';
import { SESSION_PATH } from './sign_in/session.ts';
import { SIGN_IN_PATHS } from './sign_in/sign_in_routes.ts';

/** All paths with the methods they allow. */
const KNOWN_PATHS = [
  ...[
    ...OPERATIONS.map((operation) => operation.path),
    ...REFERENCE_PATHS,
    SECURITY_TXT_PATH,
    '/healthz',
    '/readyz',
  ].map((path) => [path, 'GET, HEAD'] as const),
  [LINK_PATH, 'GET, HEAD, POST'] as const,
  [TEXT_REPORT_PATH, 'GET, HEAD, POST'] as const,
  [RESUBSCRIBE_PATH, 'POST'] as const,
  [REMINDERS_PATH, 'POST'] as const,
  [PUSH_PATHS.browsers, 'GET, HEAD, POST, PUT'] as const,
  [PUSH_PATHS.browser, 'DELETE'] as const,
  [PUSH_PATHS.test, 'POST'] as const,
  [DRIVER_PATHS.round, 'GET, HEAD'] as const,
  [DRIVER_PATHS.entry, 'PUT'] as const,
  [DRIVER_PATHS.blockRead, 'PUT'] as const,
  [SESSION_PATH, 'GET, HEAD, POST, DELETE'] as const,
  [SIGN_IN_PATHS.mails, 'POST'] as const,
  [SIGN_IN_PATHS.link, 'GET, HEAD, POST'] as const,
  [SIGN_IN_PATHS.choices, 'GET, HEAD'] as const,
  [ISSUER_PATHS.list, 'GET, HEAD'] as const,
  [ISSUER_PATHS.begin, 'POST'] as const,
  [ISSUER_PATHS.callback, 'GET, HEAD'] as const,
  ...Map.groupBy(MANAGE_OPERATIONS, ({ path }) => path)
    .entries()
    .map(([path, operations]) => {
      const methods = operations.map(({ method }) => method);
      return [path, methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')] as const;
    }),
].map(([path, allow]) => ({ pattern: new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`), allow }));

/** `/v1/tanks/` matches the route `/v1/tanks/:id` with an empty id. */
export function hasEmptyParameter({ params }: FastifyRequest): boolean {
  // The rest of a path, `*`, may be empty: /console/ is a page.
  return Object.entries(params ?? {}).some(([name, value]) => name !== '*' && value === '');
}

/** Rejects a request that no route matched: the path is unknown, or does not allow the method. It needs no API key. */
export async function rejectUnmatchedRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = request.url.split('?')[0] ?? '';
  const allow = KNOWN_PATHS.find(({ pattern }) => pattern.test(path))?.allow;
  const isAllowed = allow?.split(', ').includes(request.method); // allowed, but without a route: the page is disabled
  if (allow === undefined || isAllowed) throw notFound('path');
  if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, allow);
  await reply.code(204).header('allow', `${allow}, OPTIONS`).send();
}
