import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeKey, parseKey } from '../../src/keys/key_format.ts';

test('a key parses to its prefix and hash, and begins with its slot and route tag', () => {
  for (let n = 0; n < 50; n++) {
    const { text, prefix, secretSha256 } = makeKey('b70k2m');
    expect(text).toMatch(/^b70k2m[a-km-np-z2-9]{6}\.[\w-]{48}$/);
    expect(parseKey(text)).toEqual({ prefix, secretSha256 });
  }
});

test('a wrong, missing or extra character is detected without a database', () => {
  const { text } = makeKey('a0');
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.';
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom(...alphabet.split('')), (at, letter) => {
      fc.pre(text[at] !== letter);
      expect(parseKey(text.slice(0, at) + letter + text.slice(at + 1))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
  expect(parseKey(text.slice(1))).toBeUndefined();
  expect(parseKey(`${text}A`)).toBeUndefined();
  expect(parseKey(` ${text}`)).toBeUndefined();
});
