import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Readers, Statement } from '../db/readers.ts';
import { BUTTON, type Language, paragraph, renderPage } from '../mail/layout.ts';
import { isSignatureValid, type Link, parseLink } from '../mail/signed_links.ts';
import { TRANSLATIONS } from '../mail/translations.ts';

/** Where the links in mails lead. */
export const LINK_PATH = '/links/:token';

const CUSTOMER_OF_LINK: Statement = { name: 'customer_of_link', text: 'select * from customer_of_link($1)' };
const VERIFY: Statement = { name: 'verify_of_link', text: 'select verify_customer_of_link($1, $2)' };
const UNSUBSCRIBE: Statement = { name: 'unsubscribe_of_link', text: 'select unsubscribe_customer_of_link($1)' };

interface LinkedCustomer {
  email: string;
  is_verified: boolean;
  organization_name: string;
  language: Language;
}

/**
 * The pages behind the links in mails, for people. Opening one changes nothing, because mail scanners open every link;
 * the button on it does. A mail program's one click (RFC 8058) posts straight away.
 */
export function registerLinks(app: FastifyInstance, readers: Readers, secret: string): void {
  app.register(async (pages) => {
    // A one click may come as a form of either kind; what it says does not matter.
    pages.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    pages.get<{ Params: { token: string } }>(LINK_PATH, async ({ params }, reply) => {
      const found = await open(readers, secret, params.token);
      if (found === undefined) return answerPage(reply, 404, 'en', bothLanguages());
      return answerPage(reply, 200, found.customer.language, question(found.link, found.customer));
    });
    pages.post<{ Params: { token: string } }>(LINK_PATH, async ({ params }, reply) => {
      const found = await open(readers, secret, params.token);
      if (found === undefined) return answerPage(reply, 404, 'en', bothLanguages());
      const { link, customer } = found;
      const { page } = TRANSLATIONS[customer.language];
      if (link.kind === 'verify') {
        await readers.query(VERIFY, [link.customerId, customer.email]);
        return answerPage(reply, 200, customer.language, paragraph(page.verified(customer.organization_name)));
      }
      await readers.query(UNSUBSCRIBE, [link.customerId]);
      return answerPage(reply, 200, customer.language, paragraph(page.unsubscribed));
    });
  });
}

async function open(
  readers: Readers,
  secret: string,
  token: string,
): Promise<{ link: Link; customer: LinkedCustomer } | undefined> {
  const link = parseLink(token);
  if (link === undefined) return undefined;
  const [customer] = await readers.query<LinkedCustomer>(CUSTOMER_OF_LINK, [link.customerId]);
  if (customer === undefined || !isSignatureValid(secret, link, customer.email, Date.now())) return undefined;
  return { link, customer };
}

function question({ kind }: Link, { email, is_verified, organization_name, language }: LinkedCustomer): string {
  const { page, unsubscribe } = TRANSLATIONS[language];
  if (kind === 'verify' && is_verified) return paragraph(page.verified(organization_name));
  const [text, button] =
    kind === 'verify'
      ? [page.verify(email, organization_name), page.verifyButton]
      : [page.unsubscribe(organization_name), unsubscribe];
  return `${paragraph(text)}\n<form method="post"><button style="${BUTTON}">${button}</button></form>`;
}

/** Who holds a link that we did not make tells us nothing of the language. */
const bothLanguages = (): string =>
  Object.values(TRANSLATIONS)
    .map(({ page }) => paragraph(page.invalid))
    .join('\n');

function answerPage(reply: FastifyReply, status: number, language: Language, body: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      // The address of the page is the secret: nobody else gets it, and nothing is fetched or framed.
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8')
    .send(renderPage(language, TRANSLATIONS[language].page.title, body));
}
