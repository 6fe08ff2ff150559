import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { errorCode } from '../values/error_code.ts';
import { endpointUrlError } from './endpoint_url.ts';
import { isPrivateAddress } from './private_addresses.ts';

export interface SendOptions {
  /** Plain http as well. */
  allowHttp: boolean;
  /** Addresses that are not of the public internet as well. */
  allowPrivate: boolean;
  timeoutMs?: number;
  /** Who knows the addresses of names. */
  lookup?: typeof systemLookup;
}

export interface WebhookResponse {
  /** Null where there was none. */
  status: number | null;
  /** Why there was none, in words that hold neither an address nor a secret. */
  error: string | null;
  retryAfterMs: number | null;
  ms: number;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4_096;

class InsideAddress extends Error {
  constructor() {
    super('the address is not of the public internet');
  }
}

/**
 * Posts messages to addresses that strangers chose. The address that is connected to is checked, and not the name: a
 * name is looked up once for each connection, what is inside is dropped from the answer, and the connection goes to one
 * of the addresses that are left. So a name that changes its address between a check and its use gains nothing. No
 * redirects are followed, and no proxy of the environment is used, which would look names up itself.
 */
export class WebhookSender {
  readonly #options: SendOptions;
  readonly #agent: Agent;

  constructor(options: SendOptions) {
    this.#options = options;
    this.#agent = new Agent({ connect: connectorFor(options), maxHeaderSize: 16_384, pipelining: 1 });
  }

  /** Never throws: what went wrong is the answer. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<WebhookResponse> {
    const startedAt = performance.now();
    const ended = (answer: Omit<WebhookResponse, 'ms'>): WebhookResponse => ({
      ...answer,
      ms: Math.round(performance.now() - startedAt),
    });
    const fault = endpointUrlError(url, this.#options);
    if (fault !== undefined) return ended({ status: null, error: `the URL ${fault}`, retryAfterMs: null });
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: this.#agent });
      // The status is all we want. A short rest is read so that the connection can be used again.
      await response.body.dump({ limit: MAX_ANSWER_BYTES, signal: AbortSignal.timeout(1_000) }).catch(() => {});
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
      return ended({ status: response.statusCode, error: null, retryAfterMs });
    } catch (error) {
      return ended({ status: null, error: reasonOf(error), retryAfterMs: null });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function connectorFor({ allowPrivate, lookup = systemLookup }: SendOptions): buildConnector.connector {
  const refuses = (address: string): boolean => !allowPrivate && isPrivateAddress(address);
  const outsideLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '');
      const allowed = found.filter(({ address }) => !refuses(address));
      const [first] = allowed;
      if (first === undefined) return callback(new InsideAddress(), '');
      if (options.all) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({ lookup: outsideLookup, timeout: 10_000, allowH2: false });
  return (options, callback) => {
    // Names only are looked up: an address is checked as it stands.
    if (isIP(options.hostname) !== 0 && refuses(options.hostname)) return callback(new InsideAddress(), null);
    return connect(options, callback);
  };
}

/** Seconds or a date. */
export function parseRetryAfter(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN; // Date takes -5 for a date, too
  return Number.isNaN(atMs) ? null : Math.max(atMs - nowMs, 0);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
};

/** Messages of the libraries name addresses; these do not. */
function reasonOf(error: unknown): string {
  if (error instanceof InsideAddress) return error.message;
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const code = errorCode(error) ?? error.name;
  return REASONS[code] ?? `the request failed (${code})`;
}
