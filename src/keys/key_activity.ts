import type { Db } from '../db/pool.ts';
import { Outage, type StatusLogger } from '../health/outage.ts';
import { addressGroup } from '../values/client_address.ts';

/** Runs RECORD_KEY_ACTIVITY with these values. The api and the gateway have different connections. */
export type RecordKeyActivity = (values: unknown[]) => Promise<unknown>;

export const RECORD_KEY_ACTIVITY = {
  name: 'record_key_activity',
  text: 'select record_key_activity($1::int[], $2::text[], $3::int[], $4::timestamptz[], $5::timestamptz[])',
};

const FLUSH_MS = 60_000;
/** The largest number of addresses per key. The database keeps the same number for each key and day. */
const MAX_ADDRESSES_PER_KEY = 50;
/** 100,000 entries use about 20 MB. Above that, requests are counted under `other`. */
const MAX_ENTRIES = 100_000;
/** Stands for addresses above the limits, and for clients that disconnected before their address was read. */
export const OTHER_ADDRESS = 'other';

interface Use {
  requests: number;
  firstMs: number;
  lastMs: number;
}

/**
 * Counts from which addresses each key is used, and writes the counts once a minute, so that a request needs no write.
 * If the process is killed, the counts since the last write are lost.
 */
export class KeyActivity {
  readonly #record: RecordKeyActivity;
  readonly #outage: Outage;
  readonly #timer: NodeJS.Timeout;
  /** The uses by key number and address. */
  #uses = new Map<number, Map<string, Use>>();
  #entries = 0;

  constructor(record: RecordKeyActivity, logger: StatusLogger) {
    this.#record = record;
    this.#outage = new Outage(logger, 'recording from where keys are used');
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  add(keyNo: number, address: string, nowMs = Date.now()): void {
    let ofKey = this.#uses.get(keyNo);
    if (ofKey === undefined) {
      ofKey = new Map();
      this.#uses.set(keyNo, ofKey);
    }
    const known = ofKey.get(address);
    if (known !== undefined) {
      known.requests++;
      known.lastMs = nowMs;
      return;
    }
    const isFull = ofKey.size >= MAX_ADDRESSES_PER_KEY || this.#entries >= MAX_ENTRIES;
    if (isFull && address !== OTHER_ADDRESS) return this.add(keyNo, OTHER_ADDRESS, nowMs);
    ofKey.set(address, { requests: 1, firstMs: nowMs, lastMs: nowMs });
    this.#entries++;
  }

  async flush(): Promise<void> {
    if (this.#entries === 0) return;
    const rows = [...this.#uses].flatMap(([keyNo, ofKey]) =>
      [...ofKey].map(([address, use]) => ({
        keyNo,
        address: address === OTHER_ADDRESS ? OTHER_ADDRESS : addressGroup(address),
        ...use,
      })),
    );
    this.#uses = new Map();
    this.#entries = 0;
    const time = (ms: number): string => new Date(ms).toISOString();
    try {
      await this.#record([
        rows.map(({ keyNo }) => keyNo),
        rows.map(({ address }) => address),
        rows.map(({ requests }) => requests),
        rows.map(({ firstMs }) => time(firstMs)),
        rows.map(({ lastMs }) => time(lastMs)),
      ]);
      this.#outage.worked();
    } catch (error) {
      // The counts are dropped, so that they do not grow while the database is unavailable.
      this.#outage.failed(error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

/** The uses of a key from one address, over all days that are kept. */
export interface KeyUse {
  key: string;
  name: string;
  address: string;
  first_at: string;
  last_at: string;
  requests: number;
}

/** Lists the activity of one key by its prefix, or of all keys of an organization; the latest use first. */
export async function listKeyActivity(
  db: Db,
  of: { prefix: string } | { organizationNo: number },
  since: string | null,
): Promise<KeyUse[]> {
  const { rows } = await db.query<KeyUse>(
    `select k.prefix as key, k.name, a.address, min(a.first_at) as first_at, max(a.last_at) as last_at,
            sum(a.requests)::float8 as requests
     from api_keys k join key_activity a on a.key_no = k.no
     where (k.prefix = $1 or k.organization_no = $2) and ($3::timestamptz is null or a.last_at >= $3)
     group by k.no, a.address order by last_at desc, k.no, a.address`,
    ['prefix' in of ? of.prefix : null, 'organizationNo' in of ? of.organizationNo : null, since],
  );
  return rows;
}
