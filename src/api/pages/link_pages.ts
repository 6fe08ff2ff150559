import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AccessWriters } from '../../db/access_writers.ts';
import type { Readers, Statement } from '../../db/readers.ts';
import { linkSecrets } from '../../keys/own_secrets.ts';
import { paragraph, renderPage } from '../../mail/html.ts';
import { languageOf, languagesFor } from '../../mail/locale.ts';
import { PAGE_TEXTS, type PageTexts } from '../../mail/page_texts.ts';
import { isLinkValid, parseLink, type SignedLink } from '../../mail/signed_links.ts';
import type { LinkSecretsConfig } from '../../settings/secret_settings.ts';
import { addressGroup } from '../../values/client_address.ts';
import { senderAlone } from '../../values/fair_queue.ts';

/** The path of the links in mails. */
export const LINK_PATH = '/links/:token';
export const RESUBSCRIBE_PATH = '/links/:token/resubscribe';

const CUSTOMER_OF_LINK: Statement = { name: 'customer_of_link', text: 'select * from customer_of_link($1)' };
/** Returns a row only for organizations that came from another cell. */
const WRAPPED_SECRET: Statement = {
  name: 'wrapped_link_secret',
  text: 'select wrapped_link_secret_of($1) as wrapped',
};
const VERIFY: Statement = { name: 'verify_of_link', text: 'select verify_customer_of_link($1, $2)' };
const UNSUBSCRIBE: Statement = { name: 'unsubscribe_of_link', text: 'select unsubscribe_customer_of_link($1)' };
const RESUBSCRIBE: Statement = { name: 'resubscribe', text: 'select resubscribe_customer($1)' };
const IS_UNSUBSCRIBED: Statement = {
  name: 'is_unsubscribed',
  text: 'select from reminder_unsubscribes where customer_no = (select no from customers where id = $1)',
};

interface LinkedCustomer extends PageSender {
  email: string;
  is_verified: boolean;
  organization_code: string;
  sealed_link_secret: string | null;
}

/**
 * Registers the pages that links in mails open. GET changes nothing, because mail scanners open every link. The button
 * on the page sends a POST. A mail program's one-click unsubscribe (RFC 8058) sends the POST directly.
 */
export function registerLinkPages(
  app: FastifyInstance,
  {
    readers,
    writers,
    secrets,
    hasConsole,
  }: { readers: Readers; writers: AccessWriters; secrets: LinkSecretsConfig; hasConsole: boolean },
): void {
  app.register(async (pages) => {
    // A one-click POST has a form body of either content type. The body is not needed.
    pages.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    const readersFor = (address: string): Readers => readers.as(senderAlone(addressGroup(address)));
    pages.get<{ Params: { token: string } }>(LINK_PATH, async ({ params, ip, headers }, reply) => {
      const found = await findLinkedCustomer(readersFor(ip), secrets, params.token);
      if (found === undefined) return sendInvalid(reply, headers);
      const { link, customer } = found;
      const isOff =
        link.kind === 'unsubscribe' && (await readersFor(ip).query(IS_UNSUBSCRIBED, [link.customerId])).length > 0;
      const body = isOff ? resubscribeForm(params.token, customer) : confirmationForm(link, customer, hasConsole);
      return sendPage(reply, 200, customer, body);
    });
    pages.post<{ Params: { token: string } }>(LINK_PATH, async ({ params, ip, headers }, reply) => {
      const found = await findLinkedCustomer(readersFor(ip), secrets, params.token);
      if (found === undefined) return sendInvalid(reply, headers);
      const { link, customer } = found;
      if (link.kind === 'verify') {
        // The sender is the organization, so that links of other organizations do not wait while its row is locked.
        const [done] = await writers
          .as(senderAlone(customer.organization_code))
          .query<{ verify_customer_of_link: boolean }>(VERIFY, [link.customerId, customer.email]);
        // The address was changed while this waited for the organization.
        if (done?.verify_customer_of_link !== true) return sendInvalid(reply, headers);
        return sendPage(reply, 200, customer, verifiedBody(customer, hasConsole));
      }
      await writers.as(senderAlone(customer.organization_code)).query(UNSUBSCRIBE, [link.customerId]);
      return sendPage(reply, 200, customer, resubscribeForm(params.token, customer));
    });
    // The link of a mail that ends the reminders can also turn them on again, because the button may have been pressed
    // by mistake.
    pages.post<{ Params: { token: string } }>(RESUBSCRIBE_PATH, async ({ params, ip, headers }, reply) => {
      const found = await findLinkedCustomer(readersFor(ip), secrets, params.token);
      if (found?.link.kind !== 'unsubscribe') return sendInvalid(reply, headers);
      const { link, customer } = found;
      await writers.as(senderAlone(customer.organization_code)).query(RESUBSCRIBE, [link.customerId]);
      const page = PAGE_TEXTS[languageOf(customer.language)];
      return sendPage(reply, 200, customer, paragraph(page.resubscribed(customer.organization_name)));
    });
  });
}

