import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';
import { assertHasKey, getFile, parseS3Location, type S3Config } from './s3_store.ts';
import { isSealed, SEALED_HEAD_BYTES, seal, unseal } from './sealed_file.ts';

/** Describes a backup. It is the first file of the archive. */
export const BackupManifest = Type.Object({
  format: Type.Literal(1),
  /** The release that made it. */
  version: Type.String(),
  made_at: Type.String(),
  /** How the database was saved. With pgBackRest, the archive has everything except the database. */
  method: Type.Union([Type.Literal('pg_dump'), Type.Literal('pgbackrest')]),
  /** The newest migration of the database. */
  migration: Type.String(),
  organizations: Type.Number(),
  tanks: Type.Number(),
  readings: Type.Number(),
  /** SHA-256 of each file. */
  files: Type.Record(Type.String(), Type.String()),
});
export type BackupManifest = Static<typeof BackupManifest>;

/** The files of an archive. Only the manifest is always there. */
export const BACKUP_FILES = {
  manifest: 'manifest.json',
  database: 'database.dump',
  settings: 'tankwatch.env',
  removals: 'removals.ndjson',
} as const;

/**
 * Puts the files of a folder into one file of the same disk, encrypted if there is a passphrase. The file is written in the folder, and
 * moved when it is complete.
 */
export async function writeBackup(
  folder: string,
  facts: Omit<BackupManifest, 'files'>,
  target: string,
  passphrase: string,
): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  const files: Record<string, string> = {};
  for (const name of names) files[name] = await sha256Of(join(folder, name));
  const manifest: BackupManifest = { ...facts, files };
  await writeFile(join(folder, BACKUP_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const partial = join(folder, 'backup.partial');
  const tar = runTar(['--create', '--file=-', `--directory=${folder}`, BACKUP_FILES.manifest, ...names]);
  await pipeline(
    passphrase === '' ? tar.output : seal(tar.output, passphrase),
    createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true }),
  );
  await tar.ended;
  await rename(partial, target);
}

export interface OpenedBackup extends AsyncDisposable {
  manifest: BackupManifest;
  /** The path of an unpacked file; undefined if the backup does not contain it. */
  fileOf(name: keyof typeof BACKUP_FILES): string | undefined;
}

/** Unpacks a backup beside the file, or into another folder, and compares every file with its checksum. */
export async function openBackup(file: string, passphrase: string, parent = dirname(file)): Promise<OpenedBackup> {
  const folder = await mkdtemp(join(parent, '.tankwatch-restore-'));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const isEncrypted = await hasSeal(file);
    if (isEncrypted && passphrase === '')
      throw new UserError(
        `${file} is encrypted; set BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE to a file that contains it.`,
      );
    const tar = runTar(['--extract', '--file=-', `--directory=${folder}`, '--no-same-owner']);
    const source: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: 1_048_576 });
    await pipeline(isEncrypted ? unseal(source, passphrase) : source, tar.input).catch((error: unknown) => {
      if (error instanceof UserError) throw error; // tar says more than a closed pipe
    });
    await tar.ended.catch((error: unknown) => {
      throw new UserError(
        `${file} is not a backup of Tankwatch, or is incomplete; copy it again, or use another one. ${String(error)}`,
      );
    });
    const manifest = await readManifest(folder, file);
    return {
      manifest,
      fileOf: (name) => (BACKUP_FILES[name] in manifest.files ? join(folder, BACKUP_FILES[name]) : undefined),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function readManifest(folder: string, file: string): Promise<BackupManifest> {
  const manifest: unknown = parseJson(await readFile(join(folder, BACKUP_FILES.manifest)).catch(() => Buffer.from('')));
  if (!Value.Check(BackupManifest, manifest))
    throw new UserError(
      `${file} is not a backup that this release knows; give a file that \`tankwatch backup\` has written.`,
    );
  for (const [name, sha256] of Object.entries(manifest.files))
    if ((await sha256Of(join(folder, basename(name))).catch(() => '')) !== sha256)
      throw new UserError(`${name} in ${file} is damaged: its checksum is another one. Use another backup.`);
  return manifest;
}

/** A backup as a local file. A backup in a storage is fetched into the folder, and the copy is deleted afterwards. */
export async function localBackup(
  file: string,
  folder: string,
  s3: S3Config,
): Promise<AsyncDisposable & { file: string }> {
  const location = parseS3Location(file);
  if (location === undefined) return { file, async [Symbol.asyncDispose]() {} };
  assertHasKey(s3);
  const fetched = await mkdtemp(join(folder, '.tankwatch-fetched-'));
  const dispose = (): Promise<void> => rm(fetched, { recursive: true, force: true });
  try {
    await getFile(s3, location, join(fetched, basename(location.path)));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { file: join(fetched, basename(location.path)), [Symbol.asyncDispose]: dispose };
}

async function hasSeal(file: string): Promise<boolean> {
  await using handle = await open(file).catch(() => {
    throw new UserError(`cannot read ${file}; check its name and your rights.`);
  });
  if ((await stat(file)).isDirectory()) throw new UserError(`${file} is a folder; give one of its files.`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SEALED_HEAD_BYTES), 0, SEALED_HEAD_BYTES, 0);
  return isSealed(buffer.subarray(0, bytesRead));
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

interface Tar {
  input: NodeJS.WritableStream;
  output: Readable;
  /** Rejects with the last line that tar wrote. */
  ended: Promise<void>;
}

function runTar(args: readonly string[]): Tar {
  const child = spawn('tar', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-1_000);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(log.trim().split('\n').at(-1)))));
  });
  ended.catch(() => {}); // awaited later
  return { input: child.stdin, output: child.stdout, ended };
}
