import type { ServerResponse } from 'node:http';
import { tooManyChanges } from '../../http/problem.ts';

/** In this process. Each holds up to 8 MiB, and its objects need five times as much. */
const MAX_BULKS = 8;

/** One bulk of an organization at a time: they would only wait for each other. */
export class OpenBulks {
  readonly #responses = new Map<number, ServerResponse>();
  readonly #running = new WeakSet<ServerResponse>();

  /**
   * Call it before the body is read. Throws 429. The bulk ends when nothing stores its lines and nobody reads its answer any
   * more: a client that closes its connection and sends another body would else have both stored at the same time.
   */
  begin(organizationNo: number, response: ServerResponse): void {
    if (this.#responses.has(organizationNo) || this.#responses.size >= MAX_BULKS) throw tooManyChanges();
    this.#responses.set(organizationNo, response);
    response.once('close', () => {
      if (!this.#running.has(response)) this.#responses.delete(organizationNo);
    });
  }

  /** Stores the lines of a bulk that has begun. */
  async run<T>(organizationNo: number, response: ServerResponse, work: () => Promise<T>): Promise<T> {
    this.#running.add(response);
    try {
      return await work();
    } finally {
      this.#running.delete(response);
      // The one of a client that was gone before may have made room for another one.
      if (response.closed && this.#responses.get(organizationNo) === response) this.#responses.delete(organizationNo);
    }
  }
}
