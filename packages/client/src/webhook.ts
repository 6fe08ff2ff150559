/** What a webhook tells; `type` says what `data` holds. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** The message is not ours, not whole, or not of now. Answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookMessage {
  /** The body exactly as it arrived: parsed and written again it has another signature. */
  body: string | Uint8Array;
  /** Headers of fetch, or the plain object of node:http. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_...`, shown when the webhook was created. */
  secret: string;
  /** How far its time may lie from ours; 300 unless told. */
  toleranceSeconds?: number | undefined;
}

/**
 * The event in a webhook message, once it is certain that the service sent it (Standard Webhooks: HMAC-SHA256 over id,
 * time and body). A message may come twice; its `webhook-id` is then the same.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
}: WebhookMessage): Promise<WebhookEvent> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (key.length === 0) throw new TypeError('secret must be the whsec_... of the webhook');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('a header of the signature is missing');
  const isOfNow = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds;
  if (!/^\d+$/.test(timestamp) || !isOfNow) throw new WebhookVerificationError('its time lies too far from ours');

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  // There are several while a secret is being exchanged. The comparison inside takes as long for every wrong one.
  for (const signature of signatures.split(' ')) {
    const [version, base64 = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', hmac, fromBase64(base64), signed))) {
      const event: unknown = JSON.parse(text);
      if (isEvent(event)) return event;
    }
  }
  throw new WebhookVerificationError('no signature fits');
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
