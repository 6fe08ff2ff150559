import { createHmac, randomBytes } from 'node:crypto';

/**
 * The headers of Standard Webhooks: HMAC-SHA-256 over the message id, the time of the attempt and the body. While a
 * secret is rotated, there are two secrets and two signatures. A receiver accepts a message if one of them is valid.
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  atMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const sign = (secret: string): string =>
    `v1,${createHmac('sha256', secretKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') };
}

const PREFIX = 'whsec_';

export const makeSecret = (): string => PREFIX + randomBytes(32).toString('base64');

const secretKey = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');
