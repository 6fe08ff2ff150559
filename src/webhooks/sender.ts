import { type Agent, request } from 'undici';
import { guardedAgent } from '../http/guarded_agent.ts';
import { type GuardOptions, guardOf, parseRetryAfter, reasonOf, urlError } from '../http/outgoing_address.ts';
import type { AddressConfig } from '../settings/address_settings.ts';

export type SendOptions = AddressConfig & GuardOptions & { timeoutMs?: number };

export interface WebhookResponse {
  /** Null if no response arrived. */
  status: number | null;
  /** Why no response arrived. Contains no address and no secret. */
  error: string | null;
  retryAfterMs: number | null;
  ms: number;
}

/** The longest time of an attempt. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 4_096;

/** Posts messages to URLs from outside, without access to private addresses (see guardedAgent). Redirects are not followed. */
export class WebhookSender {
  readonly #options: SendOptions;
  readonly #agent: Agent;

  constructor(options: SendOptions) {
    this.#options = options;
    this.#agent = guardedAgent(guardOf(options));
  }

  /** Never throws. Errors are returned in `error`. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<WebhookResponse> {
    const startedAt = performance.now();
    const withDuration = (response: Omit<WebhookResponse, 'ms'>): WebhookResponse => ({
      ...response,
      ms: Math.round(performance.now() - startedAt),
    });
    const wrong = urlError(url, this.#options);
    if (wrong !== undefined) return withDuration({ status: null, error: `the URL ${wrong}`, retryAfterMs: null });
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? ATTEMPT_TIMEOUT_MS);
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.#agent });
      // Only the status is needed. A short body is read to the end so that the connection can be reused.
      await response.body.dump({ limit: MAX_RESPONSE_BYTES, signal: AbortSignal.timeout(1_000) }).catch(() => {});
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
      return withDuration({ status: response.statusCode, error: null, retryAfterMs });
    } catch (error) {
      return withDuration({ status: null, error: reasonOf(error), retryAfterMs: null });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
