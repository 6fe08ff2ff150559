import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { UserError } from '../values/user_error.ts';

/** The system user that runs the servers and, with systemd, the roles. */
export const SERVICE_USER = 'tankwatch';

export interface ServiceUser {
  /** Undefined for the current user. */
  uid?: number;
  gid?: number;
  isNew: boolean;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as `tankwatch`, or as `postgres`, the user of Debian's package.
 * Other users run it as themselves.
 */
export async function findServerUser(): Promise<ServiceUser> {
  if (process.getuid?.() !== 0) return { isNew: false };
  const existing = (await findUser(SERVICE_USER)) ?? (await findUser('postgres'));
  return existing === undefined ? createServiceUser() : { ...existing, isNew: false };
}

export async function createServiceUser(): Promise<Required<ServiceUser>> {
  const existing = await findUser(SERVICE_USER);
  if (existing !== undefined) return { ...existing, isNew: false };
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  try {
    await promisify(execFile)('useradd', [...options, '--shell', '/usr/sbin/nologin', SERVICE_USER]);
  } catch (error) {
    throw new UserError(`the system user ${SERVICE_USER} could not be created: ${String(error)}`);
  }
  const created = await findUser(SERVICE_USER);
  if (created === undefined) throw new UserError(`the system user ${SERVICE_USER} is not in /etc/passwd.`);
  return { ...created, isNew: true };
}

export async function findUser(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
