import { expect, test } from 'vitest';
import { csvLine } from '../../src/values/csv.ts';

test('a field with a comma, a quote or a line break is quoted, and null is empty', () => {
  expect(csvLine(['a', null, 1.5, true, 'b,c', 'say "hi"', 'two\nlines'])).toBe(
    'a,,1.5,true,"b,c","say ""hi""","two\nlines"\n',
  );
});

test('isSpreadsheetSafe writes a formula as a text and leaves numbers as they are', () => {
  const values = ['=HYPERLINK("http://x")', '+52 222', '-1', '@SUM(A1)', '\t=1', "'=1", 'a=b', -2.5, null];
  expect(csvLine(values, { isSpreadsheetSafe: true })).toBe(
    `"'=HYPERLINK(""http://x"")",'+52 222,'-1,'@SUM(A1),'\t=1,'=1,a=b,-2.5,\n`,
  );
  expect(csvLine(['=1', '+1'])).toBe('=1,+1\n');
  // A spreadsheet that separates cells by semicolons sees a cell begin after each semicolon.
  expect(csvLine(['a;=1+1;b', 'a;"=1"', 'a;b'], { isSpreadsheetSafe: true })).toBe(`a;'=1+1;b,"a;""'=1""",a;b\n`);
});
