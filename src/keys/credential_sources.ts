import { changedSince, withPollPosition } from '../db/polling_loop.ts';
import type { Statement } from '../db/readers.ts';

/** The interval of polls: a rotated or revoked key, session or device must be refused within a second. */
export const REVOCATION_POLL_MS = 400;

const OF_KEY = 'no, prefix, organization_no, customer_no, scopes, requests_per_second, burst, expires_at, revoked_at';
/** Only the session of a person has a contact and roles. */
const COLUMNS = {
  keys: `${OF_KEY}, null::int as contact_no, '{}'::text[] as roles`,
  sessions: `${OF_KEY}, contact_no, roles`,
} as const;

/** The statements that look up a credential by prefix and hash of the secret ($1, $2), and that poll for changes. */
export interface CredentialSource {
  find: Statement;
  changes: Statement;
  isSession: boolean;
}

interface SourceTexts {
  name: string;
  columns: string;
  find: string;
  /** The table or view whose changes are polled. */
  changes: string;
  /** The SQL expression of the hash of the secret. `null::bytea` if the role may not read the hash. */
  hash: string;
}

const sourceOf = ({ name, columns, find, changes, hash }: SourceTexts): CredentialSource => ({
  find: { name: `find_${name}`, text: find },
  changes: {
    name: `changed_${name}`,
    text: withPollPosition(
      `select ${columns}, ${hash} as secret_sha256, null::boolean as is_right from ${changes} where ${changedSince('changed_xid')}`,
    ),
  },
  isSession: name === 'sessions',
});

/** A function of the database compares the hashes, so that the api needs no right to read them. */
const comparing = (name: 'keys' | 'sessions', find: string, changes: string): CredentialSource =>
  sourceOf({
    name,
    columns: COLUMNS[name],
    find: `select ${COLUMNS[name]}, is_right, null::bytea as secret_sha256 from ${find}($1, $2)`,
    changes,
    hash: 'null::bytea',
  });

/** Reads the hashes, so that this process can compare them. */
export const withHashes = (table: string): CredentialSource =>
  sourceOf({
    name: `in_${table}`,
    columns: COLUMNS.keys,
    // The second parameter is not needed, but PostgreSQL must know its type.
    find: `select ${COLUMNS.keys}, secret_sha256, null::boolean as is_right from ${table} where prefix = $1 and $2::bytea is not null`,
    changes: table,
    hash: 'secret_sha256',
  });

export const CREDENTIALS = {
  /**
   * Keys with their hashes, for gateways: a gateway must accept a key while the database is unavailable, even if the
   * key was not used before.
   */
  keysInMemory: withHashes('api_keys'),
  keys: comparing('keys', 'find_key', 'api_keys'),
  sessions: comparing('sessions', 'find_session', 'session_changes'),
} as const;

/** Keys that are read at the start, because the database may be unavailable when they are first used. */
export const KEYS_OF_SCOPE: Statement = {
  name: 'keys_of_scope',
  text: `select ${COLUMNS.keys}, secret_sha256, null::boolean as is_right from api_keys where $1 = any (scopes) and revoked_at is null order by no desc limit $2`,
};
