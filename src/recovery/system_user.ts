import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UserError } from '../values/user_error.ts';

/** The system user that runs pgBackRest and the restored PostgreSQL. */
export interface SystemUser {
  /** Empty for the user of this process. */
  ids: { uid?: number; gid?: number };
  environment: Readonly<Record<string, string>>;
}

/** PostgreSQL refuses to run as root. So root runs it, and pgBackRest, as another user. */
export async function serverSystemUser(name: string, path: string): Promise<SystemUser> {
  const environment = { PATH: path, LC_ALL: 'C.UTF-8' };
  if (process.getuid?.() !== 0) return { ids: {}, environment };
  const idOf = async (option: '-u' | '-g'): Promise<number> =>
    Number((await promisify(execFile)('id', [option, name])).stdout.trim());
  try {
    return { ids: { uid: await idOf('-u'), gid: await idOf('-g') }, environment };
  } catch (error) {
    throw new UserError(`there is no user ${name} on this machine; give the one of PostgreSQL with --user.`, {
      cause: error,
    });
  }
}
