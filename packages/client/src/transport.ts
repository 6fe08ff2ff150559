import { ApiError, apiErrorOf, ConnectionError, TimeoutError } from './errors.ts';
import type { Problem } from './types.ts';

export interface CallOptions {
  /** Aborts the call, including waits between attempts, with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Time limit of one attempt, from connecting to the last byte. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Number of retries after a 429, 502, 503, 504, a 409 of a request that is in progress, or no response. Default: 3. */
  maxRetries?: number | undefined;
}

export interface ClientOptions extends Omit<CallOptions, 'signal'> {
  /** Null in a page of the service itself, where the browser sends the cookie of its session instead. */
  apiKey: string | null;
  /** The URL of the service, such as https://tanks.example.com */
  baseUrl: string;
  /** Used instead of the global fetch. */
  fetch?: typeof fetch | undefined;
}

export type Query = Readonly<Record<string, Date | string | number | boolean | undefined>>;

/** A request that changes something. */
export interface Write {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Blob;
}

/** If Retry-After asks for more than this, the error is thrown without a retry. */
const MAX_RETRY_AFTER_SECONDS = 60;
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/** Sends requests with headers, a time limit and retries, and throws typed errors. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #headers: Headers;

  /** Throws if the URL or the key is invalid. */
  constructor(options: ClientOptions) {
    if (options.apiKey !== null && !options.apiKey) throw new TypeError('apiKey is required');
    this.#headers = new Headers(options.apiKey === null ? {} : { 'x-api-key': options.apiKey });
    if (!/^https?:/i.test(options.baseUrl)) throw new TypeError('baseUrl must begin with https:// or http://');
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '');
    this.#options = options;
  }

  /** Returns one object or one page. */
  async get<Result extends { object: string }>(
    object: Result['object'],
    path: string,
    query: Query,
    call: CallOptions = {},
  ): Promise<Result> {
    return this.#send(path, query, { method: 'GET', headers: {} }, call, (text, requestId) => {
      const result: unknown = JSON.parse(text);
      if (isResult<Result>(result, object)) return result;
      throw new ConnectionError(`the response from ${this.#baseUrl} is not a ${object} of Tankwatch`, requestId);
    });
  }

  /** Sends a change and returns the text of the response. The change must be safe to repeat, because of retries. */
  write(path: string, query: Query, write: Write, call: CallOptions = {}): Promise<string> {
    return this.#send(path, query, write, call, (text) => text);
  }

  async #send<Result>(
    path: string,
    query: Query,
    write: Write,
    call: CallOptions,
    read: (text: string, requestId: string) => Result,
  ): Promise<Result> {
    const url = `${this.#baseUrl}${path}${queryString(query)}`;
    const { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 } = call;
    const maxRetries = call.maxRetries ?? this.#options.maxRetries ?? 3;
    const requestId = randomId();
    for (let retries = 0; ; retries++) {
      try {
        return await this.#attempt(url, write, requestId, timeoutMs, signal, read);
      } catch (error) {
        const waitMs = retries < maxRetries ? retryDelayMs(error, retries) : undefined;
        if (waitMs === undefined) throw error;
        await sleep(waitMs, signal);
      }
    }
  }

  async #attempt<Result>(
    url: string,
    { headers, ...write }: Write,
    requestId: string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    read: (text: string, requestId: string) => Result,
  ): Promise<Result> {
    signal?.throwIfAborted();
    // Not AbortSignal.any: this clears the timer after the attempt and leaves no listeners on a long-lived signal.
    const end = new AbortController();
    const abort = (): void => end.abort();
    const timer = setTimeout(abort, timeoutMs);
    signal?.addEventListener('abort', abort);
    try {
      const fetch = this.#options.fetch ?? globalThis.fetch;
      const response = await fetch(url, {
        ...write,
        headers: [...this.#headers, ...Object.entries(headers), ['x-request-id', requestId]],
        redirect: 'manual', // fetch would send the key to the target of the redirect
        signal: end.signal,
      });
      const text = await response.text();
      if (response.ok) return read(text, requestId);
      throw problemIn(response, text, requestId);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError || error instanceof ConnectionError) throw error;
      const message = `no complete response from ${this.#baseUrl}`;
      if (end.signal.aborted) throw new TimeoutError(`${message} within ${timeoutMs} ms`, requestId, error);
      throw new ConnectionError(message, requestId, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

function queryString(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The client makes the id of a call, so that a call without a response can be found in the log. It is not secret. */
const randomId = (): string => Array.from({ length: 3 }, () => Math.random().toString(36).slice(2, 10)).join('');

function isResult<Result extends { object: string }>(value: unknown, object: Result['object']): value is Result {
  return typeof value === 'object' && value !== null && 'object' in value && value.object === object;
}

function problemIn({ status, headers }: Response, text: string, requestId: string): ApiError {
  const ErrorOfStatus = apiErrorOf(status);
  return new ErrorOfStatus(status, problemOf(text), headers.get('x-request-id') ?? requestId, secondsIn(headers));
}

function problemOf(text: string): Problem | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isProblem(parsed) ? parsed : undefined;
  } catch {
    return undefined; // the response of a proxy, not JSON
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). */
function secondsIn(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/**
 * The delay before a retry: Retry-After, plus 0.5 s, doubled each time up to 8 s, minus up to 50 % of it at random, so that
 * clients do not all retry together. Undefined if the call is not retried.
 */
function retryDelayMs(error: unknown, retries: number): number | undefined {
  const isRetried =
    error instanceof ConnectionError ||
    (error instanceof ApiError && (RETRIED_STATUSES.has(error.status) || error.code === 'idempotency_key_in_progress'));
  const askedSeconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  if (!isRetried || askedSeconds > MAX_RETRY_AFTER_SECONDS) return undefined;
  return askedSeconds * 1_000 + Math.min(8_000, 500 * 2 ** retries) * (1 - Math.random() / 2);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}
