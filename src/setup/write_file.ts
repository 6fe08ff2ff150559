import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../values/error_code.ts';
import { UserError } from '../values/user_error.ts';

/**
 * Replaces a file in one step, so that no reader sees half of it and a crash leaves the old one. The new file is created with
 * its mode: at no time can another user read it.
 */
export async function writeWholeFile(path: string, text: string, mode: number): Promise<void> {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    const handle = await open(fresh, 'wx', mode);
    try {
      await handle.chmod(mode); // the umask may have removed bits
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const old = await stat(path).catch(() => undefined);
    if (old !== undefined && old.uid !== process.getuid?.()) await chown(fresh, old.uid, old.gid);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    const code = errorCode(error) ?? '';
    if (!/^E(ACCES|PERM|ROFS|NOSPC|NOTDIR)$/.test(code)) throw error;
    throw new UserError(`${path} cannot be written (${code}); choose another place with --config, or use sudo.`);
  }
}
