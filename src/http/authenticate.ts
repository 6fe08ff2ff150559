import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyScope } from '../keys/issue_key.ts';
import type { Caller, KeyVerifier } from '../keys/key_verifier.ts';
import { FailedLogins } from './failed_logins.ts';
import { forbidden, rateLimited, tooManyFailedLogins, unauthorized } from './problem.ts';
import { RateLimiter, rateLimitHeaders } from './rate_limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The holder of the API key. Null until the key is verified. */
    caller: Caller | null;
  }
}

/** Of one address. A person who tries keys by hand does not reach it. */
const FAILED_LOGINS = { perSecond: 1, burst: 60 };

/** Checks the API key, the rate limit and the scope of a request. */
export class Authenticator {
  readonly #keys: KeyVerifier;
  readonly #scope: KeyScope;
  readonly #onCaller: (caller: Caller) => void;
  readonly #limiter = new RateLimiter();
  readonly #failedLogins = new FailedLogins(FAILED_LOGINS);

  constructor(keys: KeyVerifier, scope: KeyScope, onCaller: (caller: Caller) => void = () => {}) {
    this.#keys = keys;
    this.#scope = scope;
    this.#onCaller = onCaller;
  }

  /**
   * Throws 401, 429 or 403. The checks run in this order, so a bad key is reported before the rate and the scope. An
   * address that sends many bad keys gets 429 instead of 401, and costs no more queries. Keys in memory still work from
   * there.
   */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await this.#verifyKey(request.headers['x-api-key'], request.ip);
    request.caller = caller;
    this.#onCaller(caller);
    const allowance = this.#limiter.take(caller);
    reply.headers(rateLimitHeaders(caller, allowance));
    if (!allowance.isAllowed) throw rateLimited(allowance.resetSeconds);
    if (!caller.scopes.includes(this.#scope)) throw forbidden(this.#scope);
  }

  async #verifyKey(text: string | string[] | undefined, address: string): Promise<Caller> {
    if (typeof text !== 'string' || text === '') {
      this.#countFailedLogin(address);
      throw unauthorized('Send your API key in the header X-API-Key.');
    }
    let isCounted = false;
    const caller = await this.#keys.verify(text, () => {
      this.#countFailedLogin(address);
      isCounted = true;
    });
    if (caller === undefined) {
      if (!isCounted) this.#countFailedLogin(address);
      throw unauthorized('This API key is malformed, unknown, expired or revoked.');
    }
    if (isCounted) this.#failedLogins.takeBack(address);
    return caller;
  }

  #countFailedLogin(address: string): void {
    if (!this.#failedLogins.count(address)) {
      throw tooManyFailedLogins(this.#failedLogins.retryAfterSeconds(address));
    }
  }
}
