import { hash } from 'node:crypto';

/**
 * 128 bits of SHA-256 over everything that a caller can write, with its id. It does not depend on who has written it.
 */
export const etagOf = (values: readonly unknown[]): string =>
  `"${hash('sha256', JSON.stringify(values), 'buffer').subarray(0, 16).toString('base64url')}"`;
