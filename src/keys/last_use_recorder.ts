import type { AccessWriters } from '../db/access_writers.ts';
import type { Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';

const RECORD_KEY_USE: Statement = {
  name: 'record_key_use',
  text: 'select record_key_use($1::int[], $2::timestamptz[])',
};
const RECORD_SESSION_USE: Statement = {
  name: 'record_session_use',
  text: 'select record_session_use($1::text[], $2::timestamptz[])',
};
const FLUSH_MS = 5_000;

export const recordKeyUse = (writers: AccessWriters, outage: Outage): LastUseRecorder<number> =>
  new LastUseRecorder(writers, outage, RECORD_KEY_USE);

/** Records the use of sessions by prefix. The database extends a session that is used. */
export const recordSessionUse = (writers: AccessWriters, outage: Outage): LastUseRecorder<string> =>
  new LastUseRecorder(writers, outage, RECORD_SESSION_USE);

/** Collects when each key or session was last used, and writes all times to the database every 5 s. */
export class LastUseRecorder<Id extends number | string> {
  readonly #writers: AccessWriters;
  readonly #outage: Outage;
  readonly #record: Statement;
  #usedAtMs = new Map<Id, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(writers: AccessWriters, outage: Outage, record: Statement) {
    this.#writers = writers;
    this.#outage = outage;
    this.#record = record;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  record(id: Id): void {
    this.#usedAtMs.set(id, Date.now());
  }

  async flush(): Promise<void> {
    if (this.#usedAtMs.size === 0) return;
    const used = this.#usedAtMs;
    this.#usedAtMs = new Map();
    try {
      const times = [...used.values()].map((ms) => new Date(ms).toISOString());
      await this.#writers.query(this.#record, [[...used.keys()], times]);
      this.#outage.worked();
    } catch (error) {
      this.#outage.failed(error);
      for (const [id, atMs] of used) if (!this.#usedAtMs.has(id)) this.#usedAtMs.set(id, atMs);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
