import type { FastifyReply } from 'fastify';
import type { AccessWriters } from '../../db/access_writers.ts';
import { onlyRow } from '../../db/only_row.ts';
import type { Statement } from '../../db/readers.ts';
import { AddressLimit } from '../../http/address_limit.ts';
import type { Authenticator } from '../../http/authenticate.ts';
import { gone, tooManyMails, unauthorized } from '../../http/problem.ts';
import { clearSessionCookie, clearSignInCookie, setSessionCookie, setSignInCookie } from '../../http/session_cookie.ts';
import { makeToken, parseCode, parseToken, type SignInSecret } from '../../keys/sign_in_token.ts';
import { addressGroup } from '../../values/client_address.ts';
import { senderAlone } from '../../values/fair_queue.ts';
import { newSession } from './new_session.ts';

const REQUEST: Statement = { name: 'request_sign_in', text: 'select request_sign_in($1, $2, $3)' };
const OF_LINK: Statement = { name: 'sign_in_of_link', text: 'select * from sign_in_of_link($1)' };
const REDEEM_LINK: Statement = { name: 'redeem_link', text: 'select redeem_sign_in_link($1, $2) as return_to' };
const REDEEM_CODE: Statement = { name: 'redeem_code', text: 'select * from redeem_sign_in_code($1, $2, $3)' };
const CHOICES: Statement = {
  name: 'sign_in_choices',
  text: 'select id, slot as beginning, organization_name, customer_name from sign_in_choices($1)',
};
const CHOOSE: Statement = { name: 'choose_sign_in', text: 'select choose_sign_in($1, $2, $3, $4) as is_owner' };

/** The rate limit of one IP address: 20 mails at once, then one in 15 s. An office behind one address needs less. */
const MAIL_REQUESTS = { perSecond: 1 / 15, burst: 20 };

/** An organization, or one customer of it, that the person may see. */
export interface SignInChoice {
  id: string;
  organization: { name: string };
  customer: { name: string } | null;
}

/** The result of a sign-in: a session, or choices if the address belongs to several organizations or customers. */
export type SignInResult =
  | { session: string; isOwner: boolean; returnTo: string }
  | { choices: SignInChoice[]; browser: string; returnTo: string };

interface ChoiceRow {
  id: string;
  /** The beginning of the session's prefix. */
  beginning: string;
  organization_name: string;
  customer_name: string | null;
}

/**
 * Signs in people who can read the mails of an address. Only hashes of the secrets are stored. The database limits the
 * attempts and lets the secrets expire.
 */
export class MailSignIn {
  readonly #writers: AccessWriters;
  readonly #authenticator: Authenticator;
  readonly #requests: AddressLimit;

  constructor(writers: AccessWriters, authenticator: Authenticator, requests = new AddressLimit(MAIL_REQUESTS)) {
    this.#writers = writers;
    this.#authenticator = authenticator;
    this.#requests = requests;
  }

  /** Returns an instance for requests from this address, which is the sender for fair queueing. */
  forAddress(address: string): MailSignIn {
    return new MailSignIn(this.#writers.as(senderAlone(addressGroup(address))), this.#authenticator, this.#requests);
  }

  /**
   * Asks the worker to mail a link and a code, if the address is known. This process does not know whether it is known,
   * so neither its response nor its timing can reveal it. Returns the value of the cookie. A browser that asks again
   * keeps its cookie, so its newest code is valid.
   */
  async requestMail(email: string, returnTo: string, browser: string, address: string): Promise<string> {
    if (!this.#requests.count(address)) throw tooManyMails(this.#requests.retryAfterSeconds(address));
    const token = parseToken(browser) ?? makeToken();
    await this.#writers.query(REQUEST, [email, token.sha256, returnTo]);
    return token.text;
  }

  /** Reads the organizations that a link leads to. Empty if it was used, has expired or never existed. */
  readLink(text: string): Promise<{ organization_name: string; language: string }[]> {
    const token = parseToken(text);
    return token === undefined ? Promise.resolve([]) : this.#writers.query(OF_LINK, [token.sha256]);
  }

  /** Throws 410 if the link was used, has expired or never existed. */
  async redeemLink(text: string): Promise<SignInResult> {
    const token = parseToken(text);
    if (token === undefined) throw linkGone();
    const browser = makeToken();
    const rows = await this.#writers.query<{ return_to: string | null }>(REDEEM_LINK, [token.sha256, browser.sha256]);
    const returnTo = rows[0]?.return_to ?? null;
    if (returnTo === null) throw linkGone();
    return this.#continue(browser, returnTo);
  }

  /** Throws 401 for a wrong code, and 410 if this browser has no code, or no further try. */
  async redeemCode(browserText: string, codeText: string, address: string): Promise<SignInResult> {
    const requester = parseToken(browserText);
    if (requester === undefined) throw noCodeExpected();
    const code = parseCode(codeText);
    if (code === undefined) throw unauthorized('A code has eight digits. Type the code of the newest mail.');
    this.#authenticator.countFailedLogin(address);
    const browser = makeToken();
    const { outcome, codes_left } = onlyRow(
      await this.#writers.query<{ outcome: string; codes_left: number | null }>(REDEEM_CODE, [
        requester.sha256,
        code.sha256,
        browser.sha256,
      ]),
    );
    if (outcome === 'wrong' && codes_left !== null && codes_left > 0)
      throw unauthorized(`This code is wrong. Type the code of the newest mail. Tries left: ${codes_left}.`);
    if (outcome === 'wrong') throw gone('This code is wrong, and was the last try. Ask for a new mail.');
    if (outcome === 'blocked')
      throw gone('Too many wrong codes were typed for this address today. Open the link in the mail instead.');
    if (outcome !== 'redeemed') throw noCodeExpected();
    this.#authenticator.takeBackFailedLogin(address);
    return this.#continue(browser, '/');
  }

