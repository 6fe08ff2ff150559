import type { WebhookData } from './types.ts';

/** A message of a webhook: an event, a change or a test. The content of `data` depends on `type`; only `id` is in all. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: WebhookData & Record<string, unknown>;
}

/** The message is not from the service, was modified, or is too old. Answer with 400 and ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookMessage {
  /** The body exactly as it arrived. Parsing and serializing it again would change its signature. */
  body: string | Uint8Array;
  /** A Headers object, or the plain object of node:http. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The secret `whsec_...` that was shown when the webhook was created, or when its secret was last rotated. */
  secret: string;
  /** Maximum difference between the time of the message and the local clock. Default: 300. */
  toleranceSeconds?: number | undefined;
}

/**
 * Verifies the signature of a webhook message and returns its event (Standard Webhooks: HMAC-SHA256 over id, time and
 * body). A message can arrive more than once, with the same `webhook-id`.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
}: WebhookMessage): Promise<WebhookEvent> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (key.length === 0) throw new TypeError('secret must be the whsec_... secret of the webhook');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('a webhook-* header is missing');
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds;
  if (!/^\d+$/.test(timestamp) || !isRecent) throw new WebhookVerificationError('the timestamp is too old or too new');

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  // There are several signatures while a secret is rotated. `verify` compares in constant time.
  for (const signature of signatures.split(' ')) {
    const [version, base64 = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', hmac, fromBase64(base64), signed))) {
      const event: unknown = JSON.parse(text);
      if (isEvent(event)) return event;
    }
  }
  throw new WebhookVerificationError('no valid signature');
}

function header(headers: WebhookMessage['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  return String(Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function isEvent(value: unknown): value is WebhookEvent {
  return typeof value === 'object' && value !== null && 'type' in value && 'data' in value;
}
