import { timingSafeEqual } from 'node:crypto';
import { Follower } from '../db/follower.ts';
import { DatabaseUnavailable, type Readers, type Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { MINUTE_MS } from '../values/time.ts';
import type { KeyScope } from './issue_key.ts';
import { parseKey } from './key_format.ts';

/** What a key's holder may see and do. */
export interface Caller {
  keyNo: number;
  keyPrefix: string;
  organizationNo: number;
  /** Null: the whole organization. */
  customerNo: number | null;
  scopes: readonly KeyScope[];
  requestsPerSecond: number;
  burst: number;
}

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
  secretSha256: Buffer;
  /** Unix milliseconds from which on the key is refused: revoked or expired. */
  endsAtMs: number;
}

const COLUMNS = `no, prefix, secret_sha256, organization_no, customer_no, scopes, requests_per_second, burst,
  expires_at, revoked_at`;

const FIND_KEY: Statement = { name: 'find_key', text: `select ${COLUMNS} from api_keys where prefix = $1` };

/**
 * Everything that changed since the last look: what this snapshot may not have seen yet begins at its xmin, which the
 * next look asks from. Keys restored from another server carry numbers beyond this one's; the upper bound skips them.
 */
const CHANGED_KEYS: Statement = {
  name: 'changed_keys',
  text: `select pg_snapshot_xmin(pg_current_snapshot())::text as seen_up_to, k.*
    from (select) as always
    left join (
      select ${COLUMNS} from api_keys
      where changed_xid >= $1::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())
    ) as k on true`,
};

/** Keys that must work before their first use, because the database may be away when that comes. */
const KEYS_OF_SCOPE: Statement = {
  name: 'keys_of_scope',
  text: `select ${COLUMNS} from api_keys where $1 = any (scopes) and revoked_at is null order by no desc limit $2`,
};

const DEFAULT_TRUST_MS = 5 * MINUTE_MS;
const MAX_KNOWN_KEYS = 100_000;

export interface KeyVerifierOptions {
  outage: Outage;
  /** How long known keys are good while nobody can tell whether they were revoked. */
  trustedWithoutDatabaseMs?: number;
  preloadedScope?: KeyScope;
}

/**
 * Verifies keys from memory. A key is read when it is first used, then followed: a poll brings every change (a standby
 * cannot LISTEN). While the database is away, keys already known keep working for a while.
 */
export class KeyVerifier {
  readonly #readers: Readers;
  readonly #options: KeyVerifierOptions;
  /** By prefix; null for a prefix that no key has. Bounded; the oldest goes first. */
  readonly #known = new Map<string, KnownKey | null>();
  readonly #lookups = new Map<string, Promise<KnownKey | null>>();
  readonly #follower: Follower;
  #seenUpTo: string | undefined;

  constructor(readers: Readers, options: KeyVerifierOptions) {
    this.#readers = readers;
    this.#options = options;
    this.#follower = new Follower(() => this.#look(), options.outage);
  }

  /** Begins to follow changes. Resolves after the first look, whether or not the database answered. */
  async start(): Promise<void> {
    await this.#follower.start();
  }

  close(): void {
    this.#follower.close();
  }

  /** True while changes are being followed. */
  get isCurrent(): boolean {
    return Date.now() - this.#follower.confirmedAtMs < 5_000;
  }

  /** Undefined for a key that is malformed, unknown, expired or revoked. Answers at once for a key already known. */
  verify(text: string): Caller | undefined | Promise<Caller | undefined> {
    const key = parseKey(text);
    if (key === undefined) return undefined;
    const known = this.#known.get(key.prefix);
    if (known !== undefined) return this.#check(known, key.secretSha256);
    return this.#find(key.prefix).then((found) => this.#check(found, key.secretSha256));
  }

  #check(known: KnownKey | null, secretSha256: Buffer): Caller | undefined {
    const nowMs = Date.now();
    if (nowMs - this.#follower.confirmedAtMs > (this.#options.trustedWithoutDatabaseMs ?? DEFAULT_TRUST_MS)) {
      throw new DatabaseUnavailable('keys could not be confirmed for too long');
    }
    if (known === null || !timingSafeEqual(known.secretSha256, secretSha256)) return undefined;
    return nowMs < known.endsAtMs ? known.caller : undefined;
  }

  #find(prefix: string): Promise<KnownKey | null> {
    const underWay = this.#lookups.get(prefix);
    if (underWay) return underWay;
    // What is read before changes are followed could go stale unseen, so it is not kept.
    const isFollowing = this.#seenUpTo !== undefined;
    const lookup = this.#readers
      .query<KeyRow>(FIND_KEY, [prefix])
      .then(([row]) => {
        // If a poll brought this key meanwhile, that may be newer than what was read here.
        const newer = this.#known.get(prefix);
        if (newer !== undefined) return newer;
        const found = row ? knownKey(row) : null;
        return isFollowing ? this.#remember(prefix, found) : found;
      })
      .finally(() => this.#lookups.delete(prefix));
    this.#lookups.set(prefix, lookup);
    return lookup;
  }

  #remember(prefix: string, key: KnownKey | null): KnownKey | null {
    if (this.#known.size >= MAX_KNOWN_KEYS) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.set(prefix, key);
    return key;
  }

  async #preload(): Promise<void> {
    const { preloadedScope } = this.#options;
    if (preloadedScope === undefined) return;
    const rows = await this.#readers.query<KeyRow>(KEYS_OF_SCOPE, [preloadedScope, MAX_KNOWN_KEYS / 2]);
    for (const row of rows) this.#remember(row.prefix, knownKey(row));
  }

  async #look(): Promise<void> {
    if (this.#seenUpTo === undefined) {
      // Nothing is known yet, so there is nothing to follow: only where to begin, before anything is read.
      const [start] = await this.#readers.query<{ seen_up_to: string }>(CHANGED_KEYS, ['18446744073709551615']);
      await this.#preload();
      this.#seenUpTo = start?.seen_up_to;
      return;
    }
    const rows = await this.#readers.query<{ seen_up_to: string } & (KeyRow | { prefix: null })>(CHANGED_KEYS, [
      this.#seenUpTo,
    ]);
    for (const row of rows) if (row.prefix !== null) this.#remember(row.prefix, knownKey(row));
    this.#seenUpTo = rows[0]?.seen_up_to ?? this.#seenUpTo;
  }
}

function knownKey(row: KeyRow): KnownKey {
  const ends = [row.expires_at, row.revoked_at].filter((at) => at !== null).map((at) => Date.parse(at));
  return {
    secretSha256: row.secret_sha256,
    endsAtMs: Math.min(Number.POSITIVE_INFINITY, ...ends),
    caller: {
      keyNo: row.no,
      keyPrefix: row.prefix,
      organizationNo: row.organization_no,
      customerNo: row.customer_no,
      scopes: row.scopes,
      requestsPerSecond: row.requests_per_second,
      burst: row.burst,
    },
  };
}
