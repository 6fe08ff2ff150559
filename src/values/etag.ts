import { hash } from 'node:crypto';

/** Returns the ETag of an object: 128 bits of SHA-256 over its id and all fields that a caller can write. */
export const etagOf = (values: readonly unknown[]): string =>
  `"${hash('sha256', JSON.stringify(values), 'buffer').subarray(0, 16).toString('base64url')}"`;
