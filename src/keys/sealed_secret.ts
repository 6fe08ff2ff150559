import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { UserError } from '../values/user_error.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a secret for the database with SECRETS_KEY, so that a dump alone does not reveal it. The context, such as
 * the name of the column and the row's id, is authenticated: a sealed secret cannot be moved to another row.
 */
export function sealSecret(secretsKey: string, secret: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, encryptionKey(secretsKey), nonce).setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url')}`;
}

/**
 * Decrypts a sealed secret. Throws a UserError if it was sealed with none of these keys (the current and the previous
 * one), or for another context.
 */
export function openSecret(secretsKeys: readonly string[], sealed: string, context: string): string {
  let cause: unknown;
  for (const key of secretsKeys) {
    try {
      return decrypt(key, sealed, context);
    } catch (error) {
      cause = error;
    }
  }
  throw new UserError(
    `the stored secret of ${context} cannot be decrypted; set SECRETS_KEY or SECRETS_KEY_PREVIOUS to the value it was stored with.`,
    { cause },
  );
}

/** Whether the secret was sealed with this key, for this context. */
export function isSealedWith(secretsKey: string, sealed: string, context: string): boolean {
  try {
    decrypt(secretsKey, sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** A sealed secret and its context. */
export interface SealedText {
  sealed: string;
  context: string;
}

/** Rows whose secrets are sealed again in one transaction. */
export interface ResealPage {
  afterNo: number;
  limit: number;
}

export const ALL_ROWS: ResealPage = { afterNo: 0, limit: 2_147_483_647 };

/** The result of sealing a page of rows again with the current keys. */
export interface Resealed {
  /** The number of rows that were sealed with another key. */
  resealed: number;
  /** The next page begins after this number. Null if there are no more rows. */
  lastNo: number | null;
  /** The secrets that were sealed with none of the keys. They stay as they are. */
  unreadable: string[];
}

function decrypt(key: string, sealed: string, context: string): string {
  const [version, encoded = ''] = sealed.split('.');
  if (version !== VERSION) throw new RangeError(`unknown version ${version}`);
  const bytes = Buffer.from(encoded, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, encryptionKey(key), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

const encryptionKey = (secretsKey: string): Buffer => hash('sha256', secretsKey, 'buffer');
