import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { onlyRow } from '../db/only_row.ts';
import type { Readers, Statement } from '../db/readers.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { foreignOrigin, malformed, unauthorized } from '../http/problem.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie } from '../http/session_cookie.ts';
import { makeKey, parseKey } from '../keys/key_format.ts';
import type { Caller } from '../keys/key_verifier.ts';

export const SESSION_PATH = '/session';

const SignIn = Compile(Type.Object({ api_key: Type.String({ maxLength: 200 }) }, { additionalProperties: false }));

const CREATE: Statement = { name: 'create_session', text: 'select create_session($1, $2, $3) as created' };
const EXTEND: Statement = { name: 'extend_session', text: 'select extend_session($1)' };
const END: Statement = { name: 'end_session', text: 'select end_session($1)' };
const SIGNED_IN: Statement = {
  name: 'signed_in',
  text: `select o.name, o.language, o.time_zone, o.phone, c.id as customer_id, c.name as customer_name
    from organizations o left join customers c on c.no = $2::int and c.organization_no = o.no
    where o.no = $1`,
};

interface SignedInRow {
  name: string;
  language: string;
  time_zone: string;
  phone: string | null;
  customer_id: string | null;
  customer_name: string | null;
}

/**
 * Registers the session of the console. POST exchanges an API key for a cookie, GET says who is signed in and keeps the
 * session alive, DELETE ends it. A page of another site cannot do any of it: it cannot read the answer of GET, and POST
 * and DELETE check the Origin header.
 */
export function registerSession(
  app: FastifyInstance,
  { readers, authenticator, publicUrl }: { readers: Readers; authenticator: Authenticator; publicUrl: string },
): void {
  const publicHost = URL.parse(publicUrl)?.host;
  /** Browsers send Origin with every POST and DELETE. A program that is no browser has none, and no cookie to misuse. */
  const checkOrigin = ({ headers: { origin, host } }: FastifyRequest): void => {
    if (origin === undefined) return;
    const from = URL.parse(origin)?.host;
    if (from === undefined || ![host, publicHost].includes(from)) throw foreignOrigin();
  };
  app.register(async (routes) => {
    routes.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    routes.addHook('onSend', (_request, reply, payload, done) => {
      reply.header('cache-control', 'no-store');
      done(null, payload);
    });

    routes.post(SESSION_PATH, async (request, reply) => {
      checkOrigin(request);
      const caller = await authenticator.verifyKey(readApiKey(request.body), request.ip);
      authenticator.admit(caller, reply);
      const session = makeKey(caller.keyPrefix.slice(0, 2));
      const rows = await readers.query<{ created: boolean }>(CREATE, [
        session.prefix,
        session.secretSha256,
        caller.keyNo,
      ]);
      if (!onlyRow(rows).created) throw unauthorized('This API key is expired or revoked.');
      return reply.code(204).header('set-cookie', setSessionCookie(session.text)).send();
    });

    routes.get(SESSION_PATH, async (request, reply) => {
      const caller = await authenticator.verify(request);
      authenticator.admit(caller, reply);
      const session = parseKey(sessionCookie(request.headers.cookie) ?? '');
      if (session !== undefined) await readers.query(EXTEND, [session.prefix]);
      return describeSession(readers, caller);
    });

    routes.delete(SESSION_PATH, async (request, reply) => {
      checkOrigin(request);
      const session = parseKey(sessionCookie(request.headers.cookie) ?? '');
      // Ending a session needs its secret, or anybody who has seen a prefix could end it.
      if (session !== undefined) {
        authenticator.admit(await authenticator.verify(request), reply);
        await readers.query(END, [session.prefix]);
      }
      return reply.code(204).header('set-cookie', clearSessionCookie()).send();
    });
  });
}

async function describeSession(readers: Readers, { organizationNo, customerNo }: Caller): Promise<object> {
  const row = onlyRow(await readers.query<SignedInRow>(SIGNED_IN, [organizationNo, customerNo]));
  return {
    object: 'session',
    organization: { name: row.name, language: row.language, time_zone: row.time_zone, phone: row.phone },
    customer: row.customer_id === null ? null : { id: row.customer_id, name: row.customer_name },
  };
}

function readApiKey(body: unknown): string {
  let content: unknown;
  try {
    content = JSON.parse(String(body));
  } catch {
    throw malformed(NOT_A_SIGN_IN);
  }
  if (!SignIn.Check(content)) throw malformed(NOT_A_SIGN_IN);
  return content.api_key;
}

const NOT_A_SIGN_IN = 'The body must be JSON with the API key, such as {"api_key": "..."}.';
