import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { newBrowserKeys, openPush } from '../../engines/push_service.ts';
import {
  areBrowserKeys,
  authorizePush,
  encryptPush,
  MAX_MESSAGE_BYTES,
  newServerKeys,
  pushContactOf,
} from '../../src/push/encrypt_push.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

// RFC 8291, section 5 and appendix A.
const STANDARD = {
  plaintext: 'When I grow up, I want to be a watermelon',
  asPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  uaPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  uaPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the example of RFC 8291 is encrypted to the bytes of the standard', () => {
  const keys = { p256dh: bytes(STANDARD.uaPublic), auth: bytes(STANDARD.auth) };
  const fresh = { privateKey: bytes(STANDARD.asPrivate), salt: bytes(STANDARD.salt) };
  expect(encryptPush(Buffer.from(STANDARD.plaintext), keys, fresh).toString('base64url')).toBe(STANDARD.body);
  const opened = openPush(bytes(STANDARD.body), { ...keys, privateKey: bytes(STANDARD.uaPrivate) });
  expect(opened.toString()).toBe(STANDARD.plaintext);
});

test('a browser can read messages of up to 3,993 bytes, and not those of another browser', () => {
  const browser = newBrowserKeys();
  const longest = randomBytes(MAX_MESSAGE_BYTES);
  const sent = encryptPush(longest, browser);
  expect(sent).toHaveLength(4_096);
  expect(openPush(sent, browser)).toEqual(longest);
  expect(encryptPush(longest, browser)).not.toEqual(sent);
  expect(() => openPush(sent, newBrowserKeys())).toThrow();
  expect(() => encryptPush(randomBytes(MAX_MESSAGE_BYTES + 1), browser)).toThrow('at most 3993 bytes');
});

test('keys that are not a point of the curve, or too short, are not keys of a browser', () => {
  const { p256dh, auth } = newBrowserKeys();
  expect(areBrowserKeys({ p256dh, auth })).toBe(true);
  expect(areBrowserKeys({ p256dh: Buffer.concat([Buffer.of(4), randomBytes(64)]), auth })).toBe(false);
  expect(areBrowserKeys({ p256dh: p256dh.subarray(1), auth })).toBe(false);
  expect(areBrowserKeys({ p256dh, auth: auth.subarray(1) })).toBe(false);
});

test('push services get a public URL with https as the contact, or the sender of mails', () => {
  expect(pushContactOf('https://tanks.example.com', '')).toBe('https://tanks.example.com');
  expect(pushContactOf('http://tanks.example.com', 'Gas del Valle <alerts@example.com>')).toBe(
    'mailto:alerts@example.com',
  );
  expect(pushContactOf('', 'alerts@example.com')).toBe('mailto:alerts@example.com');
  expect(pushContactOf('', '')).toBeUndefined();
});

test('the signature names the push service, ends within a day, and fits the key that browsers get', () => {
  const keys = newServerKeys();
  expect(bytes(keys.publicKey)).toHaveLength(65);
  const nowMs = Date.UTC(2026, 10, 18);
  const header = authorizePush('https://push.example.com:8443/wpush/v2/abc', keys, {
    contact: 'https://tanks.example.com',
    nowMs,
  });
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  expect(key).toBe(keys.publicKey);
  expect(JSON.parse(bytes(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    aud: 'https://push.example.com:8443',
    exp: nowMs / 1_000 + 43_200,
    sub: 'https://tanks.example.com',
  });
  const point = bytes(key);
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, bytes(signature))).toBe(true);
});
