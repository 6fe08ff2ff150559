import { statfs } from 'node:fs/promises';
import type { DoctorConfig } from '../settings/command_settings.ts';
import { reasonOf } from '../values/error_reason.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';

const LOW_SHARE = 0.1;
const FULL_SHARE = 0.02;
const GIB = 1_073_741_824;

/** Checks the disks of the folders on this machine. The disks of other machines are not visible. */
export async function checkDisks({ folders }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  const checked = Object.entries(folders).filter(([, folder]) => folder !== '');
  if (checked.length === 0) return notConfigured('PGDATA, NATS_DATA or REMOVALS_FILE, for a folder on this machine');
  return (await Promise.all(checked.map(([setting, folder]) => checkFolder(setting, folder)))).flat();
}

async function checkFolder(setting: string, folder: string): Promise<CheckFinding[]> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return spaceFindings(setting, folder, { totalBytes: bsize * blocks, freeBytes: bsize * bavail });
  } catch (error) {
    return [
      warning(
        `the disk space of ${folder} cannot be read: ${reasonOf(error)}`,
        `check ${setting}, or remove it if the folder is on another machine`,
      ),
    ];
  }
}

export function spaceFindings(
  setting: string,
  folder: string,
  { totalBytes, freeBytes }: { totalBytes: number; freeBytes: number },
): CheckFinding[] {
  const share = freeBytes / totalBytes;
  if (share >= LOW_SHARE) return [];
  const problem = `the disk of ${folder} has ${(freeBytes / GIB).toFixed(1)} GiB free, ${(100 * share).toFixed(1)} % of its size`;
  const consequence =
    setting === 'REMOVALS_FILE'
      ? 'the worker cannot record removals when it is full'
      : `${setting === 'PGDATA' ? 'PostgreSQL' : 'nats-server'} refuses readings when it is full`;
  const remedy = `make space or enlarge the disk: ${consequence}`;
  return [share < FULL_SHARE ? finding(problem, remedy) : warning(problem, remedy)];
}
