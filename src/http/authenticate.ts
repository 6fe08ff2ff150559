import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyScope } from '../keys/issue_key.ts';
import type { Caller, KeyVerifier } from '../keys/key_verifier.ts';
import { forbidden, rateLimited, unauthorized } from './problem.ts';
import { RateLimiter, rateLimitHeaders } from './rate_limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The holder of the API key. Null until the key is verified. */
    caller: Caller | null;
  }
}

/** Checks the API key, the rate limit and the scope of a request. */
export class Authenticator {
  readonly #keys: KeyVerifier;
  readonly #scope: KeyScope;
  readonly #onCaller: (caller: Caller) => void;
  readonly #limiter = new RateLimiter();

  constructor(keys: KeyVerifier, scope: KeyScope, onCaller: (caller: Caller) => void = () => {}) {
    this.#keys = keys;
    this.#scope = scope;
    this.#onCaller = onCaller;
  }

  /** Throws 401, 429 or 403. The checks run in this order, so a bad key is reported before the rate and the scope. */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await this.#verifyKey(request.headers['x-api-key']);
    request.caller = caller;
    this.#onCaller(caller);
    const allowance = this.#limiter.take(caller);
    reply.headers(rateLimitHeaders(caller, allowance));
    if (!allowance.isAllowed) throw rateLimited(allowance.resetSeconds);
    if (!caller.scopes.includes(this.#scope)) throw forbidden(this.#scope);
  }

  async #verifyKey(text: string | string[] | undefined): Promise<Caller> {
    if (typeof text !== 'string' || text === '') throw unauthorized('Send your API key in the header X-API-Key.');
    const caller = await this.#keys.verify(text);
    if (caller === undefined) throw unauthorized('This API key is malformed, unknown, expired or revoked.');
    return caller;
  }
}
