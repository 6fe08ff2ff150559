import { type Agent, type Dispatcher, request } from 'undici';
import { guardedAgent } from '../http/guarded_agent.ts';
import {
  type GuardOptions,
  guardOf,
  mayHaveArrived,
  parseRetryAfter,
  reasonOf,
  urlError,
} from '../http/outgoing_address.ts';
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

/** A response with its body, up to 4 KiB of it. */
export interface ExchangeResponse extends WebhookResponse {
  body: string;
  /** True if no response arrived, but the request may have arrived. */
  isUnknown: boolean;
}

/** The longest time of an attempt. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 4_096;
const MAX_BODY_MS = 1_000;

/**
 * Posts messages to URLs from outside, without access to private addresses (see guardedAgent). Redirects are not
 * followed.
 */
export class WebhookSender {
  readonly #options: SendOptions;
  readonly #agent: Agent;

  constructor(options: SendOptions) {
    this.#options = options;
    this.#agent = guardedAgent(guardOf(options));
  }

  /** Never throws. Errors are returned in `error`. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<WebhookResponse> {
    const { status, error, retryAfterMs, ms } = await this.exchange(url, headers, body);
    return { status, error, retryAfterMs, ms };
  }

  /** Like `post`, with the body of the response. */
  async exchange(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<ExchangeResponse> {
    const startedAt = performance.now();
    const withDuration = (response: Partial<ExchangeResponse>): ExchangeResponse => ({
      status: null,
      error: null,
      retryAfterMs: null,
      body: '',
      isUnknown: false,
      ...response,
      ms: Math.round(performance.now() - startedAt),
    });
    const wrong = urlError(url, this.#options);
    if (wrong !== undefined) return withDuration({ error: `the URL ${wrong}` });
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? ATTEMPT_TIMEOUT_MS);
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.#agent });
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
      return withDuration({ status: response.statusCode, retryAfterMs, body: await beginningOf(response.body) });
    } catch (error) {
      return withDuration({ error: reasonOf(error), isUnknown: mayHaveArrived(error) });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/**
 * Reads a short body to the end, so that the connection can be reused, and only the beginning of a long or slow one.
 */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => body.destroy(), MAX_BODY_MS);
  try {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk));
      if (chunks.reduce((total, { length }) => total + length, 0) >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The part that has arrived is enough.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_RESPONSE_BYTES);
}
