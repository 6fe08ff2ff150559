import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PollingLoop, type PollPosition } from '../db/polling_loop.ts';
import { DatabaseUnavailableError, type Readers } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import type { Sender } from '../values/fair_queue.ts';
import { MINUTE_MS } from '../values/time.ts';
import type { ConsoleRole } from './console_roles.ts';
import { CREDENTIALS, type CredentialSource, KEYS_OF_SCOPE, REVOCATION_POLL_MS } from './credential_sources.ts';
import type { KeyScope } from './issue_key.ts';
import { type Credential, parseKey } from './key_format.ts';

/** The holder of an API key, with the permissions of the key. */
export interface Caller {
  keyNo: number;
  keyPrefix: string;
  organizationNo: number;
  /** The customer of a narrowed key. Null if the key sees the whole organization. */
  customerNo: number | null;
  scopes: readonly KeyScope[];
  requestsPerSecond: number;
  burst: number;
  /**
   * True for a session. `keyPrefix` is then the prefix of the session. `keyNo` is negative if it began without a key.
   */
  isSession: boolean;
  /** The contact whose session it is. Null for a key, for the session of a key, and for an owner. */
  contactNo: number | null;
  /** Console roles of the contact. The session of a key has the role viewer. Empty for a key and for an owner. */
  roles: readonly ConsoleRole[];
}

/** Whether the caller is an owner who signed in. A session that began with a narrowed key is not. */
export const isOwner = ({ isSession, keyNo, customerNo }: Caller): boolean =>
  isSession && keyNo < 0 && customerNo !== null;

/**
 * The sender for fair queueing: the organization, and in it a key with all its sessions, or a session without a key.
 */
export const senderOf = ({ organizationNo, keyNo }: Caller): Sender => ({
  group: `organization ${organizationNo}`,
  member: `key ${keyNo}`,
});

interface KeyRow {
  no: number;
  prefix: string;
  /** Null if the database only compares hashes. */
  secret_sha256: Buffer | null;
  /** Whether the given hash is that of the secret. Null if it was not compared. */
  is_right: boolean | null;
  organization_no: number;
  customer_no: number | null;
  scopes: KeyScope[];
  contact_no: number | null;
  roles: ConsoleRole[];
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

/** A lookup in the database that has not ended. */
interface Lookup {
  prefix: string;
  found: Promise<KnownKey | null>;
  /** True if a poll has read a change of the key since the lookup began. */
  isOutdated: boolean;
}

const DEFAULT_TRUST_MS = 5 * MINUTE_MS;
/** A request with an unknown key waits this long for the primary before a replica is asked instead. */
const FALLBACK_AFTER_MS = 1_000;
const MAX_KNOWN_KEYS = 100_000;
/**
 * Prefixes that no key has are kept in a set of their own, so that guessed keys cannot push real keys out of memory.
 */
const MAX_UNKNOWN_PREFIXES = 10_000;

export interface KeyVerifierOptions {
  outage: Outage;
  /** How long known keys are accepted while the database is unavailable and revocations cannot be seen. */
  trustedWithoutDatabaseMs?: number;
  preloadedScope?: KeyScope;
  /** A replica that can be asked for an unknown key while the primary is unavailable. */
  fallback?: (() => Readers | undefined) | undefined;
  /** Default: keysInMemory. */
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
  /** The known keys by prefix. Limited to MAX_KNOWN_KEYS; the oldest entry is removed first. */
  readonly #known = new Map<string, KnownKey>();
  /** Prefixes that no key has. Limited to MAX_UNKNOWN_PREFIXES; the oldest entry is removed first. */
  readonly #unknown = new Set<string>();
  /**
   * The lookups by prefix and hash, so that a lookup with a guessed secret is not shared with the holder of the real
   * key.
   */
  readonly #lookups = new Map<string, Lookup>();
  readonly #follower: PollingLoop;
  readonly #source: CredentialSource;
  /** Undefined before the first poll. */
  #seen: PollPosition | undefined;

  constructor(readers: Readers, options: KeyVerifierOptions) {
    this.#readers = readers;
    this.#options = options;
    this.#source = options.source ?? CREDENTIALS.keysInMemory;
    this.#follower = new PollingLoop(() => this.#poll(), options.outage, REVOCATION_POLL_MS);
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
    return this.#find(key).then((found) => this.#check(found, key.secretSha256));
  }

  /** The holder of a valid key that is in memory. Undefined for every other key. */
  knownCaller(text: string): Caller | undefined {
    const key = parseKey(text);
    const known = key && this.#known.get(key.prefix);
    return known && this.isTrusted ? this.#check(known, key.secretSha256) : undefined;
  }

  #check(known: KnownKey | null, secretSha256: Buffer): Caller | undefined {
    if (!this.isTrusted) {
      throw new DatabaseUnavailableError('API keys have not been confirmed by the database for too long');
    }
    if (known === null || !timingSafeEqual(known.secretSha256, secretSha256)) return undefined;
    return Date.now() < known.endsAtMs ? known.caller : undefined;
  }

