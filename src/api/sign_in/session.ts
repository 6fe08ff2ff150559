import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AccessWriters } from '../../db/access_writers.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import type { Authenticator } from '../../http/authenticate.ts';
import { originCheck } from '../../http/check_origin.ts';
import { malformed, Problem, unauthorized } from '../../http/problem.ts';
import {
  clearSessionCookie,
  clearSignInCookie,
  sessionCookie,
  setSessionCookie,
  signInCookie,
} from '../../http/session_cookie.ts';
import { OWNER_RIGHTS, rightsOf } from '../../keys/console_roles.ts';
import { parseKey } from '../../keys/key_format.ts';
import { type Caller, isOwner, senderOf } from '../../keys/key_verifier.ts';
import { emergencyNumber } from '../../mail/emergency_number.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import type { CapacityUnit } from '../../values/capacity_unit.ts';
import { countryOf } from '../../values/country.ts';
import { commonProduct, PRODUCT_NAMES, type Product } from '../../values/products.ts';
import { parseBody } from '../json_body.ts';
import { Closed } from '../schemas/values.ts';
import { registerIssuerList, registerIssuerSignIn } from './issuer_routes.ts';
import type { IssuerSignIn } from './issuer_sign_in.ts';
import { MailSignIn } from './mail_sign_in.ts';
import { newSession } from './new_session.ts';
import { registerPush } from './push_routes.ts';
import { registerReminders } from './reminders_route.ts';
import { registerMailSignIn } from './sign_in_routes.ts';

export const SESSION_PATH = '/session';

const SignIn = Type.Union([
  Closed({ api_key: Type.String({ maxLength: 200 }) }),
  Closed({ code: Type.String({ maxLength: 20 }) }),
  Closed({ choice: Type.String({ format: 'uuid' }) }),
]);
type SignIn = Static<typeof SignIn>;
const signInSchema = Compile(SignIn);
const NOT_A_SIGN_IN =
  'The body must be JSON with an API key, the code of a mail, or a choice, such as {"api_key": "..."} or {"code": "12345678"}.';

const BEGIN: Statement = { name: 'begin_session', text: 'select begin_session($1, $2, $3, $4) as begun' };
const KEY_BEGINNING: Statement = { name: 'key_beginning', text: 'select key_beginning($1) as beginning' };
const END: Statement = { name: 'end_session', text: 'select end_session($1)' };
const SIGNED_IN: Statement = {
  name: 'signed_in',
  text: `select o.name, o.language, o.time_zone, o.phone, o.emergency_phone, o.safety_steps, o.default_product,
           -- The products of the organization are looked up in an index. An owner has few tanks.
           array(
             select p.name from unnest($5::text[]) as p (name)
             where case when c.no is null
               then p.name = o.default_product
                 or exists (select from tanks t where t.organization_no = o.no and t.product = p.name and t.deleted_at is null)
               else exists (select from tanks t where t.owner_no = c.no and coalesce(t.product, o.default_product) = p.name
                 and t.deleted_at is null) end
           ) as products,
           -- The unit of the trucks, because their meters measure deliveries. Most organizations have one unit.
           coalesce(
             (select k.capacity_unit from trucks k where k.organization_no = o.no and k.archived_at is null order by k.no limit 1),
             (select t.capacity_unit from tanks t where t.organization_no = o.no and t.deleted_at is null order by t.created_at, t.no limit 1)
           ) as volume_unit,
           c.id as customer_id, c.name as customer_name,
           (select u.at from reminder_unsubscribes u where u.customer_no = c.no) as reminders_off_since,
           p.id as person_id, p.email as person_email, p.name as person_name, p.language as person_language,
           i.id as issuer_id, coalesce(i.label, o.name) as issuer_label, extract(epoch from i.latest_end - now())::int as seconds_left
    from organizations o left join customers c on c.no = $2::int and c.organization_no = o.no
      left join contact_settings p on p.no = $3::int and p.organization_no = o.no
      left join session_issuers i on i.prefix = $4
    where o.no = $1`,
};

interface SignedInRow {
  name: string;
  language: string;
  time_zone: string;
  phone: string | null;
  emergency_phone: string | null;
  safety_steps: string[] | null;
  default_product: string;
  products: Product[];
  /** Null without trucks and tanks. */
  volume_unit: CapacityUnit | null;
  customer_id: string | null;
  customer_name: string | null;
  reminders_off_since: string | null;
  person_id: string | null;
  person_email: string | null;
  person_name: string | null;
  person_language: string | null;
  issuer_id: string | null;
  issuer_label: string | null;
  seconds_left: number | null;
}

export interface SessionOptions {
  readers: Readers;
  writers: AccessWriters;
  authenticator: Authenticator;
  publicUrl: string;
  /** Whether people can sign in by mail. */
  hasMails: boolean;
  /** Whether this api serves changes (/manage/v1). */
  hasManagement: boolean;
  /** Undefined if signing in with an issuer is not possible. */
  issuerSignIn: IssuerSignIn | undefined;
  /** Which addresses push services may have. */
  pushAddresses: AddressConfig;
}

/**
 * Registers the session of the console. POST exchanges an API key, the code of a mail or a choice for a cookie; GET says
 * who is signed in; DELETE ends the session. A page of another site cannot do any of it: it cannot read the response of
 * GET, and POST and DELETE check the Origin header.
 */
