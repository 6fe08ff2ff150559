import { expect, test } from 'vitest';
import { type ByteSource, sourceOf } from '../../src/values/byte_source.ts';
import { type CsvOptions, readCsv } from '../../src/values/csv_reader.ts';

async function cellsOf(source: ByteSource | string, options: CsvOptions = {}): Promise<(readonly string[])[]> {
  const batches = await Array.fromAsync(readCsv(typeof source === 'string' ? sourceOf(source) : source, options));
  return batches.flat().map(({ cells }) => cells);
}

/** A source that makes its lines while they are read, so that the whole text is never in memory. */
const longSource = (lines: number, isRepeatable: boolean, last: Uint8Array): ByteSource => ({
  name: 'long',
  isRepeatable,
  async *chunks() {
    yield Buffer.from('name,level\n');
    for (let sent = 0; sent < lines; sent += 1_000) yield Buffer.from('María,45.5\n'.repeat(1_000));
    yield last;
  },
});

test('the delimiter is the most frequent sign of the header outside quotes, and a semicolon beats a comma', async () => {
  expect((await cellsOf('a;"b,c,d";e\n1;2;3'))[0]).toEqual(['a', 'b,c,d', 'e']);
  expect((await cellsOf('a\tb;c\td'))[0]).toEqual(['a', 'b;c', 'd']);
  expect((await cellsOf('2025-01-01;45,5'))[0]).toEqual(['2025-01-01', '45,5']);
  expect((await cellsOf('a;b,c\n1,2;3', { delimiter: ',' }))[1]).toEqual(['1', '2;3']);
  expect(await cellsOf('"sep=\t"\r\na;b\tc\r\n')).toEqual([['a;b', 'c']]);
});

test('a row has the line on which it begins, also after rows of several lines', async () => {
  const text = 'a,b\r\n"one\r\ntwo\r\n",1\r\n\r\n,\r\n3,"4"\r\n5,6';
  const records = (await Array.fromAsync(readCsv(sourceOf(text)))).flat();
  expect(records.map(({ line, cells }) => [line, ...cells])).toEqual([
    [1, 'a', 'b'],
    [2, 'one\r\ntwo\r\n', '1'],
    [7, '3', '4'],
    [8, '5', '6'],
  ]);
});

test('long rows of quoted cells take less than 3 times as long as short rows, and more than 16,384 cells are a problem', async () => {
  const timeOf = async (row: string): Promise<number> => {
    const file = `${row}\n`.repeat(2 ** 21 / row.length);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const beganMs = performance.now();
      await cellsOf(file, { delimiter: ',' });
      best = Math.min(best, performance.now() - beganMs);
    }
    return best;
  };
  const cells = (count: number): string => Array.from({ length: count }, () => '"a"').join(',');
  const [long, short] = [await timeOf(cells(16_000)), await timeOf(cells(20))];
  expect(long / short).toBeLessThan(3); // it was 10 when each cell searched the end of the line
  const [record] = (await Array.fromAsync(readCsv(sourceOf(`${','.repeat(20_000)}x\n`)))).flat();
  expect([record?.cells.length, record?.problem]).toEqual([16_384, 'has more than 16384 cells']);
});

test('bytes that are not UTF-8 are found at the end of a long file, before anything is read', async () => {
  const bad = Buffer.from('José,1\n', 'latin1');
  const rows = readCsv(longSource(200_000, true, bad));
  await expect(rows.next()).rejects.toThrow(
    /^[^:]+: line 200002 is not UTF-8, and as Windows-1252 line 2 reads 'MarÃ­a'/,
  );
});

test('a pipe cannot be read twice: bytes that are not UTF-8 end the reading with their line', async () => {
  const rows = readCsv(longSource(200_000, false, Buffer.from('Jos\xe9,1\n', 'latin1')));
  const read = async (): Promise<number> => {
    let count = 0;
    for await (const records of rows) count += records.length;
    return count;
  };
  await expect(read()).rejects.toThrow(
    /^[^:]+: line 200002 is not valid UTF-8; in Excel, save the file as "CSV UTF-8"/,
  );
});

test('the line of a wrong byte is found in a piece that begins inside a character', async () => {
  const bytes = Buffer.concat([Buffer.from('name\nJosé\n'), Buffer.from('a\n'.repeat(300)), Buffer.from([0xe9, 0x0a])]);
  const head = Buffer.from('b\n'.repeat(2 ** 20)); // what the first look reads
  const cut = bytes.indexOf(0xc3) + 1;
  const source: ByteSource = {
    name: 'cut',
    isRepeatable: false,
    async *chunks() {
      yield head;
      yield bytes.subarray(0, cut);
      yield bytes.subarray(cut);
    },
  };
  await expect(Array.fromAsync(readCsv(source, { encoding: 'utf-8' }))).rejects.toThrow(
    `line ${2 ** 20 + 303} is not valid UTF-8`,
  );
});

test('a row without an end is refused, and not collected in memory', async () => {
  const endless = (text: string): ByteSource => ({
    name: 'endless',
    isRepeatable: false,
    async *chunks() {
      yield Buffer.from('a,b\n1,2\n');
      for (;;) yield Buffer.from(text.repeat(1_000));
    },
  });
  await expect(cellsOf(endless('3,"4\n'.replace('\n', '')))).rejects.toThrow(
    /quote in line 3 is not closed|line 3 has more/,
  );
  await expect(cellsOf(endless('x'))).rejects.toThrow(/line 3 has more than 65536 characters/);
});
