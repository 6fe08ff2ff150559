import { timingSafeEqual } from 'node:crypto';

/** Compares texts in a time that does not depend on their content, so that a caller cannot guess a signature digit by digit. */
export function isSameSecret(given: string, expected: string): boolean {
  const [givenBytes, expectedBytes] = [Buffer.from(given), Buffer.from(expected)];
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
