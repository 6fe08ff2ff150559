import type { FileHandle } from 'node:fs/promises';

/**
 * Splits text at \n only. `readLines()` and node:readline also split at U+2028 and U+2029, which a JSON string may contain without an
 * escape.
 */
export class LineSplitter {
  /** The text after the last complete line. */
  rest = '';

  /** Returns the lines that this text completes. */
  add(text: string): string[] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    return lines;
  }
}

/** Reads all lines of a file, including a last line without a line end. The file stays open. */
export async function* readFileLines(file: FileHandle): AsyncGenerator<string> {
  const lines = new LineSplitter();
  const texts: AsyncIterable<string> = file.createReadStream({ encoding: 'utf8', start: 0, autoClose: false });
  for await (const text of texts) yield* lines.add(text);
  if (lines.rest !== '') yield lines.rest;
}