export function registerSession(app: FastifyInstance, options: SessionOptions): void {
  const { readers, writers, authenticator, publicUrl, hasMails, issuerSignIn } = options;
  const checkOrigin = originCheck(publicUrl);
  const mailSignIn = new MailSignIn(writers, authenticator);

  const beginWithKey = async (apiKey: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = await authenticator.verifyKey(apiKey, request.ip);
    authenticator.admit(caller, reply);
    const key = parseKey(apiKey);
    const db = writers.as(senderOf(caller));
    const { beginning } = onlyRow(await db.query<{ beginning: string }>(KEY_BEGINNING, [caller.organizationNo]));
    const { text, result } = await newSession(beginning, (...session) =>
      db.query<{ begun: boolean }>(BEGIN, [key?.prefix, key?.secretSha256, ...session]),
    );
    if (!onlyRow(result).begun) throw unauthorized('This API key is expired or revoked.');
    return reply
      .code(204)
      .header('set-cookie', setSessionCookie(text, { isOwner: false }))
      .send();
  };

  app.register(async (routes) => {
    routes.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    routes.addHook('onSend', (_request, reply, payload, done) => {
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      done(null, payload);
    });

    routes.post(SESSION_PATH, async (request, reply) => {
      checkOrigin(request);
      const body: SignIn = parseBody(signInSchema, request.body, NOT_A_SIGN_IN);
      if ('api_key' in body) return beginWithKey(body.api_key, request, reply);
      if (!hasMails) throw malformed('Nobody can sign in by mail here. Send an API key.');
      const browser = signInCookie(request.headers.cookie) ?? '';
      const address = mailSignIn.forAddress(request.ip);
      const result =
        'code' in body
          ? await address.redeemCode(browser, body.code, request.ip)
          : await address.choose(browser, body.choice);
      return mailSignIn.sendSignInResult(reply, result);
    });

    routes.get(SESSION_PATH, async (request, reply) => {
      try {
        const caller = await authenticator.verify(request);
        authenticator.admit(caller, reply);
        return await describeSession(readers.as(senderOf(caller)), caller, options);
      } catch (error) {
        // The console reads from WWW-Authenticate how a person can sign in.
        if (!(error instanceof Problem && error.code === 'unauthorized')) throw error;
        const others = [...(hasMails ? ['Mail'] : []), ...(issuerSignIn ? ['OpenID'] : [])];
        throw unauthorized(error.message, ['ApiKey', ...others]);
      }
    });

    routes.delete(SESSION_PATH, async (request, reply) => {
      checkOrigin(request);
      const cookie = sessionCookie(request.headers.cookie) ?? '';
      const session = parseKey(cookie);
      // Ending a session needs its secret, even if the request has an API key. Otherwise anybody who has seen the
      // prefix of a session could end it.
      const cookies = [clearSessionCookie(), clearSignInCookie()];
      if (session === undefined) return reply.code(204).header('set-cookie', cookies).send();
      const caller = await authenticator.verifySession(cookie, request.ip);
      authenticator.admit(caller, reply);
      await writers.as(senderOf(caller)).query(END, [session.prefix]);
      reply.header('set-cookie', cookies);
      // After the end, because it throws if the client secret of the issuer cannot be decrypted.
      const endSessionUrl = await issuerSignIn?.forAddress(request.ip).endSessionUrl(session.prefix);
      if (typeof endSessionUrl !== 'string') return reply.code(204).send();
      // The person is still signed in at the provider. Several people may use this computer.
      return reply.send({ object: 'sign_out', end_session_url: endSessionUrl });
    });

    if (hasMails) registerMailSignIn(routes, mailSignIn, checkOrigin);
    registerReminders(routes, writers, authenticator, checkOrigin);
    registerPush(routes, options, checkOrigin);
    registerIssuerList(routes, issuerSignIn, authenticator);
    if (issuerSignIn) registerIssuerSignIn(routes, issuerSignIn, authenticator, checkOrigin);
  });
}

async function describeSession(
  readers: Readers,
  caller: Caller,
  { hasManagement, hasMails }: SessionOptions,
): Promise<object> {
  const { organizationNo, customerNo, contactNo, roles, keyPrefix } = caller;
  const row = onlyRow(
    await readers.query<SignedInRow>(SIGNED_IN, [organizationNo, customerNo, contactNo, keyPrefix, PRODUCT_NAMES]),
  );
  return {
    object: 'session',
    organization: {
      name: row.name,
      language: row.language,
      time_zone: row.time_zone,
      // The unit that forms show first.
      volume_unit: row.volume_unit ?? (countryOf(row.language) === 'US' ? 'gallons' : 'liters'),
      phone: row.phone,
      // The country of the organization's language, for the emergency number.
      country: countryOf(row.language),
      emergency_number: emergencyNumber(row),
      safety_steps: row.safety_steps,
      default_product: row.default_product,
      // The product for texts about several tanks. `other` if the tanks hold different products.
      common_product: commonProduct(row.products) ?? row.default_product,
    },
    customer:
      row.customer_id === null
        ? null
        : { id: row.customer_id, name: row.customer_name, reminders_off_since: row.reminders_off_since },
    // Null for an owner, and for a session that began with a key.
    person:
      row.person_id === null
        ? null
        : { id: row.person_id, email: row.person_email, name: row.person_name, language: row.person_language },
    // Null if the session began with a mail or a key. A session that began with an issuer has a fixed maximum length.
    // The response gives the seconds left and not the end time, because the clock of the browser may be wrong.
    issuer:
      row.issuer_id === null ? null : { id: row.issuer_id, label: row.issuer_label, seconds_left: row.seconds_left },
    roles,
    // Whether people can be invited and sign in by mail.
    mails: hasMails,
    can: hasManagement ? (isOwner(caller) ? OWNER_RIGHTS : rightsOf(roles)) : [],
  };
}
