import { SIGN_IN_MINUTES } from '../keys/sign_in_validity.ts';
import { DAY_MS, MINUTE_MS } from '../values/time.ts';

/**
 * Browsers accept the prefix `__Host-` only over HTTPS (or from this machine), for this host alone and with `Path=/`.
 */
const SESSION = '__Host-tankwatch';
/** The cookie of a browser that asked for a sign-in mail. The code in the mail is valid only in this browser. */
const SIGN_IN = '__Host-tankwatch-sign-in';

/** The cookie of a browser while its user signs in at a provider of OpenID Connect. */
const ISSUER = '__Host-tankwatch-issuer';

/**
 * HttpOnly hides the cookie from scripts. SameSite is Lax, so that a link in a mail opens the console with the session.
 */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** The longest life of a session. The database ends a session earlier if it is not used. */
const SESSION_MAX_MS = { dispatcher: 7 * DAY_MS, owner: 180 * DAY_MS };
const SIGN_IN_MAX_MS = SIGN_IN_MINUTES * MINUTE_MS;

/** The value of the session cookie in a Cookie header; undefined if there is none. */
export const sessionCookie = (header: string | undefined): string | undefined => valueOf(header, SESSION);

export const setSessionCookie = (text: string, { isOwner }: { isOwner: boolean }): string =>
  setCookie(SESSION, text, isOwner ? SESSION_MAX_MS.owner : SESSION_MAX_MS.dispatcher);

export const clearSessionCookie = (): string => setCookie(SESSION, '', 0);

export const signInCookie = (header: string | undefined): string | undefined => valueOf(header, SIGN_IN);

export const setSignInCookie = (text: string): string => setCookie(SIGN_IN, text, SIGN_IN_MAX_MS);

export const clearSignInCookie = (): string => setCookie(SIGN_IN, '', 0);

export const issuerCookie = (header: string | undefined): string | undefined => valueOf(header, ISSUER);

export const setIssuerCookie = (text: string, maxMs: number): string => setCookie(ISSUER, text, maxMs);

export const clearIssuerCookie = (): string => setCookie(ISSUER, '', 0);

function valueOf(header: string | undefined, name: string): string | undefined {
  const pair = header?.split('; ').find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

const setCookie = (name: string, text: string, maxMs: number): string =>
  `${name}=${text}; Max-Age=${maxMs / 1_000}; ${ATTRIBUTES}`;
