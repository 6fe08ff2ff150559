import { randomUUID } from 'node:crypto';

/**
 * Returns a UUID of version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits. The random bits and the variant come
 * from randomUUID, which uses a pool of random bytes and is ten times faster than randomBytes.
 */
export function uuid7(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Accepts a UUID of any version. For any other text PostgreSQL would raise an error, although the text is only an unknown id. */
export const isUuid = (text: string): boolean => UUID.test(text);
