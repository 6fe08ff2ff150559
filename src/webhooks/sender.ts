import { type Agent, request } from 'undici';
import { type AddressGuard, allowedAddresses, guardedAgent, PrivateAddressError } from '../http/guarded_agent.ts';
import { isPrivateAddress } from '../http/private_addresses.ts';
import { createResolver, type ResolveHost } from '../http/resolve_host.ts';
import { errorCode } from '../values/error_code.ts';
import { endpointUrlError } from './endpoint_url.ts';

export const MAX_URL_LENGTH = 2_000;

export interface SendOptions {
  /** Allow http:// in addition to https://. */
  allowHttp: boolean;
  /** Allow private addresses, see private_addresses.ts. */
  allowPrivate: boolean;
  timeoutMs?: number;
  /** The addresses of name servers. If empty, those of the system are used. */
  dnsServers?: readonly string[];
  /** Resolves host names, instead of the name servers. */
  resolveHost?: ResolveHost;
}

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
    const urlError = endpointUrlError(url, this.#options);
    if (urlError !== undefined) {
      return withDuration({ status: null, error: `the URL ${urlError}`, retryAfterMs: null });
    }
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

/**
 * Why no message can be sent to this URL, if that is known without sending one. `isCertain` means that it stays so
 * while the settings do not change. A name that cannot be resolved now may be resolved later.
 */
export async function findSendProblem(
  url: string,
  options: SendOptions,
): Promise<{ reason: string; isCertain: boolean } | undefined> {
  const urlError =
    url.length > MAX_URL_LENGTH ? `must have at most ${MAX_URL_LENGTH} characters` : endpointUrlError(url, options);
  if (urlError !== undefined) return { reason: `the URL ${urlError}`, isCertain: true };
  const hostname = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    await allowedAddresses(guardOf(options), hostname);
    return undefined;
  } catch (error) {
    return { reason: reasonOf(error), isCertain: error instanceof PrivateAddressError };
  }
}

/** Which addresses may be connected to. */
export function guardOf({
  allowPrivate,
  dnsServers = [],
  resolveHost = createResolver(dnsServers),
}: Pick<SendOptions, 'allowPrivate' | 'dnsServers' | 'resolveHost'>): AddressGuard {
  return { isAllowed: (address) => allowPrivate || !isPrivateAddress(address), resolveHost };
}

/** Retry-After is a number of seconds or a date. Returns null for anything else. */
export function parseRetryAfter(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN; // Date.parse also accepts "-5"
  return Number.isNaN(atMs) ? null : Math.max(atMs - nowMs, 0);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  ETIMEOUT: 'the name server did not answer in time',
  ESERVFAIL: 'the host name could not be resolved',
  EREFUSED: 'the host name could not be resolved',
  EBADNAME: 'the host name is not valid',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
};

/** Error messages of the libraries contain addresses. These texts do not. */
export function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return error.message;
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return 'no response in time';
  const code = errorCode(error) ?? error.name;
  return REASONS[code] ?? `the request failed (${code})`;
}
