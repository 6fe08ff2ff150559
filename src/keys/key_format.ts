import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key or the token of a session: `<prefix>.<secret>`. The prefix is public. It begins with the slot and the
 * route tag of its organization, so that a proxy can route by them; a key of 0.3.0 or earlier has only the slot. The
 * secret is 32 random bytes and a CRC-32 of prefix and bytes, as base64url: 36 bytes are 48 characters without padding.
 * The checksum detects typing errors without a database query, and lets secret scanners recognize a key.
 */
export interface Credential {
  prefix: string;
  secretSha256: Buffer;
}

const SHAPE = /^([a-z0-9]{12})\.([A-Za-z0-9_-]{48})$/;
const PREFIX_LENGTH = 12;
const PREFIX_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'; // no l, o, 0, 1: people read prefixes aloud
const SECRET_BYTES = 32;

/** `beginning` is the slot and the route tag, as `key_beginning` of the database returns them. */
export function makeKey(beginning: string): Credential & { text: string } {
  const length = PREFIX_LENGTH - beginning.length;
  const letters = Array.from({ length }, () => PREFIX_ALPHABET[randomInt(PREFIX_ALPHABET.length)]);
  const prefix = beginning + letters.join('');
  const secret = randomBytes(SECRET_BYTES);
  const text = `${prefix}.${Buffer.concat([secret, checksum(prefix, secret)]).toString('base64url')}`;
  return { text, prefix, secretSha256: sha256(secret) };
}

/** Returns undefined if the text is not a well-formed key with a correct checksum. */
export function parseKey(text: string): Credential | undefined {
  const [, prefix, encoded] = SHAPE.exec(text) ?? [];
  if (prefix === undefined || encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  const secret = bytes.subarray(0, SECRET_BYTES);
  if (!bytes.subarray(SECRET_BYTES).equals(checksum(prefix, secret))) return undefined;
  return { prefix, secretSha256: sha256(secret) };
}

function checksum(prefix: string, secret: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(secret, crc32(prefix)));
  return bytes;
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
