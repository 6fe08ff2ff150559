import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AccessWriters } from '../../db/access_writers.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { normalizeChannels, QUICK_CHANNELS } from '../../duty/contact_reach.ts';
import type { Authenticator } from '../../http/authenticate.ts';
import { findSendProblem } from '../../http/outgoing_address.ts';
import { conflict, malformed, notFound, personOnly, unauthorized } from '../../http/problem.ts';
import { type Caller, senderOf } from '../../keys/key_verifier.ts';
import { keysOf, subscription } from '../../push/subscriptions.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import { errorCode, UNIQUE_VIOLATION } from '../../values/error_code.ts';
import { isUuid } from '../../values/uuid7.ts';
import { parseBody } from '../json_body.ts';
import { Closed } from '../schemas/values.ts';

export const PUSH_PATHS = {
  browsers: '/session/push',
  browser: '/session/push/:id',
  test: '/session/push/:id/test',
} as const;

/** The public key is null before the first worker has run. */
const STATE: Statement = {
  name: 'push_state',
  text: `select (select public_key from push_keys) as public_key, coalesce((
           select json_agg(json_build_object('id', s.id, 'name', s.name,
             'created_at', to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.created_at, s.id)
           from push_subscriptions s where s.contact_no = $1
         ), '[]') as browsers,
         coalesce(r.by_push, true) as by_push, coalesce(r.low_by, '{}') as low_by, coalesce(r.other_by, '{}') as other_by
         from (select $1::int as contact_no) as person left join contact_reach r on r.no = person.contact_no`,
};
/**
 * A browser that sends its id ($6) is stored only if it still is a browser of the person, because the person may have
 * removed it from another browser.
 */
const STORE: Statement = {
  name: 'store_push_subscription',
  text: `select is_known, case when is_known then store_push_subscription($1, $2, $3, $4, $5) end as id
         from (select $6::uuid is null or exists (select from push_subscriptions s where s.id = $6 and s.contact_no = $7) as is_known) as browser`,
};
const REMOVE: Statement = {
  name: 'remove_push_subscription',
  text: 'select remove_push_subscription($1, $2) as is_done',
};
const TEST: Statement = { name: 'test_push', text: 'select test_push($1, $2) as is_done' };

const CHOOSE: Statement = { name: 'choose_channels', text: 'select choose_channels($1, $2, $3, $4)' };

const quick = Type.Array(Type.Enum([...QUICK_CHANNELS]), { maxItems: 2, uniqueItems: true });
const choice = Compile(Closed({ by_push: Type.Boolean(), low_by: quick, other_by: quick }));
const NOT_A_CHOICE = 'The body must be JSON such as {"by_push": true, "low_by": ["push"], "other_by": []}.';
const NOT_A_SUBSCRIPTION =
  'The body must be JSON with what PushSubscription.toJSON() gives (endpoint, keys), and a name.';

interface PushOptions {
  readers: Readers;
  writers: AccessWriters;
  authenticator: Authenticator;
  /** Which addresses push services may have. */
  pushAddresses: AddressConfig;
}

interface BrowserRoute {
  Params: { id: string };
}

/**
 * Registers the routes with which a person turns notifications in browsers on and off. They need a session, because
 * signing out turns the notifications off.
 */
export function registerPush(
  routes: FastifyInstance,
  { readers, writers, authenticator, pushAddresses }: PushOptions,
  checkOrigin: (request: FastifyRequest) => void,
): void {
  /** The person who sent the request. Throws 401, 403 or 429. */
  const readPerson = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller & { contactNo: number }> => {
    checkOrigin(request);
    const caller = await authenticator.verify(request);
    authenticator.admit(caller, reply);
    const { contactNo } = caller;
    if (contactNo === null) throw personOnly();
    return { ...caller, contactNo };
  };

  routes.get(PUSH_PATHS.browsers, async (request, reply) => {
    const caller = await readPerson(request, reply);
    return {
      object: 'push_browsers',
      ...onlyRow(await readers.as(senderOf(caller)).query<object>(STATE, [caller.contactNo])),
    };
  });

  routes.post(PUSH_PATHS.browsers, async (request, reply) => {
    const caller = await readPerson(request, reply);
    const { endpoint, keys, name, id: sentId } = parseBody(subscription, request.body, NOT_A_SUBSCRIPTION);
    const browserKeys = keysOf(keys);
    if (browserKeys === undefined) throw malformed(NOT_A_SUBSCRIPTION);
    const problem = await findSendProblem(endpoint, pushAddresses);
    if (problem?.isCertain === true) throw malformed(`endpoint: ${problem.reason}.`);
    const { p256dh, auth } = browserKeys;
    const stored = await writers
      .as(senderOf(caller))
      .query<{ is_known: boolean; id: string | null }>(STORE, [
        caller.keyPrefix,
        endpoint,
        p256dh,
        auth,
        name,
        sentId ?? null,
        caller.contactNo,
      ])
      .catch((error: unknown) => {
        if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
        throw conflict('Another browser has this endpoint. Unsubscribe in this one, and subscribe again.');
      });
    const { is_known: isKnown, id } = onlyRow(stored);
    if (!isKnown) throw notFound('browser');
    if (id === null) throw unauthorized('Your session has ended. Sign in again.');
    return reply.code(201).send({ object: 'push_browser', id });
  });

  routes.put(PUSH_PATHS.browsers, async (request, reply) => {
    const caller = await readPerson(request, reply);
    const { by_push, low_by, other_by } = parseBody(choice, request.body, NOT_A_CHOICE);
    await writers
      .as(senderOf(caller))
      .query(CHOOSE, [caller.contactNo, by_push, normalizeChannels(low_by), normalizeChannels(other_by)]);
    return reply.code(204).send();
  });

  /**
   * Runs a statement about one browser of the person. Throws 404 if its result is null, because there is no such
   * browser.
   */
  const runForBrowser = async (
    statement: Statement,
    request: FastifyRequest<BrowserRoute>,
    reply: FastifyReply,
  ): Promise<boolean> => {
    const caller = await readPerson(request, reply);
    const { id } = request.params;
    if (!isUuid(id)) throw notFound('browser');
    const values = [caller.contactNo, id];
    const rows = await writers.as(senderOf(caller)).query<{ is_done: boolean | null }>(statement, values);
    const { is_done: isDone } = onlyRow(rows);
    if (isDone === null) throw notFound('browser');
    return isDone;
  };

  routes.delete<BrowserRoute>(PUSH_PATHS.browser, async (request, reply) => {
    await runForBrowser(REMOVE, request, reply); // false if the browser was removed before
    return reply.code(204).send();
  });

  routes.post<BrowserRoute>(PUSH_PATHS.test, async (request, reply) => {
    if (!(await runForBrowser(TEST, request, reply)))
      throw conflict('Ten tests were sent to you today. Try again tomorrow.');
    return reply.code(202).send({ object: 'push_test' });
  });
}
