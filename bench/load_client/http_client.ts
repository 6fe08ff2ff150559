import { Agent, request } from 'node:http';

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  key?: string | undefined;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Sent as the body, with the content type of JSON. */
  json?: unknown;
}

export interface Answer {
  /** 0 if there was no answer. */
  status: number;
  /** Why there was no answer. Empty if there was one. */
  failure: string;
  text: string;
  headers: Record<string, string | string[] | undefined>;
  ms: number;
}

export interface HttpClientOptions {
  connections?: number;
  /** The address from which it connects. */
  localAddress?: string;
  timeoutMs?: number;
}

/**
 * Sends each request once, over connections that it keeps open until the server closes them. Common clients silently open a
 * new connection when one is reset, and so hide the requests that a restart drops.
 */
export class HttpClient {
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ connections = 64, localAddress, timeoutMs = 30_000 }: HttpClientOptions = {}) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ...(localAddress && { localAddress }) });
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request. It never throws: a failure is part of the answer. */
  send(url: string, { method, key, headers, body, json }: HttpRequest = {}): Promise<Answer> {
    const startMs = performance.now();
    const content = json === undefined ? body : JSON.stringify(json);
    return new Promise((resolve) => {
      const end = (status: number, failure: string, more: Partial<Answer> = {}): void =>
        resolve({ status, failure, text: '', headers: {}, ...more, ms: performance.now() - startMs });
      const sent = request(
        url,
        {
          agent: this.#agent,
          method: method ?? (content === undefined ? 'GET' : 'POST'),
          timeout: this.#timeoutMs,
          headers: {
            ...(key === undefined ? {} : { 'x-api-key': key }),
            ...(json === undefined ? {} : { 'content-type': 'application/json' }),
            ...(content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            end(response.statusCode ?? 0, '', { text, headers: response.headers });
          });
          response.on('error', (error) => end(0, `response: ${error.message}`));
          response.on('close', () => end(0, 'the response was cut off'));
        },
      );
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${this.#timeoutMs / 1_000} s`)));
      sent.on('error', (error) => end(0, `request: ${error.message}`));
      sent.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export const countStatus = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
