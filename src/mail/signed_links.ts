import { createHmac } from 'node:crypto';
import { isSameSecret } from '../values/is_same_secret.ts';
import { DAY_MS } from '../values/time.ts';
import { isUuid } from '../values/uuid7.ts';

const LINK_KINDS = ['verify', 'unsubscribe'] as const;
/** The purpose of a link in a mail: confirm the address, or unsubscribe from reminders. */
export type LinkKind = (typeof LINK_KINDS)[number];

/** Unsubscribe links are valid for longer, because a customer may use the link of an old reminder. */
const VALIDITY_MS: Readonly<Record<LinkKind, number>> = { verify: 14 * DAY_MS, unsubscribe: 400 * DAY_MS };

export interface SignedLink {
  kind: LinkKind;
  customerId: string;
  /** Seconds since 1970. */
  expires: number;
  signature: string;
}

/**
 * Returns `<kind>.<customer>.<expiry>.<signature>`. The signature includes the e-mail address, which is not part of the
 * link: the link proves the address it was sent to, and is invalid after the address changes.
 */
export function makeLink(secret: string, kind: LinkKind, customerId: string, email: string, nowMs: number): string {
  const expires = Math.floor((nowMs + VALIDITY_MS[kind]) / 1_000);
  return [kind, customerId, expires, sign(secret, kind, customerId, expires, email)].join('.');
}

/** Returns undefined if the text is not a well-formed link. Does not check the signature. */
export function parseLink(text: string): SignedLink | undefined {
  const [kindText, customerId = '', expires = '', signature = '', ...more] = text.split('.');
  const kind = LINK_KINDS.find((known) => known === kindText);
  if (kind === undefined || !isUuid(customerId) || !/^\d{1,12}$/.test(expires) || more.length > 0) return undefined;
  return { kind, customerId, expires: Number(expires), signature };
}

/** Returns true if the link is signed for this address and has not expired. */
export function isLinkValid(secret: string, link: SignedLink, email: string, nowMs: number): boolean {
  const expected = sign(secret, link.kind, link.customerId, link.expires, email);
  return isSameSecret(link.signature, expected) && link.expires * 1_000 > nowMs;
}

function sign(secret: string, kind: LinkKind, customerId: string, expires: number, email: string): string {
  return createHmac('sha256', secret).update(`${kind}\n${customerId}\n${expires}\n${email}`).digest('base64url');
}