  async readChoices(browserText: string): Promise<SignInChoice[]> {
    const browser = parseToken(browserText);
    const rows = browser === undefined ? [] : await this.#readChoices(browser);
    if (rows.length === 0) throw nothingToChoose();
    return rows.map(choiceOf);
  }

  async choose(browserText: string, id: string): Promise<SignInResult> {
    const browser = parseToken(browserText);
    const rows = browser === undefined ? [] : await this.#readChoices(browser);
    const chosen = rows.find((row) => row.id === id.toLowerCase());
    if (browser === undefined || chosen === undefined) throw nothingToChoose();
    return this.#begin(browser, chosen, '/');
  }

  /** Sends the session as a cookie, or the choices with the cookie of the browser that may choose. */
  sendSignInResult(reply: FastifyReply, result: SignInResult): FastifyReply {
    reply.header('set-cookie', cookiesOf(result));
    if ('session' in result) return reply.code(204).send();
    return reply.code(200).send({ object: 'list', data: result.choices });
  }

  async #continue(browser: SignInSecret, returnTo: string): Promise<SignInResult> {
    const rows = await this.#readChoices(browser);
    const [first] = rows;
    // The contact or the customer was deleted after the mail was sent.
    if (first === undefined) throw gone('This address can no longer sign in. Ask your supplier.');
    if (rows.length > 1) return { choices: rows.map(choiceOf), browser: browser.text, returnTo };
    return this.#begin(browser, first, returnTo);
  }

  async #begin(browser: SignInSecret, { id, beginning }: ChoiceRow, returnTo: string): Promise<SignInResult> {
    const { text, result } = await newSession(beginning, (...session) =>
      this.#writers.query<{ is_owner: boolean | null }>(CHOOSE, [browser.sha256, id, ...session]),
    );
    const { is_owner: isOwner } = onlyRow(result);
    if (isOwner === null) throw nothingToChoose();
    return { session: text, isOwner, returnTo };
  }

  #readChoices(browser: SignInSecret): Promise<ChoiceRow[]> {
    return this.#writers.query<ChoiceRow>(CHOICES, [browser.sha256]);
  }
}

/**
 * The cookies of a sign-in. A browser that must choose first is signed out, because its page would still show the
 * previous organization.
 */
export const cookiesOf = (result: SignInResult): string[] =>
  'session' in result
    ? [setSessionCookie(result.session, result), clearSignInCookie()]
    : [setSignInCookie(result.browser), clearSessionCookie()];

const choiceOf = ({ id, organization_name, customer_name }: ChoiceRow): SignInChoice => ({
  id,
  organization: { name: organization_name },
  customer: customer_name === null ? null : { name: customer_name },
});

const linkGone = () => gone('This link was used already or has expired. Ask for a new mail.');
const noCodeExpected = () =>
  gone('No code is expected in this browser. Ask for a mail here, or open the link in the mail.');
const nothingToChoose = () => gone('This choice is no longer open. Sign in again.');