  #find(key: Credential): Promise<KnownKey | null> {
    const id = `${key.prefix}.${key.secretSha256.toString('base64')}`;
    const running = this.#lookups.get(id);
    if (running) return running.found;
    const lookup: Lookup = {
      prefix: key.prefix,
      isOutdated: false,
      found: this.#lookUp(key, () => lookup.isOutdated)
        .catch((error: unknown) => this.#findInFallback(key, error))
        .finally(() => this.#lookups.delete(id)),
    };
    this.#lookups.set(id, lookup);
    return lookup.found;
  }

  async #lookUp(key: Credential, isOutdated: () => boolean): Promise<KnownKey | null> {
    const seenBefore = this.#seen;
    const [row] = await this.#askPrimary(key);
    // A poll may have read a newer version of the key during this query.
    const newer = this.#known.get(key.prefix);
    if (newer !== undefined) return newer;
    const found = this.#knownKey(row, key);
    // A key that was read before the first poll, or while the key or the server changed, is not kept, because the polls
    // may have missed a change.
    if (seenBefore !== undefined && seenBefore.server === this.#seen?.server && !isOutdated()) {
      if (row === undefined) this.#rememberUnknown(key.prefix);
      else if (found !== null) this.#remember(key.prefix, found);
    }
    return found;
  }

  async #askPrimary({ prefix, secretSha256 }: Credential): Promise<KeyRow[]> {
    const rows = this.#readers.query<KeyRow>(this.#source.find, [prefix, secretSha256]);
    if (this.#options.fallback?.() === undefined) return rows;
    const timeout = sleep(FALLBACK_AFTER_MS, undefined, { ref: false }).then(() => {
      throw new DatabaseUnavailableError('the primary does not answer');
    });
    return Promise.race([rows, timeout]);
  }

  /** A replica may lack the latest changes, so a key from it is used for this request only and not kept. */
  async #findInFallback(key: Credential, error: unknown): Promise<KnownKey | null> {
    const replica = error instanceof DatabaseUnavailableError ? this.#options.fallback?.() : undefined;
    if (replica === undefined) throw error;
    const [row] = await replica.query<KeyRow>(this.#source.find, [key.prefix, key.secretSha256]);
    return this.#knownKey(row, key);
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

  /** Null if there is no such key, or if the given secret is wrong. */
  #knownKey(row: KeyRow | undefined, given: Pick<Credential, 'secretSha256'>): KnownKey | null {
    if (row === undefined || row.is_right === false) return null;
    return knownKey(row, row.secret_sha256 ?? given.secretSha256, this.#source);
  }

  /** A changed key that comes without its hash can only be kept if it is in memory already. */
  #applyChange(row: KeyRow): void {
    for (const lookup of this.#lookups.values()) if (lookup.prefix === row.prefix) lookup.isOutdated = true;
    this.#unknown.delete(row.prefix);
    const secretSha256 = row.secret_sha256 ?? this.#known.get(row.prefix)?.secretSha256;
    if (secretSha256 !== undefined) this.#remember(row.prefix, knownKey(row, secretSha256, this.#source));
  }

  async #preload(): Promise<void> {
    const { preloadedScope } = this.#options;
    if (preloadedScope === undefined) return;
    const rows = await this.#readers.query<KeyRow>(KEYS_OF_SCOPE, [preloadedScope, MAX_KNOWN_KEYS / 2]);
    for (const row of rows) this.#applyChange(row);
  }

  async #poll(): Promise<void> {
    if (this.#seen === undefined) {
      // First poll: no key is known yet. Read only the transaction id from which the next poll starts.
      const [start] = await this.#readers.query<PollPosition>(this.#source.changes, ['18446744073709551615']);
      await this.#preload();
      this.#seen = start;
      return;
    }
    const rows = await this.#readers.query<PollPosition & (KeyRow | { prefix: null })>(this.#source.changes, [
      this.#seen.seen_up_to,
    ]);
    if (rows[0] !== undefined && rows[0].server !== this.#seen.server) return this.#restart();
    for (const row of rows) if (row.prefix !== null) this.#applyChange(row);
    this.#seen = rows[0] ?? this.#seen;
  }

  /** Starts again, because the transaction ids of another server, such as a promoted standby, begin elsewhere. */
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

function knownKey(row: KeyRow, secretSha256: Uint8Array, { isSession }: Pick<Caller, 'isSession'>): KnownKey {
  const ends = [row.expires_at, row.revoked_at].filter((at) => at !== null).map((at) => Date.parse(at));
  return {
    // A copy, because the driver's 32 bytes are part of a block of 64 KB, which would stay in memory as long as the
    // key.
    secretSha256: new Uint8Array(secretSha256),
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
      contactNo: row.contact_no,
      roles: row.roles,
    },
  };
}
