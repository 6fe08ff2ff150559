import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The Debian package of each program that tests, benchmarks, fault runs and scripts start. docs/developers/development.md lists them. */
export const PACKAGES = {
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  etcd: 'etcd-server',
  git: 'git',
  haproxy: 'haproxy',
  'mkfs.ext4': 'e2fsprogs',
  mosquitto: 'mosquitto',
  mosquitto_passwd: 'mosquitto',
  mosquitto_pub: 'mosquitto-clients',
  nginx: 'nginx-light',
  openssl: 'openssl',
  patroni: 'patroni',
  pgbackrest: 'pgbackrest',
  ps: 'procps',
  python3: 'python3',
  wrk: 'wrk',
} as const;

/** Users other than root may not have these folders in their PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

/** Returns the path of a program, or throws an error that names the package to install. */
export function findProgram(name: keyof typeof PACKAGES): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found === undefined)
    throw new Error(`${name} is not installed; install it with: apt-get install ${PACKAGES[name]}`);
  return found;
}

/** Returns the message that `findProgram` throws. Empty if the program is installed. */
export function missingProgram(name: keyof typeof PACKAGES): string {
  try {
    return findProgram(name) && '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
