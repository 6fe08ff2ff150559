import { type Agent, request } from 'undici';
import { guardedAgent } from '../http/guarded_agent.ts';
import { guardOf, parseRetryAfter, reasonOf, urlError } from '../http/outgoing_address.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import { parseJson } from '../values/json.ts';
import { valueAt } from '../values/json_path.ts';
import type { JsonSource } from './json_source.ts';

/**
 * `refused`: the key is not accepted, and asking again could lock the account. `limited`: the source was asked too often.
 * `failed`: a later attempt may succeed. `changed`: the profile does not fit the answer, so nothing of it is used.
 */
export type SourceProblem = 'refused' | 'limited' | 'failed' | 'changed';

/** A failure of a source. Its message contains neither an address nor a secret. */
export class SourceError extends Error {
  readonly problem: SourceProblem;
  readonly retryAfterMs: number | null;
  /** True if the source responded that there is nothing at the address. */
  readonly isNotFound: boolean;

  constructor(problem: SourceProblem, message: string, retryAfterMs: number | null = null, isNotFound = false) {
    super(message);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
    this.isNotFound = isNotFound;
  }
}

const REQUEST_TIMEOUT_MS = 60_000;
/** Ten thousand readings of Otodata have 2.5 MB. */
export const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024;

export const sourceAgent = (addresses: AddressConfig): Agent => guardedAgent(guardOf(addresses));

export interface SourceClientOptions {
  agent: Agent;
  addresses: AddressConfig;
  source: Pick<JsonSource, 'headers' | 'login'> & { isPublic?: boolean };
  /** Null if the source needs no secret. */
  secret: string | null;
  /** Waits until the next request may be sent. Throws if the connector must stop. */
  beforeRequest: () => Promise<void>;
  signal?: AbortSignal;
}

/** Asks one source, with its key or a token. Redirects are not followed: they could send the key to another host. */
export class SourceClient {
  readonly #options: SourceClientOptions;
  #token: string | undefined;

  constructor(options: SourceClientOptions) {
    this.#options = options;
  }

  /** Requests the JSON at an address. The values are inserted into the template. Throws a SourceError. */
  async get(template: string, values: Readonly<Record<string, string>> = {}): Promise<unknown> {
    return jsonOf(await this.getBytes(template, values));
  }

  /** Requests the file at an address. Throws a SourceError. */
  async getBytes(template: string, values: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const url = await this.#address(template, values);
    try {
      return await this.#ask(url, this.#headers());
    } catch (error) {
      // A token expires, so a refused token is replaced once. If the new one is refused too, the key is wrong.
      if (!template.includes('{token}')) throw error;
      if (!(error instanceof SourceError) || error.problem !== 'refused') throw error;
      this.#token = undefined;
      return this.#ask(await this.#address(template, values), this.#headers());
    }
  }

  async #address(template: string, values: Readonly<Record<string, string>>): Promise<string> {
    const token = template.includes('{token}') ? (this.#token ??= await this.#login()) : '';
    return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (name === 'token') return encodeURIComponent(token);
      return Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? '') : '';
    });
  }

  #headers(): Record<string, string> {
    const { source, secret } = this.#options;
    return Object.fromEntries(
      Object.entries(source.headers).map(([name, value]) => [name, value.replaceAll('{secret}', secret ?? '')]),
    );
  }

  async #login(): Promise<string> {
    const { source, secret } = this.#options;
    if (source.login === null) throw new SourceError('failed', 'the source has no login');
    const basic = Buffer.from(secret ?? '').toString('base64');
    const answer = jsonOf(
      await this.#ask(source.login.url, { accept: 'application/json', authorization: `Basic ${basic}` }),
    );
    const token = valueAt(answer, source.login.tokenPath);
    if (typeof token !== 'string' || token === '')
      throw new SourceError('changed', 'the login answers without a token');
    return token;
  }

  async #ask(url: string, headers: Readonly<Record<string, string>>): Promise<Buffer> {
    const { agent, addresses, beforeRequest, signal, source } = this.#options;
    const wrong = urlError(url, addresses);
    if (wrong !== undefined) throw new SourceError('failed', `the address ${wrong}`);
    await beforeRequest();
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      const response = await request(url, {
        headers,
        dispatcher: agent,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      if (response.statusCode !== 200) {
        await response.body.dump({ limit: 4_096, signal: AbortSignal.timeout(1_000) }).catch(() => {});
        throw statusError(response.statusCode, response.headers['retry-after'], source.isPublic !== true);
      }
      return await readBody(response.body);
    } catch (error) {
      throw error instanceof SourceError ? error : new SourceError('failed', reasonOf(error));
    }
  }
}

function jsonOf(answer: Buffer): unknown {
  const json = parseJson(answer);
  if (json === undefined) throw new SourceError('changed', 'the answer is not JSON');
  return json;
}

/**
 * The error for the status of a response. A public source that answers 401 or 403, for example because it was asked too often, may be
 * asked again later.
 */
function statusError(status: number, retryAfter: string | string[] | undefined, hasKey: boolean): SourceError {
  if (hasKey && (status === 401 || status === 403)) return new SourceError('refused', `the key is refused (${status})`);
  const retryAfterMs = parseRetryAfter(retryAfter, Date.now());
  if (status === 404 || status === 410) return new SourceError('changed', `the source answered ${status}`, null, true);
  if (status === 429) return new SourceError('limited', 'the source was asked too often (429)', retryAfterMs);
  return new SourceError('failed', `the source answered ${status}`, retryAfterMs);
}

/** Reads a body up to the limit. Leaving the loop closes the connection. */
async function readBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES)
      throw new SourceError('changed', `the answer has more than ${MAX_ANSWER_BYTES / 1_048_576} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
