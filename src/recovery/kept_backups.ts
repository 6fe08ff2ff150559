import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import { MINUTE_MS } from '../values/time.ts';

/** How many backups `backup` and `upgrade` keep, unless --keep says otherwise. */
export const KEPT_BACKUPS = 14;

const NAME = /^tankwatch-\d{8}T\d{6}Z\.tar(\.sealed)?$/;

export const BACKUP_NAME_START = 'tankwatch-';
export const backupName = (at: Date, isEncrypted: boolean): string =>
  `${BACKUP_NAME_START}${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar${isEncrypted ? '.sealed' : ''}`;

/** A folder in which a backup is made has this beginning. */
export const UNFINISHED_START = '.making-';
/** Earlier releases wrote the file of a backup beside this folder. */
const UNFINISHED = /^(\.making-\w{6}|tankwatch-\d{8}T\d{6}Z\.tar(\.sealed)?\.partial)$/;
/** pg_dump goes on for a while after its backup was killed, and another installation may use the folder. */
const UNUSED_MS = 10 * MINUTE_MS;

/**
 * Marks that a backup of this installation runs, until the result is disposed. If no other one runs, deletes what backups that were
 * killed have left in the folder.
 */
export async function beginBackup(owner: Pool, folder: string): Promise<AsyncDisposable> {
  const session = await owner.connect();
  const end = { [Symbol.asyncDispose]: async () => session.release(true) };
  const lock = `hashtext('tankwatch backup')`;
  const { rows } = await session.query<{ alone: boolean }>(`select pg_try_advisory_lock(${lock}) as alone`);
  const { alone } = onlyRow(rows);
  try {
    const names = alone ? (await readdir(folder)).filter((name) => UNFINISHED.test(name)) : [];
    for (const path of names.map((name) => join(folder, name)))
      if (await isUnused(path)) await rm(path, { recursive: true, force: true }).catch(() => {}); // of another user
    await session.query(`select pg_advisory_lock_shared(${lock})`);
    if (alone) await session.query(`select pg_advisory_unlock(${lock})`);
    return end;
  } catch (error) {
    session.release(true);
    throw error;
  }
}

async function isUnused(path: string): Promise<boolean> {
  const files = (await readdir(path).catch(() => [])).map((file) => join(path, file));
  const entries = await Promise.all([path, ...files].map((entry) => stat(entry).catch(() => undefined)));
  return entries.every((entry) => Date.now() - (entry?.mtimeMs ?? 0) > UNUSED_MS);
}

/** Deletes the oldest backups of a folder, and no other files. Returns the deleted names. */
export async function deleteOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = oldBackups(await readdir(folder), keep);
  for (const name of old) await rm(join(folder, name));
  return old;
}

/** The names of backups that are not among the newest. */
export function oldBackups(names: readonly string[], keep: number): string[] {
  const backups = names.filter((name) => NAME.test(name)).toSorted();
  return backups.slice(0, Math.max(0, backups.length - keep));
}
