import { expect, test } from 'vitest';
import { sourceOf } from '../../src/values/byte_source.ts';
import { readTable, type TableOptions } from '../../src/values/table_reader.ts';
import { numberKind } from '../../src/values/xlsx/number_format.ts';
import { excelDays, workbookOf, type ZipPart, zipOf } from '../support/workbook.ts';

async function cellsOf(bytes: Uint8Array, options: TableOptions = {}): Promise<(readonly string[])[]> {
  return (await Array.fromAsync(readTable(sourceOf(bytes), options))).flat().map(({ cells }) => cells);
}

test('the cells of a workbook have the texts that a CSV file would have', async () => {
  const bytes = workbookOf([
    {
      name: 'A',
      rows: [
        ['text', 'number', 'time', 'share', 'word'],
        [' Peña & "Co" ', 1.125, { days: excelDays('2025-02-28T23:59:59') }, { share: 0.07 }, true],
        [null, 861_234_567_890_123, { days: excelDays('2024-02-29T00:00') }, { share: 1 }, false],
        ['x', 8.612_345_678_901_23e17, { days: 0.5 }, { share: 0.1235 }],
      ],
    },
  ]);
  expect(await cellsOf(bytes)).toEqual([
    ['text', 'number', 'time', 'share', 'word'],
    [' Peña & "Co" ', '1.1250', '2025-02-28T23:59:59', '7 %', 'true'],
    ['', '861234567890123', '2024-02-29T00:00:00', '100 %', 'false'],
    ['x', '861234567890123000', '12:00:00', '12.35 %', ''],
  ]);
  expect((await cellsOf(bytes, { decimal: 'comma' }))[3]).toEqual([
    'x',
    '861234567890123000',
    '12:00:00',
    '12,35 %',
    '',
  ]);
  expect((await cellsOf(bytes, { decimal: 'comma' }))[1]?.[1]).toBe('1,125');
  const old = workbookOf([{ name: 'A', rows: [[{ days: 0 }, { days: 44_227.25 }]] }], { isFrom1904: true });
  expect(await cellsOf(old)).toEqual([['00:00:00', '2025-02-01T06:00:00']]);
});

test('the format of a cell decides whether its number is a time, a percentage or a number', () => {
  const codes = [
    'dd/mm/yyyy',
    '[$-80A]d "de" mmmm',
    '[h]:mm',
    '0.0%',
    '#,##0.00 "días"',
    '[Red]0;-0',
    'General',
    '0 "%"',
  ];
  expect(codes.map((code) => numberKind(164, code))).toEqual([
    'time',
    'time',
    'time',
    'percentage',
    'number',
    'number',
    'number',
    'number',
  ]);
  expect([0, 9, 14, 22, 44, 47].map((id) => numberKind(id, undefined))).toEqual([
    'number',
    'percentage',
    'time',
    'time',
    'number',
    'time',
  ]);
});

test('the first visible sheet is read, or the one that is named', async () => {
  const notes: string[] = [];
  const bytes = workbookOf([
    { name: 'Hidden', isHidden: true, rows: [['a']] },
    { name: 'First', rows: [['b']] },
    { name: 'Second one', rows: [['c']] },
  ]);
  expect(await cellsOf(bytes, { onNote: (note) => void notes.push(note) })).toEqual([['b']]);
  expect(notes).toEqual(['the sheet First is read; choose another of First, Second one with --sheet.']);
  expect(await cellsOf(bytes, { sheet: 'second ONE' })).toEqual([['c']]);
  expect(await cellsOf(bytes, { sheet: 'Hidden' })).toEqual([['a']]);
  await expect(cellsOf(bytes, { sheet: 'Third' })).rejects.toThrow(
    'the workbook has no sheet Third; its sheets are First, Second one.',
  );
});

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns a workbook whose only sheet is this XML. */
function bookWith(sheet: string | ZipPart, ...others: ZipPart[]): Buffer {
  const part = (path: string, xml: string): ZipPart => ({ path, bytes: Buffer.from(xml) });
  const type = `Type="${RELATIONS}`;
  return zipOf([
    part('_rels/.rels', `<r><Relationship Id="a" ${type}/officeDocument" Target="xl/workbook.xml"/></r>`),
    part('xl/workbook.xml', `<w xmlns:r="x"><sheets><sheet name="A" sheetId="1" r:id="s"/></sheets></w>`),
    part('xl/_rels/workbook.xml.rels', `<r><Relationship Id="s" ${type}/worksheet" Target="/xl/sheet.xml"/></r>`),
    typeof sheet === 'string' ? part('xl/sheet.xml', sheet) : { ...sheet, path: 'xl/sheet.xml' },
    ...others,
  ]);
}

