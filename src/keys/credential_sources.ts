import { SEEN } from '../db/follower.ts';
import type { Statement } from '../db/readers.ts';

const COLUMNS = 'no, prefix, organization_no, customer_no, scopes, requests_per_second, burst, expires_at, revoked_at';

/** Where credentials are looked up by prefix and hash of the secret ($1, $2), and where their changes are polled. */
export interface CredentialSource {
  find: Statement;
  changes: Statement;
  isSession: boolean;
}

const sourceOf = (name: string, find: string, changes: string, hash: string): CredentialSource => ({
  find: { name: `find_${name}`, text: find },
  // A transaction that is still running has an id at or above the snapshot's xmin, so the next poll starts at this xmin. Keys
  // restored from another server can have higher transaction ids than this server; the upper bound skips them.
  changes: {
    name: `changed_${name}`,
    text: `select ${SEEN}, k.*
    from (select) as always
    left join (
      select ${COLUMNS}, ${hash} as secret_sha256, null::boolean as is_right from ${changes}
      where changed_xid >= $1::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())
    ) as k on true`,
  },
  isSession: name === 'sessions',
});

/** A function of the database compares the hash, so that the api can read none. */
const comparing = (name: string, find: string, changes: string): CredentialSource =>
  sourceOf(name, `select *, null::bytea as secret_sha256 from ${find}($1, $2)`, changes, 'null::bytea');

/** Reads the hashes, to compare them here. */
export const withHashes = (table: string): CredentialSource =>
  sourceOf(
    `in_${table}`,
    // The second parameter is not needed, but PostgreSQL must know its type.
    `select ${COLUMNS}, secret_sha256, null::boolean as is_right from ${table} where prefix = $1 and $2::bytea is not null`,
    table,
    'secret_sha256',
  );

export const CREDENTIALS = {
  /** With their hashes. For gateways: they must accept a key that they have not seen while the database is away. */
  keysInMemory: withHashes('api_keys'),
  keys: comparing('keys', 'find_key', 'api_keys'),
  sessions: comparing('sessions', 'find_session', 'session_changes'),
} as const;

/** Keys that are read at the start, because the database may be unavailable when they are first used. */
export const KEYS_OF_SCOPE: Statement = {
  name: 'keys_of_scope',
  text: `select ${COLUMNS}, secret_sha256, null::boolean as is_right from api_keys where $1 = any (scopes) and revoked_at is null order by no desc limit $2`,
};
