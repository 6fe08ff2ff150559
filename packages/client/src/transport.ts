import { ApiError, apiErrorOf, ConnectionError, TimeoutError } from './errors.ts';
import type { Problem } from './types.ts';

export interface CallOptions {
  /** Ends the call, and what it is waiting for, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long one attempt may take, from the connection to the last byte; 30,000 unless told. */
  timeoutMs?: number | undefined;
  /** How many more attempts a call has when it meets 429, 502, 503, 504 or no answer; 3 unless told. */
  maxRetries?: number | undefined;
}

export interface ClientOptions extends Omit<CallOptions, 'signal'> {
  apiKey: string;
  /** Where the service is, such as https://tanks.example.com */
  baseUrl: string;
  /** Used in place of the global fetch. */
  fetch?: typeof fetch | undefined;
}

export type Query = Readonly<Record<string, Date | string | number | undefined>>;

/** A wait longer than this is the caller's decision, not ours. */
const MAX_RETRY_AFTER_SECONDS = 60;
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/** From a path to a parsed object: headers, time limit, retries, errors. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #headers: Headers;

  /** Throws where the address or the key cannot be used, rather than at the first call. */
  constructor(options: ClientOptions) {
    if (!options.apiKey) throw new TypeError('apiKey is missing');
    this.#headers = new Headers({ 'x-api-key': options.apiKey });
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '');
    this.#options = options;
  }

  /** One object, or one page, as the service sent it. */
  async get<Answer extends { object: string }>(
    object: Answer['object'],
    path: string,
    query: Query,
    call: CallOptions = {},
  ): Promise<Answer> {
    const url = `${this.#baseUrl}${path}${search(query)}`;
    const { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 } = call;
    const maxRetries = call.maxRetries ?? this.#options.maxRetries ?? 3;
    const requestId = randomId();
    for (let retries = 0; ; retries++) {
      try {
        const answer = await this.#attempt(url, requestId, timeoutMs, signal);
        if (isAnswer<Answer>(answer, object)) return answer;
        throw new ConnectionError(`${this.#baseUrl} answered, but not with a ${object}`, requestId);
      } catch (error) {
        const waitMs = retries < maxRetries ? retryDelayMs(error, retries) : undefined;
        if (waitMs === undefined) throw error;
        await sleep(waitMs, signal);
      }
    }
  }

  async #attempt(url: string, requestId: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<unknown> {
    signal?.throwIfAborted();
    // By hand: the timer ends with the attempt, and a signal that outlives many calls keeps no listener of theirs.
    const end = new AbortController();
    const abort = (): void => end.abort();
    const timer = setTimeout(abort, timeoutMs);
    signal?.addEventListener('abort', abort);
    try {
      const fetch = this.#options.fetch ?? globalThis.fetch;
      const response = await fetch(url, {
        headers: [...this.#headers, ['x-request-id', requestId]],
        redirect: 'manual', // fetch would send the key along, to whomever it is redirected to
        signal: end.signal,
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      throw problemIn(response, text, requestId);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      const missing = `no whole answer from ${this.#baseUrl}`;
      if (end.signal.aborted) throw new TimeoutError(`${missing} within ${timeoutMs} ms`, requestId, error);
      throw new ConnectionError(missing, requestId, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

function search(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return given.toString() && `?${given}`;
}

/** Our own, so that even a call that got no answer can be found in the log. Need not be secret. */
const randomId = (): string => Array.from({ length: 3 }, () => Math.random().toString(36).slice(2, 10)).join('');

function isAnswer<Answer extends { object: string }>(answer: unknown, object: Answer['object']): answer is Answer {
  return typeof answer === 'object' && answer !== null && 'object' in answer && answer.object === object;
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
    return undefined; // a proxy's page
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

/** Half a second, then twice as long each time, up to eight; less up to a half, so that clients do not return as one. */
function retryDelayMs(error: unknown, retries: number): number | undefined {
  const isRetried =
    error instanceof ConnectionError || (error instanceof ApiError && RETRIED_STATUSES.has(error.status));
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
