import { expect, test } from 'vitest';
import { csvLine } from '../../src/values/csv.ts';

test('a field with a comma, a quote or a line break is quoted; null is empty', () => {
  expect(csvLine(['a', null, 1.5, true, 'b,c', 'say "hi"', 'two\nlines'])).toBe(
    'a,,1.5,true,"b,c","say ""hi""","two\nlines"\n',
  );
});

test('a text that a spreadsheet would run as a formula becomes a text, only where that is asked for; numbers stay', () => {
  const values = ['=HYPERLINK("http://x")', '+52 222', '-1', '@SUM(A1)', '\t=1', "'=1", 'a=b', -2.5, null];
  expect(csvLine(values, { isSpreadsheetSafe: true })).toBe(
    `"'=HYPERLINK(""http://x"")",'+52 222,'-1,'@SUM(A1),'\t=1,'=1,a=b,-2.5,\n`,
  );
  expect(csvLine(['=1', '+1'])).toBe('=1,+1\n');
  // Where the semicolon is the delimiter, a cell begins after it.
  expect(csvLine(['a;=1+1;b', 'a;"=1"', 'a;b'], { isSpreadsheetSafe: true })).toBe(`a;'=1+1;b,"a;""'=1""",a;b\n`);
});
