import { expect, test } from 'vitest';
import { readTable } from '../../src/values/table_reader.ts';

test('a table of a million rows that arrives at once is read whole', async () => {
  const text = `a,b\n${'1,2\n'.repeat(1_000_000)}`;
  async function* chunks() {
    yield Buffer.from(text);
  }
  const records = (await Array.fromAsync(readTable({ name: 'x.csv', isRepeatable: true, chunks }))).flat();
  expect(records.length).toBe(1_000_001);
  expect(records.at(-1)?.cells).toEqual(['1', '2']);
});
