import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { errorCode } from '../../src/values/error_code.ts';

test('errorCode gives the code of an error, and undefined for anything else', async () => {
  const missing = await readFile('/no/such/file').catch((error: unknown) => error);
  expect(errorCode(missing)).toBe('ENOENT');
  expect(errorCode(new Error('plain'))).toBeUndefined();
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
});