/** Returns undefined if the link is malformed, expired or not signed for the customer's current address. */
async function findLinkedCustomer(
  readers: Readers,
  secrets: LinkSecretsConfig,
  token: string,
): Promise<{ link: SignedLink; customer: LinkedCustomer } | undefined> {
  const link = parseLink(token);
  if (link === undefined) return undefined;
  const [customer] = await readers.query<LinkedCustomer>(CUSTOMER_OF_LINK, [link.customerId]);
  if (customer === undefined) return undefined;
  const { organization_code, sealed_link_secret, email } = customer;
  const [wrapped] =
    sealed_link_secret === null
      ? []
      : await readers.query<{ wrapped: string | null }>(WRAPPED_SECRET, [link.customerId]);
  const stored = sealed_link_secret === null ? null : { sealed: sealed_link_secret, wrapped: wrapped?.wrapped ?? null };
  const isValid = linkSecrets(secrets, organization_code, stored).some((secret) =>
    isLinkValid(secret, link, email, Date.now()),
  );
  if (!isValid) return undefined;
  return { link, customer };
}

function confirmationForm({ kind }: SignedLink, customer: LinkedCustomer, hasConsole: boolean): string {
  const { email, is_verified, organization_name, language } = customer;
  const page = PAGE_TEXTS[languageOf(language)];
  if (kind === 'verify' && is_verified) return verifiedBody(customer, hasConsole);
  const [text, button] =
    kind === 'verify'
      ? [page.verify(email, organization_name), page.verifyButton]
      : [page.unsubscribe(organization_name), page.unsubscribeButton];
  return `${paragraph(text)}\n<form method="post"><button>${button}</button></form>`;
}

function verifiedBody({ organization_name, language }: LinkedCustomer, hasConsole: boolean): string {
  const page = PAGE_TEXTS[languageOf(language)];
  const link = hasConsole ? `\n<p><a href="/console/">${page.seeTanks}</a></p>` : '';
  return `${paragraph(page.verified(organization_name))}${link}`;
}

/** The token needs no escaping, because it comes from a valid link, which has no characters of markup. */
function resubscribeForm(token: string, { language }: LinkedCustomer): string {
  const page = PAGE_TEXTS[languageOf(language)];
  const button = `<button>${page.resubscribeButton}</button>`;
  return `${paragraph(page.unsubscribed)}\n<form method="post" action="/links/${token}/resubscribe">${button}</form>`;
}

const sendInvalid = (reply: FastifyReply, headers: IncomingHttpHeaders): FastifyReply =>
  sendUnknownPage(reply, 404, headers, (page) => paragraph(page.invalid));

/** The organization and the language of a page. */
export interface PageSender {
  organization_name: string;
  /** The language tag with a region, such as es-MX. */
  language: string;
}

/** The name on a page that belongs to no organization. */
export const NO_ORGANIZATION = 'Tankwatch';

/**
 * Sends the page of a link that identifies no customer. The language of the reader is unknown, so the page has the text
 * in all languages, the language of the browser first.
 */
export function sendUnknownPage(
  reply: FastifyReply,
  status: number,
  headers: IncomingHttpHeaders,
  bodyOf: (page: PageTexts) => string,
): FastifyReply {
  const languages = languagesFor(headers['accept-language']);
  const sender = { organization_name: NO_ORGANIZATION, language: languages[0] ?? 'en' };
  const bodies = languages.map((language) => `<div lang="${language}">${bodyOf(PAGE_TEXTS[language])}</div>`);
  return sendPage(reply.header('vary', 'accept-language'), status, sender, bodies.join('\n'));
}

export function sendPage(reply: FastifyReply, status: number, sender: PageSender, body: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      // The URL of the page is a secret, so it must not leak as a referrer. The page loads nothing and cannot be
      // framed.
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8')
    .send(renderPage(sender.language, sender.organization_name, body));
}
