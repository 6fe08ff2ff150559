import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../values/time.ts';
import { isUuid } from '../values/uuid7.ts';

const LINK_KINDS = ['verify', 'unsubscribe'] as const;
/** What a link in a mail is for: confirming the address, or ending reminders. */
export type LinkKind = (typeof LINK_KINDS)[number];

/** An invitation is followed within days or not at all; who is tired of reminders may dig out an old one. */
const LIFE_MS: Readonly<Record<LinkKind, number>> = { verify: 14 * DAY_MS, unsubscribe: 400 * DAY_MS };

export interface Link {
  kind: LinkKind;
  customerId: string;
  /** Seconds since 1970. */
  expires: number;
  signature: string;
}

/**
 * `<kind>.<customer>.<expiry>.<signature>`. Signed over the address as well, which is not in it: a link proves the one
 * address it was sent to, and is void once that is changed.
 */
export function makeLink(secret: string, kind: LinkKind, customerId: string, email: string, nowMs: number): string {
  const expires = Math.floor((nowMs + LIFE_MS[kind]) / 1_000);
  return [kind, customerId, expires, sign(secret, kind, customerId, expires, email)].join('.');
}

/** The parts of what could be a link; undefined for anything else. */
export function parseLink(text: string): Link | undefined {
  const [kindText, customerId = '', expires = '', signature = '', ...more] = text.split('.');
  const kind = LINK_KINDS.find((known) => known === kindText);
  if (kind === undefined || !isUuid(customerId) || !/^\d{1,12}$/.test(expires) || more.length > 0) return undefined;
  return { kind, customerId, expires: Number(expires), signature };
}

/** Whether we made the link, for this address, and it has not run out. */
export function isSignatureValid(secret: string, link: Link, email: string, nowMs: number): boolean {
  const expected = Buffer.from(sign(secret, link.kind, link.customerId, link.expires, email));
  const given = Buffer.from(link.signature);
  return given.length === expected.length && timingSafeEqual(given, expected) && link.expires * 1_000 > nowMs;
}

function sign(secret: string, kind: LinkKind, customerId: string, expires: number, email: string): string {
  return createHmac('sha256', secret).update(`${kind}\n${customerId}\n${expires}\n${email}`).digest('base64url');
}
