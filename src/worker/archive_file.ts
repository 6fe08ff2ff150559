import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { errorCode } from '../values/error_code.ts';
import { DAY_MS } from '../values/time.ts';

export interface ArchiveFile {
  root: string;
  /** The folder below the root. */
  folder: string;
  /** The beginning of the file name. Its end is the hash of the lines. */
  name: string;
  lines: readonly string[];
}

/**
 * Writes a compressed file. When this returns, the file is complete and on disk under its name: a power failure cannot
 * lose it, and no reader sees a part of it. A file is never replaced: other lines have another name. If a file with this
 * name exists, from a run that ended before it dropped the readings, it must have the same lines.
 */
export async function writeArchiveFile({ root, folder, name, lines }: ArchiveFile): Promise<void> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const path = join(resolve(root), folder, `${name}-${hash}.ndjson.gz`);
  await mkdir(dirname(path), { recursive: true });
  await deleteOldParts(dirname(path));
  // Two processes may write the same file: one that has lost its connection to the database, and its successor.
  const partPath = `${path}.${randomUUID()}.part`;
  try {
    await writeDurably(partPath, await promisify(gzip)(bytes));
    // Unlike a rename, a link fails if the name is taken.
    await link(partPath, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await assertContent(path, bytes);
  } finally {
    await rm(partPath, { force: true });
  }
  // The name of a new file is on disk only after its folder is synced, and the name of the folder only after its parent.
  let synced = dirname(path);
  await syncFolder(synced);
  while (synced !== resolve(root)) {
    synced = dirname(synced);
    await syncFolder(synced);
  }
}

/** Deletes what workers that were killed have left. A file is written in seconds. */
async function deleteOldParts(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => /\.ndjson\.gz\.[\da-f-]{36}\.part$/.test(each))) {
    const changed = await stat(join(folder, name)).catch(() => undefined);
    if (changed !== undefined && Date.now() - changed.mtimeMs > DAY_MS) await rm(join(folder, name), { force: true });
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.sync();
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Throws if an existing file has other lines, for example because a full disk or a copy has cut it off. */
async function assertContent(path: string, expected: Buffer): Promise<void> {
  const problem = `the archive file ${path} does not have the readings that its name says; move it away, then the next run writes it again. Nothing was dropped`;
  let found: Buffer;
  try {
    found = await promisify(gunzip)(await readFile(path));
  } catch (error) {
    throw new Error(problem, { cause: error });
  }
  if (!found.equals(expected)) throw new Error(problem);
}
