import type { ServerResponse } from 'node:http';
import { tooManyStreams } from '../http/problem.ts';
import { type Caller, senderOf } from '../keys/key_verifier.ts';
import { FairQueue } from '../values/fair_queue.ts';

const MAX_EXPORTS_PER_KEY = 4;
const MAX_EXPORTS_PER_ORGANIZATION = 16;
/**
 * The number of pages of exports that are made at the same time. They use half of the connections for slow reads, so
 * that the other half is free for the console.
 */
const MAX_PAGES_AT_ONCE = 2;

/** The exports that clients are reading. Each keeps a page of up to 0.1 MB in memory until its client has read it. */
export class OpenExports {
  readonly #open = new Map<ServerResponse, Caller>();
  /**
   * The response of an export counts as ready when its first line is ready, so its pages are not part of the fair queue
   * of requests. The buffers of a connection take some megabytes before the client reads anything: without this
   * queue, 16 exports could each make thousands of rows at once.
   */
  readonly #queue = new FairQueue({
    maxInProgress: MAX_PAGES_AT_ONCE,
    reservedPerGroup: 0,
    maxInProgressPerGroup: 1,
    maxInProgressPerMember: 1,
    maxWaitingPerMember: Number.POSITIVE_INFINITY,
    maxWaiting: Number.POSITIVE_INFINITY,
  });

  /** Throws 429 if the caller or the organization has too many exports. */
  add(caller: Caller, response: ServerResponse): void {
    const ofOrganization = [...this.#open.values()].filter((open) => open.organizationNo === caller.organizationNo);
    const ofKey = ofOrganization.filter(({ keyNo }) => keyNo === caller.keyNo);
    if (ofKey.length >= MAX_EXPORTS_PER_KEY || ofOrganization.length >= MAX_EXPORTS_PER_ORGANIZATION)
      throw tooManyStreams();
    this.#open.set(response, caller);
    response.once('close', () => this.#open.delete(response));
  }

  /** Makes a page when the fair queue starts it. One page of each organization is made at a time. */
  async makePage<Page>(caller: Caller, make: () => Promise<Page>): Promise<Page> {
    const sender = senderOf(caller);
    await new Promise<void>((resolve) => {
      this.#queue.enter(sender, () => {
        resolve();
        return true;
      });
    });
    try {
      return await make();
    } finally {
      this.#queue.leave(sender);
    }
  }
}
