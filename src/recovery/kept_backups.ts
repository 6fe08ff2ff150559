import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** How many backups `backup` and `upgrade` keep, unless --keep says otherwise. */
export const KEPT_BACKUPS = 14;

const NAME = /^tankwatch-\d{8}T\d{6}Z\.tar(\.sealed)?$/;

export const BACKUP_NAME_START = 'tankwatch-';
export const backupName = (at: Date, isEncrypted: boolean): string =>
  `${BACKUP_NAME_START}${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar${isEncrypted ? '.sealed' : ''}`;

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
