import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';

/** The keys of a browser: its point on the curve P-256 and a secret of 16 bytes, both as defined in RFC 8291. */
export interface BrowserKeys {
  p256dh: Buffer;
  auth: Buffer;
}

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
/** A message is one record. Push services accept 4,096 bytes (RFC 8030), of which 103 are headers, padding and the tag. */
const RECORD_BYTES = 4_096;
export const MAX_MESSAGE_BYTES = RECORD_BYTES - 103;
/** The validity of a signature. RFC 8292 allows at most 24 hours. */
const SIGNED_SECONDS = 12 * 3_600;

export const areBrowserKeys = ({ p256dh, auth }: BrowserKeys): boolean => {
  if (p256dh.length !== POINT_BYTES || p256dh[0] !== 4 || auth.length !== AUTH_BYTES) return false;
  try {
    const ours = createECDH(CURVE);
    ours.generateKeys();
    ours.computeSecret(p256dh); // throws unless it is a point of the curve
    return true;
  } catch {
    return false;
  }
};

const derive = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/** The private key and the salt of a message. Both are random, except in a test with the example of the standard. */
interface MessageSecrets {
  privateKey?: Buffer;
  salt?: Buffer;
}

/** Encrypts a message for one browser, as one record of aes128gcm (RFC 8188, RFC 8291). Only the browser can decrypt it. */
export function encryptPush(
  message: Buffer,
  { p256dh, auth }: BrowserKeys,
  { privateKey, salt = randomBytes(16) }: MessageSecrets = {},
): Buffer {
  if (message.length > MAX_MESSAGE_BYTES) throw new RangeError(`a message has at most ${MAX_MESSAGE_BYTES} bytes`);
  const ours = createECDH(CURVE);
  if (privateKey === undefined) ours.generateKeys();
  else ours.setPrivateKey(privateKey);
  const ourPoint = ours.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, ourPoint]);
  const keying = derive(ours.computeSecret(p256dh), auth, info, 32);
  const key = derive(keying, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(keying, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const head = Buffer.alloc(21);
  salt.copy(head);
  head.writeUInt32BE(RECORD_BYTES, 16);
  head.writeUInt8(ourPoint.length, 20);
  // The byte 2 marks the last record.
  return Buffer.concat([
    head,
    ourPoint,
    cipher.update(message),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** The key pair with which the installation identifies itself to push services (RFC 8292, "VAPID"). */
export interface ServerKeys {
  /** The point on P-256 in base64url, the format for browsers. */
  publicKey: string;
  /** The key in the format PKCS #8, PEM. */
  privateKey: string;
}

export function newServerKeys(): ServerKeys {
  const pair = generateKeyPairSync('ec', { namedCurve: CURVE });
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return {
    publicKey: point.toString('base64url'),
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/**
 * Returns the address at which the operator of a push service can contact the operator of this installation: the public address if it
 * has https, otherwise the sender of mails. Returns undefined if there is neither; Apple then refuses messages.
 */
export function pushContactOf(publicUrl: string, mailFrom: string): string | undefined {
  if (publicUrl.startsWith('https:')) return publicUrl;
  const [address] = /[^\s<>"]+@[^\s<>"]+/.exec(mailFrom) ?? [];
  return address && `mailto:${address}`;
}

/** Returns the header Authorization for the push service of an endpoint. `contact` is the result of `pushContactOf`. */
export function authorizePush(
  endpoint: string,
  { publicKey, privateKey }: ServerKeys,
  { contact, nowMs = Date.now() }: { contact: string; nowMs?: number },
): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(nowMs / 1_000) + SIGNED_SECONDS, sub: contact };
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const key = { key: createPrivateKey(privateKey), dsaEncoding: 'ieee-p1363' } as const;
  return `vapid t=${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}, k=${publicKey}`;
}
