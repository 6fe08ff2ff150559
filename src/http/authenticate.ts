import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError } from '../db/readers.ts';
import type { KeyScope } from '../keys/issue_key.ts';
import { parseKey } from '../keys/key_format.ts';
import type { Caller, KeyVerifier } from '../keys/key_verifier.ts';
import { AddressLimit } from './address_limit.ts';
import { forbidden, rateLimited, tooManyFailedLogins, unauthorized } from './problem.ts';
import { RateLimiter, rateLimitHeaders } from './rate_limit.ts';
import { sessionCookie } from './session_cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The holder of the API key or session. Null until it is verified. */
    caller: Caller | null;
  }
}

/** The limit of failed logins of one address. A person who tries keys by hand does not reach this limit. */
const FAILED_LOGINS = { perSecond: 1, burst: 60 };

export interface AuthenticatorOptions {
  scope: KeyScope;
  onCaller?: (caller: Caller) => void;
  /** Verifies the cookie of a browser. Without it, only keys are accepted. */
  sessions?: KeyVerifier;
}

/** Throws 403 if the caller may not send this request. */
export type CheckRights = (caller: Caller) => void;

/** Checks the API key or the session, the rate limit and the scope of a request. */
export class Authenticator {
  readonly #keys: KeyVerifier;
  readonly #sessions: KeyVerifier | undefined;
  readonly #scope: KeyScope;
  readonly #onCaller: (caller: Caller) => void;
  readonly #limiter = new RateLimiter();
  readonly #failedLogins = new AddressLimit(FAILED_LOGINS);

  constructor(keys: KeyVerifier, { scope, onCaller = () => {}, sessions }: AuthenticatorOptions) {
    this.#keys = keys;
    this.#sessions = sessions;
    this.#scope = scope;
    this.#onCaller = onCaller;
  }

  /**
   * Throws 401, 429 or 403. The checks run in this order, so an invalid key is reported before the rate and the scope.
   * An address that sends many invalid keys gets 429 instead of 401, and causes no further queries. Keys that are in
   * memory are still accepted from this address.
   */
  async authenticate(request: FastifyRequest, reply: FastifyReply, checkRights?: CheckRights): Promise<void> {
    const caller = request.knownCaller ?? (await this.#verifyLogged(request));
    request.caller = caller;
    this.admit(caller, reply, checkRights);
  }

  /**
   * Adds the prefix of the key to the log line of a refused request, so that operators see who still uses a revoked
   * key.
   */
  async #verifyLogged(request: FastifyRequest): Promise<Caller> {
    try {
      return await this.verify(request);
    } catch (error) {
      const key = request.headers['x-api-key'];
      const prefix = typeof key === 'string' ? parseKey(key)?.prefix : undefined;
      if (prefix !== undefined) request.logged = { ...request.logged, refused_key: prefix };
      throw error;
    }
  }

  /** Throws 429 or 403. */
  admit(caller: Caller, reply: FastifyReply, checkRights: CheckRights = this.#checkScope): void {
    this.#onCaller(caller);
    const allowance = this.#limiter.take(caller);
    reply.headers(rateLimitHeaders(caller, allowance));
    if (!allowance.isAllowed) throw rateLimited(allowance);
    checkRights(caller);
  }

  readonly #checkScope = (caller: Caller): void => {
    if (!caller.scopes.includes(this.#scope)) throw forbidden(this.#scope);
  };

  /** The holder of the key, or of the session if there is no key. Throws 401. */
  async verify({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>): Promise<Caller> {
    const key = headers['x-api-key'];
    const session = key === undefined && this.#sessions !== undefined ? sessionCookie(headers.cookie) : undefined;
    if (session !== undefined) return this.verifySession(session, ip);
    if (typeof key !== 'string' || key === '') {
      this.countFailedLogin(ip);
      throw unauthorized('Send your API key in the header X-API-Key.');
    }
    return this.verifyKey(key, ip);
  }

  verifyKey(text: string, address: string): Promise<Caller> {
    return this.#verifyText(
      this.#keys,
      text,
      address,
      'This API key is malformed, unknown, expired or revoked. Check that it is complete, or ask for a new one.',
    );
  }

  /** The holder of a session, regardless of an API key in the request. Throws 401. */
  async verifySession(text: string, address: string): Promise<Caller> {
    if (this.#sessions === undefined) throw unauthorized('Send your API key in the header X-API-Key.');
    return this.#verifyText(this.#sessions, text, address, 'Your session has ended. Sign in again.');
  }

  /** Reverts the count of an attempt that succeeded. */
  takeBackFailedLogin(address: string): void {
    this.#failedLogins.takeBack(address);
  }

  async #verifyText(verifier: KeyVerifier, text: string, address: string, detail: string): Promise<Caller> {
    let isCounted = false;
    let caller: Caller | undefined;
    try {
      caller = await verifier.verify(text, () => {
        this.countFailedLogin(address);
        isCounted = true;
      });
    } catch (error) {
      // The key was not checked, so this is not a failed login. Otherwise all callers would be blocked when the service
      // starts without its database.
      if (isCounted && error instanceof DatabaseUnavailableError) this.takeBackFailedLogin(address);
      throw error;
    }
    if (caller === undefined) {
      if (!isCounted) this.countFailedLogin(address);
      throw unauthorized(detail);
    }
    if (isCounted) this.takeBackFailedLogin(address);
    return caller;
  }

  /** Counts an attempt that may fail. Throws 429 if the address has failed too often. */
  countFailedLogin(address: string): void {
    if (!this.#failedLogins.count(address)) {
      throw tooManyFailedLogins(this.#failedLogins.retryAfterSeconds(address));
    }
  }
}
