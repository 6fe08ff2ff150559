import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/**
 * Writes a compressed file. When this returns, the file is complete and on disk under its name: a power failure cannot take
 * it away, and nobody can see a part of it. A file of the same name is replaced.
 */
export async function writeArchiveFile(path: string, lines: readonly string[]): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const partPath = `${path}.part`;
  const file = await open(partPath, 'w', 0o600);
  try {
    await file.writeFile(await promisify(gzip)(lines.map((line) => `${line}\n`).join('')));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partPath, path);
  await syncFolder(folder);
}

/** The name of a new file is on disk only after the folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
