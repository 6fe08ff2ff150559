import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeKey, parseKey } from '../../src/keys/key_format.ts';

test('a key begins with its slot and route tag, and is parsed to its prefix and hash', () => {
  for (let n = 0; n < 50; n++) {
    const { text, prefix, secretSha256 } = makeKey('b70k2m');
    expect(text).toMatch(/^b70k2m[a-km-np-z2-9]{6}\.[\w-]{48}$/);
    expect(parseKey(text)).toEqual({ prefix, secretSha256 });
  }
});

test('a wrong, missing or extra character of a key is detected without a database', () => {
  const { text } = makeKey('a0');
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.';
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom(...alphabet.split('')), (index, letter) => {
      fc.pre(text[index] !== letter);
      expect(parseKey(text.slice(0, index) + letter + text.slice(index + 1))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
  expect(parseKey(text.slice(1))).toBeUndefined();
  expect(parseKey(`${text}A`)).toBeUndefined();
  expect(parseKey(` ${text}`)).toBeUndefined();
});
