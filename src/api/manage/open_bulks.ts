import type { ServerResponse } from 'node:http';
import { tooManyChanges } from '../../http/problem.ts';

/** The limit of this process. The body of a bulk has up to 8 MiB, and its parsed objects need five times as much. */
const MAX_BULKS = 8;

/** Allows one bulk or import of an organization at a time, because several would only wait for each other. */
export class OpenBulks {
  readonly #responses = new Map<number, ServerResponse>();
  readonly #running = new WeakSet<ServerResponse>();

  /**
   * To be called before the body is read. Throws 429. The bulk ends when its lines are stored and its connection is
   * closed. Otherwise a client that closes its connection and sends another body would have both bodies stored at the
   * same time.
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
      // The bulk of a client that has gone may already have been replaced by another one.
      if (response.closed && this.#responses.get(organizationNo) === response) this.#responses.delete(organizationNo);
    }
  }
}
