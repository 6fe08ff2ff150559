import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Follower, SEEN, type Seen } from '../db/follower.ts';
import { DatabaseUnavailable, type Readers, type Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { MINUTE_MS } from '../values/time.ts';
import type { KeyScope } from './issue_key.ts';
import { parseKey } from './key_format.ts';

/** The holder of an API key, with the permissions of the key. */
export interface Caller {
  keyNo: number;
  keyPrefix: string;
  organizationNo: number;
  /** The customer of a narrowed key. Null: the key sees the whole organization. */
  customerNo: number | null;
  scopes: readonly KeyScope[];
  requestsPerSecond: number;
  burst: number;
  /** Whether it is a session. Its prefix is then `keyPrefix`, and `keyNo` is negative if it has no key. */
  isSession: boolean;
}

/** Who takes turns at the database: a key with all its sessions, or a session without a key. */
export const senderOf = ({ keyNo }: Caller): string => `key ${keyNo}`;

interface KeyRow {
  no: number;
  prefix: string;
  secret_sha256: Buffer;
  organization_no: number;
  customer_no: number | null;
  scopes: KeyScope[];
  requests_per_second: number;
  burst: number;
  expires_at: string | null;
  revoked_at: string | null;
}

interface KnownKey {
  caller: Caller;
  secretSha256: Uint8Array;
  /** When the key expires or was revoked, in Unix milliseconds. */
  endsAtMs: number;
}

const COLUMNS = `no, prefix, secret_sha256, organization_no, customer_no, scopes, requests_per_second, burst,
  expires_at, revoked_at`;

/** Where credentials of this form are stored: keys, or sessions in the columns of keys. */
type CredentialSource = 'api_keys' | 'session_credentials';

const findKey = (source: CredentialSource): Statement => ({
  name: `find_in_${source}`,
  text: `select ${COLUMNS} from ${source} where prefix = $1`,
});

/**
 * The keys that changed since the last poll. A transaction that is still running has an id at or above the snapshot's
 * xmin, so the next poll starts at this xmin. Keys restored from another server can have higher transaction ids than
 * this server; the upper bound skips them.
 */
const changedKeys = (source: CredentialSource): Statement => ({
  name: `changed_in_${source}`,
  text: `select ${SEEN}, k.*
    from (select) as always
    left join (
      select ${COLUMNS} from ${source}
      where changed_xid >= $1::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())
    ) as k on true`,
});

/** Keys that are read at the start, because the database may be unavailable when they are first used. */
const KEYS_OF_SCOPE: Statement = {
  name: 'keys_of_scope',
  text: `select ${COLUMNS} from api_keys where $1 = any (scopes) and revoked_at is null order by no desc limit $2`,
};

const DEFAULT_TRUST_MS = 5 * MINUTE_MS;
/** How long a primary that hangs may delay a request with an unknown key, if a replica can be asked instead. */
const FALLBACK_AFTER_MS = 1_000;
const MAX_KNOWN_KEYS = 100_000;
/** Prefixes that no key has. They are kept apart, so that guessed keys cannot remove real ones from memory. */
const MAX_UNKNOWN_PREFIXES = 10_000;

export interface KeyVerifierOptions {
  outage: Outage;
  /** How long known keys are accepted while the database is unavailable and revocations cannot be seen. */
  trustedWithoutDatabaseMs?: number;
  preloadedScope?: KeyScope;
  /** A replica that can be asked for an unknown key while the primary is away. */
  fallback?: (() => Readers | undefined) | undefined;
  /** Default: api_keys. */
  source?: CredentialSource;
  maxKnownKeys?: number;
}

/**
 * Verifies keys from memory. A key is read when it is first used, then polled for changes; LISTEN is not possible on a
 * standby. While the database is unavailable, known keys are accepted for `trustedWithoutDatabaseMs`.
 */
export class KeyVerifier {
  readonly #readers: Readers;
  readonly #options: KeyVerifierOptions;
  /** By prefix. Limited to MAX_KNOWN_KEYS; the oldest entry is removed first. */
  readonly #known = new Map<string, KnownKey>();
  /** Prefixes that no key has. Limited to MAX_UNKNOWN_PREFIXES; the oldest entry is removed first. */
  readonly #unknown = new Set<string>();
  readonly #lookups = new Map<string, Promise<KnownKey | null>>();
  readonly #follower: Follower;
  readonly #findKey: Statement;
  readonly #changedKeys: Statement;
  /** Undefined before the first poll. */
  #seen: Seen | undefined;

  constructor(readers: Readers, options: KeyVerifierOptions) {
    this.#readers = readers;
    this.#options = options;
    this.#findKey = findKey(options.source ?? 'api_keys');
    this.#changedKeys = changedKeys(options.source ?? 'api_keys');
    this.#follower = new Follower(() => this.#poll(), options.outage);
  }

  /** Starts polling. Resolves after the first poll, even if it failed. */
  async start(): Promise<void> {
    await this.#follower.start();
  }

  close(): void {
    this.#follower.close();
  }

  /** True while polls succeed. */
  get isCurrent(): boolean {
    return Date.now() - this.#follower.confirmedAtMs < 5_000;
  }

  /** True while known keys are accepted. */
  get isTrusted(): boolean {
    const trustMs = this.#options.trustedWithoutDatabaseMs ?? DEFAULT_TRUST_MS;
    return Date.now() - this.#follower.confirmedAtMs <= trustMs;
  }

  /**
   * Returns undefined for a malformed, unknown, expired or revoked key. Returns without a promise for a known key.
   * `beforeLookup` is called before the database is asked for a key that is not in memory; it may throw.
   */
  verify(text: string, beforeLookup: () => void = () => {}): Caller | undefined | Promise<Caller | undefined> {
    const key = parseKey(text);
    if (key === undefined) return undefined;
    const known = this.#known.get(key.prefix) ?? (this.#unknown.has(key.prefix) ? null : undefined);
    if (known !== undefined) return this.#check(known, key.secretSha256);
    beforeLookup();
    return this.#find(key.prefix).then((found) => this.#check(found, key.secretSha256));
  }

  /** The holder of a key that is in memory. Undefined for a key that is not valid, or that the database must be asked for. */
  knownCaller(text: string): Caller | undefined {
    const key = parseKey(text);
    const known = key && this.#known.get(key.prefix);
    return known && this.isTrusted ? this.#check(known, key.secretSha256) : undefined;
  }

  #check(known: KnownKey | null, secretSha256: Buffer): Caller | undefined {
    if (!this.isTrusted) {
      throw new DatabaseUnavailable('API keys have not been confirmed by the database for too long');
    }
    if (known === null || !timingSafeEqual(known.secretSha256, secretSha256)) return undefined;
    return Date.now() < known.endsAtMs ? known.caller : undefined;
  }

  #find(prefix: string): Promise<KnownKey | null> {
    const running = this.#lookups.get(prefix);
    if (running) return running;
    const seenBefore = this.#seen;
    const lookup = this.#askPrimary(prefix)
      .then(([row]) => {
        // A poll may have read a newer version of the key during this query.
        const newer = this.#known.get(prefix);
        if (newer !== undefined) return newer;
        const found = row ? this.#knownKey(row) : null;
        // A key read before the first poll, or while the server changed, is not kept: a change could be missed.
        if (seenBefore !== undefined && seenBefore.server === this.#seen?.server) {
          if (found === null) this.#rememberUnknown(prefix);
          else this.#remember(prefix, found);
        }
        return found;
      })
      .catch((error: unknown) => this.#findInFallback(prefix, error))
      .finally(() => this.#lookups.delete(prefix));
    this.#lookups.set(prefix, lookup);
    return lookup;
  }

  async #askPrimary(prefix: string): Promise<KeyRow[]> {
    const answer = this.#readers.query<KeyRow>(this.#findKey, [prefix]);
    if (this.#options.fallback?.() === undefined) return answer;
    const timeout = sleep(FALLBACK_AFTER_MS, undefined, { ref: false }).then(() => {
      throw new DatabaseUnavailable('the primary does not answer');
    });
    return Promise.race([answer, timeout]);
  }

  /** A replica may lack the last changes. So its key is used for this request only, and not kept. */
  async #findInFallback(prefix: string, error: unknown): Promise<KnownKey | null> {
    const replica = error instanceof DatabaseUnavailable ? this.#options.fallback?.() : undefined;
    if (replica === undefined) throw error;
    const [row] = await replica.query<KeyRow>(this.#findKey, [prefix]);
    return row ? this.#knownKey(row) : null;
  }

  #remember(prefix: string, key: KnownKey): void {
    removeOldest(this.#known, this.#options.maxKnownKeys ?? MAX_KNOWN_KEYS);
    this.#known.set(prefix, key);
    this.#unknown.delete(prefix);
  }

  #rememberUnknown(prefix: string): void {
    removeOldest(this.#unknown, MAX_UNKNOWN_PREFIXES);
    this.#unknown.add(prefix);
  }

  #knownKey(row: KeyRow): KnownKey {
    return knownKey(row, { isSession: this.#options.source === 'session_credentials' });
  }

  async #preload(): Promise<void> {
    const { preloadedScope } = this.#options;
    if (preloadedScope === undefined) return;
    const rows = await this.#readers.query<KeyRow>(KEYS_OF_SCOPE, [preloadedScope, MAX_KNOWN_KEYS / 2]);
    for (const row of rows) this.#remember(row.prefix, this.#knownKey(row));
  }

  async #poll(): Promise<void> {
    if (this.#seen === undefined) {
      // First poll: no key is known yet. Read only the transaction id from which the next poll starts.
      const [start] = await this.#readers.query<Seen>(this.#changedKeys, ['18446744073709551615']);
      await this.#preload();
      this.#seen = start;
      return;
    }
    const rows = await this.#readers.query<Seen & (KeyRow | { prefix: null })>(this.#changedKeys, [
      this.#seen.seen_up_to,
    ]);
    if (rows[0] !== undefined && rows[0].server !== this.#seen.server) return this.#restart();
    for (const row of rows) if (row.prefix !== null) this.#remember(row.prefix, this.#knownKey(row));
    this.#seen = rows[0] ?? this.#seen;
  }

  /** The transaction ids of another server, such as a promoted standby, do not continue those that were seen. */
  async #restart(): Promise<void> {
    this.#seen = undefined;
    this.#known.clear();
    this.#unknown.clear();
    await this.#poll();
  }
}

/** Makes room for one more entry. */
function removeOldest(entries: Map<string, unknown> | Set<string>, maxEntries: number): void {
  if (entries.size < maxEntries) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}

function knownKey(row: KeyRow, { isSession }: Pick<Caller, 'isSession'>): KnownKey {
  const ends = [row.expires_at, row.revoked_at].filter((at) => at !== null).map((at) => Date.parse(at));
  return {
    // A copy: the driver's 32 bytes are part of a block of 64 KB, which would stay in memory for as long as the key.
    secretSha256: new Uint8Array(row.secret_sha256),
    endsAtMs: Math.min(Number.POSITIVE_INFINITY, ...ends),
    caller: {
      keyNo: row.no,
      keyPrefix: row.prefix,
      organizationNo: row.organization_no,
      customerNo: row.customer_no,
      scopes: row.scopes,
      requestsPerSecond: row.requests_per_second,
      burst: row.burst,
      isSession,
    },
  };
}
