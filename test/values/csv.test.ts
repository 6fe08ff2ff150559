import { expect, test } from 'vitest';
import { csvLine } from '../../src/values/csv.ts';

test('a field with a comma, a quote or a line break is quoted; null is empty', () => {
  expect(csvLine(['a', null, 1.5, true, 'b,c', 'say "hi"', 'two\nlines'])).toBe(
    'a,,1.5,true,"b,c","say ""hi""","two\nlines"\n',
  );
});
