import { Agent, request } from 'undici';
import { ATTACKER_ADDRESS } from './attack.ts';

export interface Answer {
  /** 0 where there was none. */
  status: number;
  bytes: number;
  ms: number;
  retryAfterSeconds: number | undefined;
}

export interface AttackRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends requests from an address of its own and measures the answers. */
export class HttpAttacker {
  readonly #agent: Agent;

  constructor({
    localAddress = ATTACKER_ADDRESS,
    connections = 32,
  }: { localAddress?: string; connections?: number } = {}) {
    this.#agent = new Agent({ connections, connect: { localAddress }, headersTimeout: 30_000, bodyTimeout: 30_000 });
  }

  /** Never throws. */
  async send({ method, url, headers = {}, body }: AttackRequest): Promise<Answer> {
    const startMs = performance.now();
    try {
      const response = await request(url, {
        method,
        headers,
        dispatcher: this.#agent,
        ...(body === undefined ? {} : { body }),
      });
      const bytes = (await response.body.arrayBuffer()).byteLength;
      const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN);
      return {
        status: response.statusCode,
        bytes,
        ms: performance.now() - startMs,
        retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
      };
    } catch {
      return { status: 0, bytes: 0, ms: performance.now() - startMs, retryAfterSeconds: undefined };
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

export const largestBytes = (answers: readonly Answer[]): number => Math.max(0, ...answers.map(({ bytes }) => bytes));

export const countStatus = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