test('cells without references, texts of several fonts, formulas and prefixes are read', async () => {
  const sheet =
    '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:r><x:t>Ni</x:t></x:r><x:r><x:t>vel</x:t></x:r></x:is></x:c>' +
    '<x:c t="str"><x:f>A1&amp;"x"</x:f><x:v>ax</x:v></x:c></x:row><x:row r="9"><x:c r="C9" t="e"><x:v>#N/A</x:v></x:c></x:row></x:sheetData></x:worksheet>';
  const records = (await Array.fromAsync(readTable(sourceOf(bookWith(sheet))))).flat();
  expect(records.map(({ line, cells }) => [line, ...cells])).toEqual([
    [1, 'Nivel', 'ax', ''],
    [9, '', '', '#N/A'],
  ]);
});

test('a workbook that exceeds a limit or is damaged is refused with a sentence', async () => {
  const mib = 2 ** 20;
  const row = (cells: string): string => `<worksheet><sheetData><row r="7">${cells}</row></sheetData></worksheet>`;
  const text = (reference: string, length: number): string =>
    `<c r="${reference}" t="inlineStr"><is><t>${'a'.repeat(length)}</t></is></c>`;
  const blanks = Buffer.alloc(32 * mib, ' ');
  const bomb = bookWith({ path: '', bytes: blanks, claimedBytes: 1_000 });
  expect(bomb.length).toBeLessThan(blanks.length / 500);
  const cases: [string, Buffer, RegExp][] = [
    [
      'a sheet that unpacks to too many bytes',
      bookWith({ path: '', bytes: Buffer.from(' '), claimedBytes: 513 * mib }),
      /xl\/sheet\.xml of the workbook unpacks to 513 MiB, and at most 512 MiB are read/,
    ],
    [
      'a sheet that unpacks to more than it says',
      bomb,
      /cannot be read \(too many bytes in the stream\. expected 1000/,
    ],
    ['a cell far to the right', bookWith(row('<c r="ALM7"><v>1</v></c>')), /row 7 has a cell right of column 1000/],
    ['a cell without a column', bookWith(row('<c r="7"><v>1</v></c>')), /row 7 has a cell right of column 1000/],
    ['a long cell', bookWith(row(text('A7', 40_000))), /row 7 has a cell with more than 32767 characters/],
    [
      'a long row',
      bookWith(row(['A', 'B', 'C'].map((letter) => text(`${letter}7`, 30_000)).join(''))),
      /row 7 has more than 65536/,
    ],
    [
      'many rows',
      bookWith(`<worksheet><sheetData>${'<row/>'.repeat(1_048_577)}</sheetData></worksheet>`),
      /the sheet has more than 1048576 rows/,
    ],
    [
      'many texts',
      bookWith(row('<c r="A7" t="s"><v>0</v></c>'), {
        path: 'xl/sharedStrings.xml',
        bytes: Buffer.from(`<sst>${'<si/>'.repeat(2 * mib + 1)}</sst>`),
      }),
      /the workbook has too many texts/,
    ],
    [
      'a file of 65 MiB',
      Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(65 * mib)]),
      /more than 64 MiB/,
    ],
    [
      'XML that is deep',
      bookWith(`<worksheet><sheetData>${'<a>'.repeat(70)}${'</a>'.repeat(70)}</sheetData></worksheet>`),
      /the workbook is not valid/,
    ],
    [
      'a tag with many attributes',
      bookWith(row(`<c ${Array.from({ length: 201 }, (_, n) => `a${n}=""`).join(' ')}/>`)),
      /the workbook is not valid/,
    ],
    [
      'XML that is cut off',
      bookWith('<worksheet><sheetData><row><c'),
      /the workbook cannot be read \(.*\); save it as/,
    ],
    [
      'entities that grow',
      bookWith(
        `<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${row('<c r="A7" t="str"><v>&b;</v></c>')}`,
      ),
      /the workbook cannot be read \(Invalid character entity\)/,
    ],
  ];
  for (const [name, bytes, sentence] of cases) await expect(cellsOf(bytes), name).rejects.toThrow(sentence);
});
