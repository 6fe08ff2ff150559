import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { sealedColumn } from '../keys/sealed_column.ts';
import { openSecret, sealSecret } from '../keys/sealed_secret.ts';
import { newServerKeys, type ServerKeys } from './encrypt_push.ts';

const CONTEXT = 'the key of notifications in browsers';

export const PUSH_KEY_SECRETS = sealedColumn('push_keys', 'sealed_private_key', () => CONTEXT);

/** The stored key pair. */
export interface StoredPushKey {
  public_key: string;
  sealed_private_key: string;
}

/** Decrypts the key pair. Throws a UserError if it was stored with another key. */
export const openPushKey = (secretsKeys: readonly string[], stored: StoredPushKey): ServerKeys => ({
  publicKey: stored.public_key,
  privateKey: openSecret(secretsKeys, stored.sealed_private_key, CONTEXT),
});

/** Creates the key pair if there is none. Throws a UserError if the stored pair cannot be decrypted. */
export async function ensurePushKey(db: Db, secretsKeys: readonly string[]): Promise<void> {
  const read = () => db.query<StoredPushKey>('select public_key, sealed_private_key from push_keys');
  const { rows } = await read();
  if (rows.length === 0) {
    const { publicKey, privateKey } = newServerKeys();
    // Another worker may create one at the same time.
    await db.query('insert into push_keys (public_key, sealed_private_key) values ($1, $2) on conflict do nothing', [
      publicKey,
      sealSecret(secretsKeys[0] ?? '', privateKey, CONTEXT),
    ]);
  }
  openPushKey(secretsKeys, rows[0] ?? onlyRow((await read()).rows));
}
