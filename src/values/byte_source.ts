import { setImmediate as nextTurn } from 'node:timers/promises';

const CHUNK_BYTES = 16_384;

/** The bytes of a file or of a pipe. */
export interface ByteSource {
  /** A path, or "standard input". */
  name: string;
  /** False if the bytes can be read only once, as from a pipe. */
  isRepeatable: boolean;
  /** Reads the bytes from the start. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A source whose first bytes were read. `chunks` returns all bytes, including the first ones. */
export interface PeekedSource {
  head: Uint8Array;
  /** True if the head is the whole source. */
  isWhole: boolean;
  chunks: () => AsyncIterable<Uint8Array>;
}

/** Reads at least the first `headBytes`, or all bytes if there are fewer. The first bytes of a pipe are kept for `chunks`. */
export async function peekSource(source: ByteSource, headBytes: number): Promise<PeekedSource> {
  const iterator = source.chunks()[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  while (length < headBytes && !isWhole) {
    const next = await iterator.next();
    if (next.done === true) isWhole = true;
    else {
      parts.push(next.value);
      length += next.value.length;
    }
  }
  const head = Buffer.concat(parts);
  if (source.isRepeatable) {
    await iterator.return?.(); // closes the file
    return { head, isWhole, chunks: () => source.chunks() };
  }
  return {
    head,
    isWhole,
    async *chunks() {
      yield head;
      if (!isWhole) yield* { [Symbol.asyncIterator]: () => iterator };
    },
  };
}

/** Returns a source of bytes in memory. */
export const sourceOf = (bytes: Uint8Array | string, name = 'the text'): ByteSource => ({
  name,
  isRepeatable: true,
  async *chunks() {
    yield typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  },
});

/** Returns a source of bytes in memory, in small chunks with a turn of the event loop between them, so that requests do not wait. */
export const inChunks = (bytes: Uint8Array, name: string): ByteSource => ({
  name,
  isRepeatable: true,
  async *chunks() {
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
      yield bytes.subarray(start, start + CHUNK_BYTES);
      await nextTurn();
    }
  },
});
