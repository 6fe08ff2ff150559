import type { ServerResponse } from 'node:http';
import { tooManyStreams } from '../http/problem.ts';
import type { Caller } from '../keys/key_verifier.ts';

const MAX_EXPORTS_PER_KEY = 4;
const MAX_EXPORTS_PER_ORGANIZATION = 16;

/** The exports that clients read now. Each has a page of up to 0.3 MB in memory, for as long as its client likes. */
export class OpenExports {
  readonly #open = new Map<ServerResponse, Caller>();

  /** Throws 429. */
  add(caller: Caller, response: ServerResponse): void {
    const ofOrganization = [...this.#open.values()].filter((one) => one.organizationNo === caller.organizationNo);
    const ofKey = ofOrganization.filter(({ keyNo }) => keyNo === caller.keyNo);
    if (ofKey.length >= MAX_EXPORTS_PER_KEY || ofOrganization.length >= MAX_EXPORTS_PER_ORGANIZATION)
      throw tooManyStreams();
    this.#open.set(response, caller);
    response.once('close', () => this.#open.delete(response));
  }
}
