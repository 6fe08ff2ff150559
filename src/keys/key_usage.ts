import type { Readers, Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';

const RECORD_KEY_USE: Statement = {
  name: 'record_key_use',
  text: 'select record_key_use($1::int[], $2::timestamptz[])',
};
const FLUSH_MS = 5_000;

/** Collects when each key was last used, and writes all times to the database every 5 s. */
export class KeyUsage {
  readonly #readers: Readers;
  readonly #outage: Outage;
  #usedAtMs = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(readers: Readers, outage: Outage) {
    this.#readers = readers;
    this.#outage = outage;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  record(keyNo: number): void {
    this.#usedAtMs.set(keyNo, Date.now());
  }

  async flush(): Promise<void> {
    if (this.#usedAtMs.size === 0) return;
    const used = this.#usedAtMs;
    this.#usedAtMs = new Map();
    try {
      const times = [...used.values()].map((ms) => new Date(ms).toISOString());
      await this.#readers.query(RECORD_KEY_USE, [[...used.keys()], times]);
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
      for (const [keyNo, atMs] of used) if (!this.#usedAtMs.has(keyNo)) this.#usedAtMs.set(keyNo, atMs);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
