import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchLogs } from '../../faults/soak/log_search.ts';
import { fitLine } from '../../faults/soak/memory_slope.ts';
import { givenFolder } from '../support/folder.ts';

test('the search of the soak run finds secrets, codes and personal values in logs, and nothing else', async () => {
  const folder = await givenFolder();
  const secret = 'dGhpcyBpcyBhIHNlY3JldA_x-1';
  const lines = [
    'no JSON: INIGO@QUXZAMORA.example',
    JSON.stringify({ msg: 'call', path: `/session/links/${secret}` }),
    JSON.stringify({ err: { detail: [`key a0abcdefghij.${secret} is wrong`] } }),
    JSON.stringify({ msg: 'signed in with 12345678' }),
    JSON.stringify({ body: Buffer.from('{"name":"Quxzamora"}').toString('base64') }),
    JSON.stringify({ seq: 123456, request_id: '0f123456-1234-4000-8000-123456789012', time: 1763241234567 }),
  ];
  const file = join(folder, 'api.log');
  await writeFile(file, lines.join('\n'));
  const { found } = await searchLogs([file], {
    personal: ['Quxzamora'],
    secrets: new Set([secret]),
    codes: new Set(['12345678']),
  });
  expect(found.map(({ line }) => lines.indexOf(line))).toEqual([0, 1, 2, 3, 4]);
});

test('fitLine returns the slope of a line and its standard error', () => {
  const exact = fitLine(Array.from({ length: 60 }, (_, n) => [n / 60, 50 + n / 6]));
  expect([exact.slope, exact.error]).toEqual([expect.closeTo(10), expect.closeTo(0)]);
  const noisy = fitLine(Array.from({ length: 60 }, (_, n) => [n / 60, 50 + (n % 2)]));
  expect(Math.abs(noisy.slope)).toBeLessThan(2 * noisy.error);
});
