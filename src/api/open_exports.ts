import type { ServerResponse } from 'node:http';
import { tooManyStreams } from '../http/problem.ts';

const MAX_EXPORTS_PER_KEY = 4;

/** The exports that clients read now. Each has a page of up to 0.3 MB in memory, for as long as its client likes. */
export class OpenExports {
  readonly #open = new Map<number, number>();

  /** Throws 429. */
  add(keyNo: number, response: ServerResponse): void {
    const open = this.#open.get(keyNo) ?? 0;
    if (open >= MAX_EXPORTS_PER_KEY) throw tooManyStreams();
    this.#open.set(keyNo, open + 1);
    response.once('close', () => {
      const left = (this.#open.get(keyNo) ?? 1) - 1;
      if (left > 0) this.#open.set(keyNo, left);
      else this.#open.delete(keyNo);
    });
  }
}
