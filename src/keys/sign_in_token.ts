import { hash, randomBytes, randomInt } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}$/;
const CODE_DIGITS = 8;
/** Eight digits, or six in a mail that a worker of 0.2 has sent. */
const CODE_SHAPE = /^\d{6}(\d{2})?$/;

/** A secret of a sign-in by mail, and the hash that is stored instead of it. */
export interface SignInSecret {
  text: string;
  sha256: Buffer;
}

/** The token of a link, or of the cookie of a browser: 32 random bytes as base64url. */
export const makeToken = (): SignInSecret => secretOf(randomBytes(TOKEN_BYTES).toString('base64url'));

/** The code that a person types: eight digits. It is valid only with the cookie of the browser that asked for it. */
export const makeCode = (): SignInSecret => secretOf(String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0'));

/** Returns undefined if the text is not a well-formed token. */
export const parseToken = (text: string): SignInSecret | undefined =>
  TOKEN_SHAPE.test(text) ? secretOf(text) : undefined;

/** Ignores spaces and hyphens between the digits. Returns undefined if there are not eight or six digits. */
export function parseCode(text: string): SignInSecret | undefined {
  const digits = text.replace(/[\s-]/g, '');
  return CODE_SHAPE.test(digits) ? secretOf(digits) : undefined;
}

const secretOf = (text: string): SignInSecret => ({ text, sha256: hash('sha256', text, 'buffer') });
