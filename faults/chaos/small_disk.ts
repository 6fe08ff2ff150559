import { execFile } from 'node:child_process';
import { chmod, type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../engines/programs.ts';

const run = promisify(execFile);

/** A small separate file system, so that filling it affects nothing else. */
export interface SmallDisk {
  folder: string;
  /** Writes a file that takes all space that is left. */
  fill(): Promise<void>;
  /** Removes that file. */
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts an ext4 image through a loop device. Returns undefined if that fails, which is usual without root. */
export async function mountSmallDisk(sizeMib: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-disk-'));
  const image = `${folder}.img`;
  const mkfs = findProgram('mkfs.ext4');
  try {
    const file = await open(image, 'w');
    await file.truncate(sizeMib * 1_048_576);
    await file.close();
    // No blocks are reserved for root, so that the disk is equally full for nats-server (root) and for the user of PostgreSQL.
    await run(mkfs, ['-q', '-m', '0', image]);
    await run('mount', ['-o', 'loop', image, folder]);
    await chmod(folder, 0o777);
  } catch {
    await rm(image, { force: true });
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    async fill() {
      await using file = await open(ballast, 'w');
      // ext4 reserves more than it needs until data is on disk, so space appears again after each sync.
      for (const blockBytes of [1_048_576, 65_536, 4_096, 4_096, 4_096]) {
        await writeUntilFull(file, Buffer.alloc(blockBytes));
        await file.sync().catch(() => {});
      }
    },
    empty: () => rm(ballast, { force: true }),
    async unmount() {
      // A process that has just ended may still use it for a moment.
      for (let attempts = 1; ; attempts++) {
        try {
          await run('umount', [folder]);
          break;
        } catch (error) {
          if (attempts === 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      }
      await rm(image, { force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeUntilFull(file: FileHandle, block: Buffer): Promise<void> {
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
