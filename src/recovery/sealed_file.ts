import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { UserError } from '../values/user_error.ts';

/**
 * An encrypted file: the mark, a salt, then pieces of 1 MiB, each with AES-256-GCM. The nonce of a piece is its number and
 * whether it is the last one, so that pieces cannot be cut off, repeated or exchanged. The key comes from a passphrase with
 * scrypt, which makes each guess cost 128 MiB of memory.
 */
const MARK = Buffer.from('tankwatch sealed backup 1\n');
const [SALT_BYTES, TAG_BYTES, PIECE_BYTES] = [16, 16, 1_048_576];

const keyOf = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1_048_576 });

function nonceOf(piece: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(piece, 0, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

export const isSealed = (head: Buffer): boolean => head.subarray(0, MARK.length).equals(MARK);
export const SEALED_HEAD_BYTES = MARK.length;

export async function* seal(chunks: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const key = keyOf(passphrase, salt);
  yield Buffer.concat([MARK, salt]);
  for await (const { piece, bytes, isLast } of inPieces(chunks, PIECE_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(piece, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Throws a user error for a wrong passphrase and for a file that was changed or cut. */
export async function* unseal(chunks: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const reader = bufferedReader(chunks);
  const head = await reader.read(MARK.length + SALT_BYTES);
  const key = keyOf(passphrase, head.subarray(MARK.length));
  for await (const { piece, bytes, isLast } of inPieces(reader.rest(), PIECE_BYTES + TAG_BYTES)) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(piece, isLast), { authTagLength: TAG_BYTES });
    try {
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new UserError(
        piece === 0
          ? 'the backup cannot be decrypted: BACKUP_PASSPHRASE is not the one it was made with, or the file is damaged.'
          : `the backup is damaged or incomplete from byte ${piece * PIECE_BYTES} on; use another one.`,
      );
    }
  }
}

interface Piece {
  piece: number;
  bytes: Buffer;
  isLast: boolean;
}

/** Pieces of one size. The last one may be shorter, and there is always a last one. */
async function* inPieces(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Piece> {
  const reader = bufferedReader(chunks);
  let bytes = await reader.read(size);
  for (let piece = 0; ; piece++) {
    const next = await reader.read(size);
    yield { piece, bytes, isLast: next.length === 0 };
    if (next.length === 0) return;
    bytes = next;
  }
}

interface BufferedReader {
  /** Returns `count` bytes, or fewer at the end. */
  read(count: number): Promise<Buffer>;
  rest(): AsyncGenerator<Buffer>;
}

function bufferedReader(chunks: AsyncIterable<Buffer>): BufferedReader {
  const source = chunks[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let heldBytes = 0;
  return {
    async read(count) {
      while (heldBytes < count) {
        const next = await source.next();
        if (next.done === true) break;
        held.push(next.value);
        heldBytes += next.value.length;
      }
      const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      held = [all.subarray(count)];
      heldBytes = Math.max(0, all.length - count);
      return all.subarray(0, count);
    },
    async *rest() {
      yield* held;
      for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
    },
  };
}
