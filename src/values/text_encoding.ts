import { isUtf8 } from 'node:buffer';
import { type ByteSource, peekSource } from './byte_source.ts';
import { UserError } from './user_error.ts';
import { findImplausibleWesternText } from './western_text.ts';

/** The encodings that a person can choose. Node can decode all of them. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1257',
  'iso-8859-2',
  'iso-8859-15',
  'macintosh',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface DecodeOptions {
  /** Without it, the encoding is detected. */
  encoding?: Encoding | undefined;
  /** Receives a sentence if the file is not UTF-8. */
  onNote?: ((sentence: string) => void) | undefined;
}

/** The encoding of a pipe is detected from this many bytes, because a pipe cannot be read twice. */
const HEAD_BYTES = 1_048_576;
const MAX_CHARACTER_BYTES = 4;
const SAVE_AS_UTF8 = 'in Excel, save the file as "CSV UTF-8", or name its encoding with --encoding';

/**
 * Yields the text of a source in pieces, without a byte order mark. A file is read once to detect its encoding and a second time to
 * decode it. Bytes that are not valid in the encoding are an error and never become a replacement character.
 */
export async function* decodeText(source: ByteSource, options: DecodeOptions = {}): AsyncGenerator<string> {
  try {
    yield* decodePieces(source, options);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The error names the file, because a command may read several files.
    throw new UserError(`${source.name}: ${error.message}`);
  }
}

async function* decodePieces(source: ByteSource, options: DecodeOptions): AsyncGenerator<string> {
  const { head, isWhole, chunks } = await peekSource(source, HEAD_BYTES);
  refuseOtherFormats(head);
  const encoding = options.encoding ?? (await detectEncoding(head, isWhole, source, chunks, options.onNote));
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  let tail: Uint8Array = new Uint8Array();
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      const tolerant = new TextDecoder(encoding);
      tolerant.decode(tail, { stream: true }); // the bytes may begin inside a character
      const [valid = ''] = tolerant.decode(bytes).split('\uFFFD');
      throw new UserError(`line ${line + countLines(valid)} is not valid ${encoding.toUpperCase()}; ${SAVE_AS_UTF8}.`);
    }
  };
  for await (const chunk of chunks()) {
    const text = decode(chunk, true);
    yield text;
    line += countLines(text);
    tail = chunk.subarray(-MAX_CHARACTER_BYTES);
  }
  yield decode(new Uint8Array(), false);
}

function countLines(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) count++;
  return count;
}

const SIGNATURES: readonly [string, string][] = [
  ['504b0304', 'a workbook of Excel (.xlsx) or a ZIP file'],
  ['d0cf11e0', 'a workbook of an old Excel (.xls), or one with a password,'],
  ['1f8b', 'a gzip file'],
  ['25504446', 'a PDF file'],
  ['fffe0000', 'a UTF-32 file'],
  ['0000feff', 'a UTF-32 file'],
];

function refuseOtherFormats(head: Uint8Array): void {
  const start = Buffer.from(head.subarray(0, 4)).toString('hex');
  const [, found] = SIGNATURES.find(([signature]) => start.startsWith(signature)) ?? [];
  if (found !== undefined) throw new UserError(`the file is ${found} and not CSV; save it as "CSV UTF-8" in Excel.`);
  if (/^\s*<(!doctype|html|table|\?xml)/i.test(Buffer.from(head.subarray(0, 200)).toString('latin1'))) {
    throw new UserError('the file is HTML or XML and not CSV; open it in Excel and save it as "CSV UTF-8".');
  }
}

async function detectEncoding(
  head: Uint8Array,
  isWhole: boolean,
  source: ByteSource,
  chunks: () => AsyncIterable<Uint8Array>,
  onNote: DecodeOptions['onNote'],
): Promise<Encoding> {
  const utf16 = detectUtf16(head);
  if (utf16 !== undefined) {
    onNote?.(`the file is ${utf16.toUpperCase()}; it was decoded.`);
    return utf16;
  }
  if (head.subarray(0, 512).includes(0)) {
    throw new UserError('the file contains NUL bytes, so it is not a text file; save it as "CSV UTF-8" in Excel.');
  }
  const all = source.isRepeatable ? chunks : headOnly(head, isWhole);
  const invalidLine = await findInvalidUtf8Line(all());
  if (invalidLine === undefined) return 'utf-8';
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) {
    throw new UserError(
      `the file begins with the mark of UTF-8, but line ${invalidLine} is not UTF-8; ${SAVE_AS_UTF8}.`,
    );
  }
  const implausible = await findImplausibleWesternText(all());
  if (implausible !== undefined) {
    throw new UserError(
      `line ${invalidLine} is not UTF-8, and as Windows-1252 line ${implausible.line} reads ` +
        `'${implausible.text}', which looks wrong; ${SAVE_AS_UTF8}.`,
    );
  }
  onNote?.('the file is not UTF-8; it was decoded as Windows-1252. If names look wrong, use --encoding.');
  return 'windows-1252';
}

/** Detects UTF-16 by its byte order mark or by zero bytes: the header of a CSV file is mostly ASCII, so every second byte is 0. */
function detectUtf16(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const start = head.subarray(0, 512);
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd * 4 > start.length && even === 0) return 'utf-16le';
  if (even * 4 > start.length && odd === 0) return 'utf-16be';
  return undefined;
}

/** Returns the head up to its last line end, because the character at the end of the head may be cut. */
function headOnly(head: Uint8Array, isWhole: boolean): () => AsyncGenerator<Uint8Array> {
  const lastLine = isWhole ? head.length : Buffer.from(head).lastIndexOf(0x0a) + 1;
  return async function* () {
    yield head.subarray(0, lastLine);
  };
}

/** Finds the first line that is not UTF-8; undefined if all are. The bytes are checked in pieces that end with a line. */
async function findInvalidUtf8Line(chunks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  let line = 1;
  let rest: Uint8Array = new Uint8Array();
  const check = (bytes: Uint8Array): boolean => {
    if (isUtf8(bytes)) return true;
    for (const lineBytes of linesOf(bytes)) {
      if (!isUtf8(lineBytes)) return false;
      line++;
    }
    return false;
  };
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(0x0a) + 1;
    // A file of one endless line is checked in pieces too.
    const complete = end === 0 && bytes.length > HEAD_BYTES ? completeCharacters(bytes) : end;
    const checked = bytes.subarray(0, complete);
    if (!check(checked)) return line;
    for (let index = 0; index < checked.length; index++) if (checked[index] === 0x0a) line++;
    rest = bytes.subarray(complete);
  }
  return check(rest) ? undefined : line;
}

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
  yield bytes.subarray(start);
}

/** Returns the length without a character that is cut at the end: at most three bytes shorter. */
function completeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.length - back; // the first byte of a character
    if (byte < 0x80) break;
  }
  return bytes.length;
}
