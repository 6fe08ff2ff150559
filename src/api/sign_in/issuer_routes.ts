import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Authenticator } from '../../http/authenticate.ts';
import { malformed } from '../../http/problem.ts';
import {
  clearIssuerCookie,
  clearSignInCookie,
  issuerCookie,
  sessionCookie,
  setIssuerCookie,
  setSessionCookie,
} from '../../http/session_cookie.ts';
import { parseKey } from '../../keys/key_format.ts';
import { paragraph } from '../../mail/html.ts';
import { languageOf } from '../../mail/locale.ts';
import { PAGE_TEXTS } from '../../mail/page_texts.ts';
import { ProviderError } from '../../oidc/provider_sign_in.ts';
import { parseBody } from '../json_body.ts';
import { NO_ORGANIZATION, sendPage } from '../pages/link_pages.ts';
import { Closed } from '../schemas/values.ts';
import { ISSUER_SIGN_IN_MS, type IssuerSignIn } from './issuer_sign_in.ts';
import { ISSUER_TEXTS, type IssuerFailure } from './issuer_texts.ts';
import { isConsolePage } from './return_page.ts';

export const ISSUER_PATHS = {
  list: '/session/issuers',
  begin: '/session/issuers/:id',
  callback: '/session/issuers/:id/callback',
} as const;

const BeginRequest = Compile(
  Closed({
    return_to: Type.Optional(Type.String({ maxLength: 500 })),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    silent: Type.Optional(Type.Boolean()),
    link: Type.Optional(Type.Boolean()),
  }),
);
const NOT_A_REQUEST = 'The body must be JSON, such as {"return_to": "/tanks"}.';

interface IssuerRoute {
  Params: { id: string };
}

/** Registers the list of issuers. It is empty if signing in with an issuer is not possible. */
export function registerIssuerList(
  routes: FastifyInstance,
  signIn: IssuerSignIn | undefined,
  authenticator: Authenticator,
): void {
  routes.get<{ Querystring: { given: URLSearchParams } }>(ISSUER_PATHS.list, async (request) => {
    const domain = request.query.given.get('domain')?.slice(0, 253).toLowerCase() ?? null;
    const session = sessionCookie(request.headers.cookie);
    const caller = session === undefined ? null : await authenticator.verify(request).catch(() => null);
    const issuerSignIn = signIn?.forAddress(request.ip);
    if (issuerSignIn === undefined) return { object: 'list', data: [], by_domain: false };
    const [data, byDomain] = await Promise.all([
      issuerSignIn.readOffered(domain, caller?.organizationNo ?? null),
      issuerSignIn.hasDomains(),
    ]);
    return { object: 'list', data, by_domain: byDomain };
  });
}

/**
 * Registers the routes that sign a person in with an issuer of OpenID Connect. The POST checks the Origin header:
 * otherwise a page of another site could link an attacker's account to the contact who is signed in here. The browser
 * comes back from the provider's site with a GET. The encrypted cookie and the state in the address protect this GET.
 */
export function registerIssuerSignIn(
  routes: FastifyInstance,
  signIn: IssuerSignIn,
  authenticator: Authenticator,
  checkOrigin: (request: FastifyRequest) => void,
): void {
  routes.post<IssuerRoute>(ISSUER_PATHS.begin, async (request, reply) => {
    checkOrigin(request);
    const body = parseBody(BeginRequest, request.body, NOT_A_REQUEST);
    const { return_to: returnTo = '/', email: loginHint, silent: isSilent = false, link: isLink = false } = body;
    if (!isConsolePage(returnTo)) throw malformed('return_to must be a page of the console, such as /tanks.');
    const { id } = request.params;
    const { url, cookie } = await signIn.forAddress(request.ip).begin(id, { returnTo, loginHint, isSilent, isLink });
    return reply.header('set-cookie', setIssuerCookie(cookie, ISSUER_SIGN_IN_MS)).send({ object: 'sign_in', url });
  });

  routes.get<IssuerRoute>(ISSUER_PATHS.callback, async (request, reply) => {
    const { id } = request.params;
    const issuerSignIn = signIn.forAddress(request.ip);
    const { cookie } = request.headers;
    const started = issuerSignIn.openStarted(id, issuerCookie(cookie));
    // The cookie is used only once, even if the sign-in fails.
    reply.header('set-cookie', clearIssuerCookie());
    const fail = async (status: number, failure: IssuerFailure): Promise<FastifyReply> => {
      request.logged = { ...request.logged, sign_in: failure };
      if (started?.isSilent === true) return reply.redirect(`/console${started.returnTo}`, 303);
      const language = await issuerSignIn.readLanguage(id);
      const text = ISSUER_TEXTS[languageOf(language)][failure];
      const again = `<p><a href="/console/">${PAGE_TEXTS[languageOf(language)].signInAgain}</a></p>`;
      return sendPage(reply, status, { organization_name: NO_ORGANIZATION, language }, `${paragraph(text)}\n${again}`);
    };
    if (started === undefined) return fail(400, 'expired');
    authenticator.countFailedLogin(request.ip);
    try {
      const search = `?${request.url.split('?').slice(1).join('?')}`;
      const finished = await issuerSignIn.finish(started, search, parseKey(sessionCookie(cookie) ?? ''));
      authenticator.takeBackFailedLogin(request.ip);
      if ('refusal' in finished) return await fail(403, finished.refusal);
      const cookies = [setSessionCookie(finished.session, { isOwner: false }), clearSignInCookie()];
      return await reply.header('set-cookie', cookies).redirect(`/console${started.returnTo}`, 303);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // The message of the error has no token. Only the cause has the parameters of a failed check, and it is not
      // logged.
      request.log.warn(
        { request_id: request.id, issuer: id, reason: error.message },
        'a sign-in with an issuer failed',
      );
      return await fail(error.kind === 'unreachable' ? 503 : 403, error.kind);
    }
  });
}
