import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CUSTOMER_FIELDS } from '../../catalog/customer_fields.ts';
import { malformed, Problem } from '../../http/problem.ts';
import { setSignInCookie, signInCookie } from '../../http/session_cookie.ts';
import { paragraph } from '../../mail/html.ts';
import { languageOf, listOf } from '../../mail/locale.ts';
import { PAGE_TEXTS, type PageTexts } from '../../mail/page_texts.ts';
import { parseBody } from '../json_body.ts';
import { sendPage, sendUnknownPage } from '../pages/link_pages.ts';
import { Closed } from '../schemas/values.ts';
import { cookiesOf, type MailSignIn } from './mail_sign_in.ts';
import { isConsolePage } from './return_page.ts';

export const SIGN_IN_PATHS = {
  mails: '/session/mails',
  link: '/session/links/:token',
  choices: '/session/choices',
} as const;

const MailRequest = Compile(
  Closed({ email: Type.String({ maxLength: 320 }), return_to: Type.Optional(Type.String({ maxLength: 500 })) }),
);
const NOT_A_REQUEST = 'The body must be JSON with the address, such as {"email": "maria@example.com"}.';

interface LinkRoute {
  Params: { token: string };
}

/**
 * Registers the routes that sign a person in by mail. The response to a request for a mail is the same for every
 * address. Opening the link changes nothing, because mail scanners open every link; the button on its page signs in.
 */
export function registerMailSignIn(
  routes: FastifyInstance,
  signIn: MailSignIn,
  checkOrigin: (request: FastifyRequest) => void,
): void {
  routes.post(SIGN_IN_PATHS.mails, async (request, reply) => {
    checkOrigin(request);
    const { email, return_to: returnTo = '/' } = parseBody(MailRequest, request.body, NOT_A_REQUEST);
    const address = CUSTOMER_FIELDS.email(email.trim());
    if ('reason' in address) throw malformed(`email ${address.reason}.`);
    if (!isConsolePage(returnTo)) throw malformed('return_to must be a page of the console, such as /tanks.');
    const browser = signInCookie(request.headers.cookie) ?? '';
    const cookie = await signIn.forAddress(request.ip).requestMail(address.value, returnTo, browser, request.ip);
    return reply
      .code(202)
      .header('set-cookie', setSignInCookie(cookie))
      .send({ object: 'sign_in_mail', detail: 'If this address is known, a mail is on its way.' });
  });

  routes.get<LinkRoute>(SIGN_IN_PATHS.link, async ({ params, ip, headers }, reply) => {
    const organizations = await signIn.forAddress(ip).readLink(params.token);
    const [first] = organizations;
    if (first === undefined) return sendUnknownPage(reply, 410, headers, goneText);
    const page = PAGE_TEXTS[languageOf(first.language)];
    const names = listOf(
      first.language,
      organizations.map(({ organization_name }) => organization_name),
    );
    const form = `<form method="post"><button>${page.signInButton}</button></form>`;
    return sendPage(reply, 200, { ...first, organization_name: names }, `${paragraph(page.signIn(names))}\n${form}`);
  });

  routes.post<LinkRoute>(SIGN_IN_PATHS.link, async (request, reply) => {
    checkOrigin(request);
    try {
      const result = await signIn.forAddress(request.ip).redeemLink(request.params.token);
      const page = 'session' in result ? result.returnTo : `/choose?return_to=${encodeURIComponent(result.returnTo)}`;
      return await reply
        .code(303)
        .headers({ location: `/console${page}`, 'set-cookie': cookiesOf(result) })
        .send();
    } catch (error) {
      if (error instanceof Problem && error.code === 'gone')
        return sendUnknownPage(reply, 410, request.headers, goneText);
      throw error;
    }
  });

  routes.get(SIGN_IN_PATHS.choices, async ({ headers, ip }) => ({
    object: 'list',
    data: await signIn.forAddress(ip).readChoices(signInCookie(headers.cookie) ?? ''),
  }));
}

/** The text for a link that is not valid. It names no organization, because the link identifies no person. */
const goneText = (page: PageTexts): string =>
  `${paragraph(page.signInGone)}\n<p><a href="/console/">${page.signInAgain}</a></p>`;
