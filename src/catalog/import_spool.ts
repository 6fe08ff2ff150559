import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary file that is first written, then read. */
export interface Spool {
  output: WriteStream;
  input: FileHandle;
}

/**
 * The file is deleted while it is open, so that its personal data disappears when the process ends, even by a crash.
 */
export async function openSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-import-'));
  const output = createWriteStream(join(folder, 'rows'));
  await once(output, 'open');
  // The import reads `errored`, and awaiting `drain` or `finished` throws an error that occurs meanwhile. Without a
  // listener, an error at another time would end the process.
  output.on('error', () => {});
  const input = await open(join(folder, 'rows'));
  await rm(folder, { recursive: true });
  return { output, input };
}
